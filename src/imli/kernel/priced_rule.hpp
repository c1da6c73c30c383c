// A rule on a table: which rows its clauses cover, what it costs, and what any change of one clause would cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "problem.hpp"
#include "scan.hpp"

namespace imli {

constexpr std::uint64_t kMove = 4000;  // what a move costs beside its scans, in words

inline bool contains(const std::vector<std::int32_t>& list, std::int32_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

class PricedRule {
   public:
    explicit PricedRule(const Problem& problem);

    void load(const Rule& rule);
    Rule rule() const;
    std::int64_t cost() const { return cost_; }  // with a penalty for each demand in always that is not met
    bool is_allowed() const;

    std::size_t n_places(std::size_t slot) const { return clauses_[slot].literals.size() + 1; }
    bool holds(std::size_t slot) const { return clauses_[slot].held; }

    std::uint64_t work = 0;  // words of literals looked at, the same on every machine

   protected:
    // The rows where a clause of this class in this slot would change the decision; sets open_ and weights_.
    void find_open(std::size_t slot, std::int32_t decides);
    void cover_of(const std::vector<std::int32_t>& literals, Bits& cover) const;

    // What each literal would cost if it were added to the kept ones of this clause.
    const std::int64_t* prices(std::size_t slot, const std::vector<std::int32_t>& kept);

    // What the clause saves, after find_open.
    std::int64_t clause_value(std::size_t slot, const std::vector<std::int32_t>& literals, const Bits& cover);

    // Fills values_: what each literal would save, added to the kept ones, and best_, the most of those. Returns what
    // the kept ones save by themselves. After find_open. Literals may be barred by prices in barred_.
    std::int64_t value_options(std::size_t slot, const std::vector<std::int32_t>& kept, const Bits& cover,
                               bool with_barred);

    bool may_grow(std::size_t slot, std::size_t n_kept) const;
    bool may_be_unused(std::size_t slot) const;
    std::int64_t n_rows_of(const Bits& cover, std::size_t slot) const;
    bool all_have_enough_rows() const;

    const Problem& problem_;
    const Table& table_;
    std::vector<Clause> clauses_;
    std::vector<Bits> covers_;
    std::int32_t otherwise_ = 0;
    std::int64_t cost_ = 0;

    // room to work in
    Bits open_, cover_, mask_;
    const std::int64_t* weights_ = nullptr;  // by word, for the class of the last find_open
    std::vector<std::int64_t> sums_, values_, prices_, counted_, barred_, barred_prices_;
    std::int64_t best_ = 0;

   private:
    void find_open_in_set(std::size_t slot, std::int32_t decides);
    Word right_in_set(std::size_t w, std::size_t slot, std::int32_t decides, Word own) const;
    std::int64_t sum_columns(const std::int64_t* weights);
    void forbid_thin(std::size_t slot, const Bits& cover);

    OpenRows open_rows_;
};

}  // namespace imli
