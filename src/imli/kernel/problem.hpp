// What is searched for: rules over a table, their cost and their constraints, in integer units.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <vector>

#include "table.hpp"

namespace imli {

// The kernel knows one kind of clause: a conjunction, which covers the rows where all of its literals hold.
// A formula decides for class 1 where any of its clauses covers. A DNF is one; so is the complement of a CNF, on
// complemented literals. In a list the first clause that covers a row decides it, in a set the most.
enum class Kind { formula, list, set };

constexpr std::int64_t kForbidden = std::numeric_limits<std::int64_t>::max() / 4;

struct Clause {
    bool held = false;  // an unused slot covers nothing and costs nothing
    std::int32_t decides = 1;
    std::vector<std::int32_t> literals;

    bool operator==(const Clause&) const = default;
};

struct Rule {
    std::vector<Clause> clauses;
    std::int32_t otherwise = 0;  // the decision where no clause covers
    std::int64_t cost = 0;

    bool same_as(const Rule& other) const { return clauses == other.clauses && otherwise == other.otherwise; }
};

struct Problem {
    Kind kind = Kind::formula;
    std::int32_t n_clauses = 1;
    std::int32_t n_locked = 0;  // of them: the first, which stay as they are in the rule that the search starts from
    std::int32_t n_classes = 2;
    Table table;
    std::int64_t constant = 0;  // costs that no rule avoids
    double factor = 1;          // of its costs to those of the whole, on a sample
    std::vector<std::int64_t> costs;                       // of each literal, in any clause
    std::vector<std::vector<std::int64_t>> slot_costs;     // of each literal by slot, near a rule; or empty
    std::vector<std::int32_t> columns;                     // of each literal
    std::vector<std::int32_t> lengths;                     // of each literal: how much there is to read in it
    std::int32_t n_columns = 0;
    std::vector<std::vector<std::int32_t>> always;         // of each of these sets, some literal occurs
    std::vector<std::int32_t> every;                       // these occur in each clause
    std::int64_t reuse_cost = 0;                           // kForbidden if a column must not be used again
    std::int32_t max_literals = std::numeric_limits<std::int32_t>::max();
    std::int64_t min_rows = 0;
    bool unused_slots = true;
    bool needs_literals = false;                           // whether each clause that is not locked must have one

    // made by prepare()
    std::vector<std::vector<std::int64_t>> signed_weights;  // by class and word: + where the class is right, else −

    std::int64_t penalty = 0;                               // for each set in always that is not met
    void prepare();

    const std::vector<std::int64_t>& costs_in(std::size_t slot) const {
        return slot_costs.empty() ? costs : slot_costs[slot];
    }
    std::size_t n_free() const { return static_cast<std::size_t>(n_clauses - n_locked); }
    bool slots_are_alike() const { return kind != Kind::list && slot_costs.empty(); }
};

// How much there is to read in a rule. Among rules of equal cost, one of fewer clauses is better, then one of fewer
// literals, then one of shorter literals.
struct Length {
    std::int64_t clauses = 0, literals = 0, words = 0;

    Length(const Problem& problem, const Rule& rule);
    auto operator<=>(const Length&) const = default;
};

}  // namespace imli
