// The search for scores and checklists: items with points, whose sum decides.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <vector>

#include "problem.hpp"
#include "rows.hpp"
#include "search.hpp"

namespace imli {

struct Item {
    std::vector<std::int32_t> literals;
    std::int32_t points = 1;

    bool operator==(const Item&) const = default;
    auto operator<=>(const Item&) const = default;
};

struct Card {
    std::vector<Item> items;
    std::int64_t cost = kForbidden;  // with the best threshold, or the best logistic curve
};

// What is asked for, over a table of two classes in which rows of both stay apart.
struct CardProblem {
    Table table;
    std::int64_t constant = 0;
    std::size_t max_items = 1, n_locked = 0, item_literals = 1;
    std::int32_t max_points = 1;
    bool only_ones = false;  // for checklists
    bool is_log = false;     // the loss: log-loss in units, or wrong decisions
    double unit = 1;         // how much a cost of 1, or a row of weight 1, is
    double ridge = 0;        // what the square of an item's log-odds costs, halved
    double smoothing = 1;    // how many rows of a sample's whole table one of its rows stands for
    std::vector<std::int64_t> costs;      // of each literal; kForbidden is never
    std::vector<std::int32_t> signs;      // of each literal: the sign of the points of its items, 0 for both
    std::vector<std::int32_t> columns, lengths;
    std::vector<std::vector<std::int32_t>> barred;  // by literal: those that must not be an item beside it
    std::vector<std::vector<std::int32_t>> always;  // of each of these sets, some literal occurs
    std::int64_t reuse_cost = 0;                    // kForbidden if a column must not be used again
    std::size_t max_literals = std::numeric_limits<std::size_t>::max();
    std::int64_t min_rows = 0;
    std::int64_t penalty = 0;  // for each set of always that is not met

    // made by prepare()
    std::vector<std::int32_t> opposites;  // of each literal: one that holds in just the other rows, or −1
    void prepare();
};

class CardSearch {
   public:
    CardSearch(const Rows& rows, CardProblem problem, const Options& options);

    void start_from(std::vector<Item> items);  // which is allowed; the first items are the locked ones
    void run();
    void stop() { stop_ = true; }

    Card best() const;
    double work() const { return work_; }
    const CardProblem& problem() const { return problem_; }

   private:
    friend class CardTask;

    void round(const CardProblem& problem, std::vector<Card>& pool, double n_steps);
    void polish_all(std::vector<Card>& pool);
    void offer(const Card& card);

    CardProblem problem_, sample_;
    bool has_sample_ = false;
    Options options_;
    Card start_, best_;
    std::vector<Card> pool_;
    std::uint64_t n_tasks_ = 0;
    std::atomic<double> work_ = 0;
    double improved_at_ = 0;
    std::atomic<bool> stop_{false};
    mutable std::mutex mutex_;
};

}  // namespace imli
