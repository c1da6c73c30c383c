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

struct Options {
    std::uint64_t seed = 0;
    double work = 0;  // how much of it to do, in words of literals; may be infinite
    std::size_t n_threads = 1;
    double unit = 1;  // how much a cost of 1 is
};

// Rounds of tasks. The tasks of a round know only the results of earlier rounds, and each has a fixed number of steps,
// so the outcome depends neither on how many threads do them nor on how fast they are.
class Search {
   public:
    // The problem comes without its table, which is made from the rows.
    Search(const Rows& rows, Problem problem, const Options& options);

    void start_from(const Rule& rule);
    void build_on(const Rule& rule);  // another rule to start from, and for the first walks to cross; if it is allowed
    void run();

    // Instead of run(): the best rule at other costs of literals, from the best one so far by a walk of so many steps.
    void reprice(std::vector<std::int64_t> costs);
    void improve(double n_steps);

    void stop() { stop_ = true; }

    Rule best() const;  // so far; may be asked for at any time
    double work() const { return work_; }
    const Problem& problem() const { return problem_; }

   private:
    friend class Task;

    // Rules that differ, the best first.
    struct Pool {
        std::vector<Rule> rules;
        void add(const Problem& problem, Rule rule);
    };

    void make_sample(const Rows& rows);
    void choose_default();
    void search_sample();
    void search_all();
    void make_plain();
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
    std::atomic<double> work_ = 0;
    double improved_at_ = 0;  // how much work was done then
    std::atomic<bool> stop_{false};
    mutable std::mutex mutex_;
};

}  // namespace imli
