// What the rows say about every change of one place of a rule, as sums that add up over parts of them.
#pragma once

#include <cstdint>
#include <vector>

#include "problem.hpp"

namespace imli {

// A place of a clause that may be filled anew; the place after the last literal is that of one more.
struct Place {
    std::size_t slot, place;
};

// All places of clauses that are held and not locked, in the order in which sums are given for them.
std::vector<Place> places_of(const Rule& rule, std::int32_t n_locked);

// Where in the sums of a rule is what. For each place: what the clause saves with nothing there, what it saves with each
// literal there (prices apart), and where rows are counted how many rows it then has.
struct Layout {
    Layout(const Rule& rule, std::int32_t n_locked, std::int32_t n_classes, std::size_t n_literals, bool with_counts);

    std::size_t cost() const { return 0; }                                   // of wrong decisions
    std::size_t uncovered(std::int32_t label) const { return 1 + static_cast<std::size_t>(label); }  // weight by class
    std::size_t n_rows(std::size_t slot) const { return counts_begin_ + slot; }  // that the clause has
    std::size_t none(std::size_t question) const { return places_begin_ + question * stride_; }
    std::size_t with(std::size_t question) const { return none(question) + 1; }
    std::size_t counted(std::size_t question) const { return with(question) + n_literals_; }
    std::size_t size() const { return places_begin_ + places.size() * stride_; }

    std::vector<Place> places;

   private:
    std::size_t n_literals_, counts_begin_, places_begin_, stride_;
};

// The sums of the rows of a table, for a rule of the problem, whose prices do not matter.
std::vector<std::int64_t> sums_of(const Problem& problem, std::int64_t constant, const Rule& rule, bool with_counts,
                                  std::size_t n_threads);

// The rules that differ from this one in one place and cost less, or as much and are plainer: the cheapest first, at
// most so many. The problem needs no table; the sums are those of all rows. Costs are those of the rules.
std::vector<Rule> better_rules(const Problem& problem, const Rule& rule, const std::int64_t* sums, std::size_t most);

// What a rule costs: the wrong decisions by the sums, and its literals.
std::int64_t cost_of(const Problem& problem, const Rule& rule, const std::int64_t* sums);

}  // namespace imli
