// A walk through the space of rules: one rule at a time, changed clause by clause.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "problem.hpp"
#include "random.hpp"
#include "scan.hpp"

namespace imli {

class Walk {
   public:
    Walk(const Problem& problem, std::uint64_t seed);

    void load(const Rule& rule);
    Rule rule() const;
    std::int64_t cost() const { return cost_; }

    // No clauses, which may be more than the problem allows: is_allowed() says.
    void clear();
    bool is_allowed() const;

    // One place in a clause, or a new one at its end, is filled anew with a literal or none, by heat bath: options
    // are drawn with the odds exp(-cost / temperature). At temperature 0 the cheapest is taken.
    bool step(std::size_t slot, std::size_t place, double temperature);

    // A clause is emptied and built up again from some of the literals, and kept by the rule of Metropolis. It may be
    // built greedily or by heat bath, and around a row that it should cover.
    bool rebuild(std::size_t slot, double temperature, double share, bool is_greedy, bool from_a_row);

    // Steps at temperature 0 until none lowers the cost.
    void polish(const std::atomic<bool>& stop);

    // A move of any kind.
    void wander(double temperature);

    // For lists and sets: another decision where no clause covers; at temperature 0 the cheapest.
    void choose_otherwise(double temperature);

    std::size_t n_places(std::size_t slot) const { return clauses_[slot].literals.size() + 1; }
    bool holds(std::size_t slot) const { return clauses_[slot].held; }

    std::uint64_t work = 0;  // words of literals looked at, the same on every machine
    Random random;

   private:
    static constexpr std::int32_t kNone = -1;
    static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

    struct Built {
        std::vector<std::int32_t> literals;
        Bits cover;
        std::int64_t value = 0;
    };

    void find_open(std::size_t slot, std::int32_t decides);
    void find_open_in_set(std::size_t slot, std::int32_t decides);
    Word right_in_set(std::size_t w, std::size_t slot, std::int32_t decides, Word own) const;
    void cover_of(const std::vector<std::int32_t>& literals, Bits& cover) const;

    const std::int64_t* prices(std::size_t slot, const std::vector<std::int32_t>& kept);
    std::int64_t clause_value(std::size_t slot, const std::vector<std::int32_t>& literals, const Bits& cover);
    std::int64_t value_options(std::size_t slot, const std::vector<std::int32_t>& kept, const Bits& cover,
                               bool with_barred);
    std::int64_t sum_columns(const std::int64_t* weights);
    bool may_grow(std::size_t slot, std::size_t n_kept) const;
    bool may_be_unused(std::size_t slot) const;
    std::int64_t n_rows_of(const Bits& cover, std::size_t slot) const;
    bool all_have_enough_rows() const;
    void forbid_thin(std::size_t slot, const Bits& cover);

    std::int32_t draw(std::int64_t none, double temperature);
    std::int32_t cheapest(std::int64_t none, std::int64_t now, std::int32_t current) const;
    bool build(std::size_t slot, double share, bool from_a_row, double temperature);
    bool passes(std::int64_t gain, double temperature);
    std::size_t row_to_cover();
    void move_slot(std::size_t from, std::size_t to);
    void drop_useless();

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
    std::vector<std::int32_t> kept_;
    std::vector<std::int32_t> options_;
    std::vector<double> odds_;
    OpenRows open_rows_;
    Built built_;
};

}  // namespace imli
