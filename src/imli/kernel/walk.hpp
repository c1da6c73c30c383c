// A walk through the space of rules: one rule at a time, changed clause by clause.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "priced_rule.hpp"
#include "random.hpp"

namespace imli {

class Walk : public PricedRule {
   public:
    Walk(const Problem& problem, std::uint64_t seed);

    // No clauses but the locked ones, which may be fewer than the problem allows: is_allowed() says.
    void clear();

    // One place in a clause, or a new one at its end, is filled anew with a literal or none, by heat bath: options
    // are drawn with the odds exp(-cost / temperature). At temperature 0 the cheapest is taken.
    bool step(std::size_t slot, std::size_t place, double temperature);

    // A clause is emptied and built up again from some of the literals, and kept by the rule of Metropolis. It may be
    // built greedily or by heat bath, and around a row that it should cover.
    bool rebuild(std::size_t slot, double temperature, double share, bool is_greedy, bool from_a_row);

    // For lists and sets: another decision where no clause covers; at temperature 0 the cheapest.
    void choose_otherwise(double temperature);

    // Steps at temperature 0 until none lowers the cost. Of equally good options they take the plainest.
    void polish(const std::atomic<bool>& stop);

    // A move of any kind.
    void wander(double temperature);

    // The place of any clause that is not locked; there must be one.
    std::size_t free_slot() { return problem_.n_locked + random.below(problem_.n_free()); }

    Random random;

   private:
    static constexpr std::int32_t kNone = -1;
    static constexpr std::int64_t kImpossible = -kForbidden;  // what no literal saves where there must be one
    static constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

    struct Built {
        std::vector<std::int32_t> literals;
        Bits cover;
        std::int64_t value = 0;
    };

    std::int32_t draw(std::int64_t none, double temperature);
    std::int32_t cheapest(std::int64_t none, std::int64_t now, std::int32_t current) const;
    bool build(std::size_t slot, double share, bool from_a_row, double temperature);
    bool passes(std::int64_t gain, double temperature);
    std::size_t row_to_cover();
    void move_slot(std::size_t from, std::size_t to);
    void drop_useless();
    void drop_last();

    // room to work in
    std::vector<std::int32_t> kept_, options_;
    std::vector<double> odds_;
    std::array<std::pair<std::int64_t, double>, 256> known_;  // odds by value
    Built built_;
};

}  // namespace imli
