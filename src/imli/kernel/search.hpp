// The joint search: walks that anneal, a pool of their results, and crossings of those.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "problem.hpp"
#include "rows.hpp"

namespace imli {

struct Tuning {
    double hot = 2.0, cold = 0.1, floor = 0.3;
    double greedy = 0;
    double rebuild = 0.05;
    double fresh = 0.3, cross = 0.6;
    double warm = 1.0;
    double share = 0.5;
    double from_row = 0.5;
    double steps = 200;
    double growth = 1.3;
    int pool = 12;
    double sample = 16384;
    double sample_work = 1e9;
};

struct Options {
    std::uint64_t seed = 0;
    double work = 0;  // how much of it to do, in words of literals; may be infinite
    std::size_t n_threads = 1;
    double unit = 1;  // of cost
    Tuning tuning;
};

// Rounds of tasks. The tasks of a round know only the results of earlier rounds, and each has a fixed amount of work,
// so the outcome does not depend on how many threads do them.
class Search {
   public:
    // The problem comes without its table, which is made from the rows.
    Search(const Rows& rows, Problem problem, const Options& options);

    void start_from(const Rule& rule);
    void run();
    void stop() { stop_ = true; }

    Rule best() const;
    double work() const { return work_; }
    const Problem& problem() const { return problem_; }

   private:
    friend class Task;

    struct Pool {
        std::vector<Rule> rules;
        void add(const Problem& problem, Rule rule, std::size_t most);
    };

    void search_sample();
    void search_all();
    void round(const Problem& problem, Pool& pool, double n_steps);
    bool has_converged() const;
    void offer(const Rule& rule);
    std::uint64_t next_seed();

    Problem problem_;
    std::optional<Problem> sample_;
    Options options_;
    Rule start_, best_;
    Pool pool_, sample_pool_;
    std::uint64_t n_tasks_ = 0;
    std::int64_t least_cost_ = 0;
    double work_ = 0, improved_at_ = 0;
    std::atomic<bool> stop_{false};
    mutable std::mutex mutex_;
};

}  // namespace imli
