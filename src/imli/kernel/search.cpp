#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "threads.hpp"
#include "walk.hpp"

namespace imli {

namespace {

constexpr std::size_t kTasks = 8;
constexpr double kFewestSteps = 20;
constexpr double kLeastWork = 5e7, kWorkPerChoice = 5e5;

double mean_cost(const Problem& problem) {
    double sum = 0, n = 0;
    for (const auto cost : problem.costs) {
        if (cost < kForbidden) sum += static_cast<double>(cost), ++n;
    }
    return n > 0 ? sum / n : 1.0;
}

void normalise(const Problem& problem, Rule& rule) {
    for (auto& clause : rule.clauses) std::sort(clause.literals.begin(), clause.literals.end());
    if (problem.slots_are_alike() && problem.kind == Kind::formula) {
        std::sort(rule.clauses.begin(), rule.clauses.end(), [](const Clause& a, const Clause& b) {
            return a.held != b.held ? a.held > b.held : a.literals < b.literals;
        });
    }
}

// Cheaper, or as cheap and shorter, or else the first in some order: which of several rules is the best must not
// depend on which thread was faster.
bool is_better(const Rule& a, const Rule& b) {
    if (a.cost != b.cost) return a.cost < b.cost;
    const auto key = [](const Rule& rule) {
        std::size_t n_literals = 0, n_clauses = 0;
        std::vector<std::vector<std::int32_t>> parts;
        for (const Clause& clause : rule.clauses) {
            n_literals += clause.literals.size();
            n_clauses += clause.held;
            parts.push_back(clause.literals);
            parts.back().push_back(clause.held ? -1 - clause.decides : std::numeric_limits<std::int32_t>::min());
        }
        return std::tuple(n_literals, n_clauses, rule.otherwise, parts);
    };
    return key(a) < key(b);
}

}  // namespace

// One walk, from a fresh start or from rules of the pool.
class Task {
   public:
    Task(const Search& search, const Problem& problem, std::uint64_t seed)
        : search_(search), tuning_(search.options_.tuning), problem_(problem), walk_(problem, seed) {
        walk_.greedy = tuning_.greedy;
        const double lam = mean_cost(problem);
        const double unit = search.options_.unit * static_cast<double>(problem.factor);
        hot_ = tuning_.hot * std::max(lam, tuning_.floor * unit);
        cold_ = std::max(tuning_.cold * lam, 0.01 * unit);
    }

    void run(const std::vector<Rule>& pool, const Rule& start, double heat, double n_steps) {
        auto& random = walk_.random;
        best_ = start;
        walk_.load(start);
        best_.cost = walk_.cost();
        double hot = hot_ * heat;
        if (pool.size() < 2 || random.uniform() < tuning_.fresh) {
            build_afresh();
        } else if (random.uniform() < tuning_.cross) {
            cross(pool[random.below(pool.size())], pool[random.below(pool.size())]);
            hot *= tuning_.warm;
        } else {
            walk_.load(pool[random.below(pool.size())]);
            hot *= tuning_.warm;
        }
        anneal(hot, n_steps);
        walk_.polish(search_.stop_);
        keep();
    }

    // A rule that was found on a sample, adapted to all rows.
    void adapt(const Rule& rule, double heat, double n_steps) {
        walk_.load(rule);
        best_ = walk_.rule();
        if (n_steps > 0) anneal(heat * hot_, n_steps);
        walk_.polish(search_.stop_);
        keep();
    }

    const Rule& best() const { return best_; }
    double work() const { return static_cast<double>(walk_.work); }

   private:
    void build_afresh() {
        walk_.clear();
        for (int round = 0; round < 2; ++round) {
            for (std::int32_t i = 0; i < problem_.n_clauses && !search_.stop_; ++i) {
                walk_.rebuild(i, 0, tuning_.share, walk_.random.uniform() < tuning_.from_row);
            }
        }
    }

    void cross(const Rule& a, const Rule& b) {
        auto& random = walk_.random;
        Rule child = a;
        if (problem_.slots_are_alike()) {
            std::vector<Clause> all;
            for (const Rule* parent : {&a, &b}) {
                for (const Clause& clause : parent->clauses) {
                    if (clause.held && std::find(all.begin(), all.end(), clause) == all.end()) all.push_back(clause);
                }
            }
            for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
            for (auto& clause : child.clauses) clause = Clause{};
            std::size_t n = 0;
            for (const Clause& clause : all) {
                if (n < child.clauses.size() && fits(child, clause)) child.clauses[n++] = clause;
            }
        } else {
            for (auto& clause : child.clauses) clause = Clause{};
            for (std::size_t i = 0; i < child.clauses.size(); ++i) {
                const Clause& clause = (random.uniform() < 0.5 ? a : b).clauses[i];
                if (clause.held && fits(child, clause)) child.clauses[i] = clause;
            }
        }
        walk_.load(child);
        if (!walk_.is_allowed()) walk_.load(a);
    }

    // Whether a clause may join others: not too many literals together, no column twice where that is forbidden.
    bool fits(const Rule& rule, const Clause& added) const {
        std::size_t n = added.literals.size();
        for (const Clause& clause : rule.clauses) {
            n += clause.literals.size();
            if (problem_.reuse_cost != kForbidden) continue;
            for (const auto j : clause.literals) {
                for (const auto l : added.literals) {
                    if (problem_.columns[j] == problem_.columns[l]) return false;
                }
            }
        }
        return n <= static_cast<std::size_t>(problem_.max_literals);
    }

    void anneal(double hot, double n_steps) {
        auto& random = walk_.random;
        const auto k = static_cast<std::size_t>(problem_.n_clauses);
        for (double n = 0; n < n_steps && !search_.stop_; ++n) {
            const double temperature = hot * std::pow(cold_ / hot, n / n_steps);
            const std::size_t slot = random.below(k);
            if (!walk_.holds(slot) || random.uniform() < tuning_.rebuild) {
                const double share = 1 - tuning_.share * random.uniform();
                walk_.rebuild(slot, temperature, share, random.uniform() < tuning_.from_row);
            } else {
                walk_.step(slot, random.below(walk_.n_places(slot)), temperature);
            }
            if (problem_.kind != Kind::formula && random.uniform() < 0.05) walk_.choose_otherwise(temperature);
            if (walk_.cost() < best_.cost) keep();
        }
    }

    void keep() {
        if (walk_.cost() < best_.cost && walk_.is_allowed()) best_ = walk_.rule();
    }

    const Search& search_;
    const Tuning& tuning_;
    const Problem& problem_;
    Walk walk_;
    double hot_ = 1, cold_ = 1;
    Rule best_;
};

Search::Search(const Rows& rows, Problem problem, const Options& options)
    : problem_(std::move(problem)), options_(options) {
    const auto n_sampled = static_cast<std::size_t>(options.tuning.sample);
    if (rows.size() > n_sampled + n_sampled / 4) {
        // Costs of literals shrink with the number of rows, and weights grow instead where that would lose digits.
        constexpr std::int64_t kFactor = 1024;
        sample_ = problem_;
        sample_->table = rows.table(n_sampled, kFactor, options.n_threads);
        const double share = kFactor * static_cast<double>(n_sampled) / static_cast<double>(rows.size());
        const auto scaled = [&](std::int64_t& cost) {
            if (cost < kForbidden) cost = static_cast<std::int64_t>(std::llround(static_cast<double>(cost) * share));
        };
        for (auto& cost : sample_->costs) scaled(cost);
        for (auto& by_slot : sample_->slot_costs) {
            for (auto& cost : by_slot) scaled(cost);
        }
        scaled(sample_->reuse_cost);
        sample_->min_rows = static_cast<std::int64_t>(
            std::ceil(static_cast<double>(sample_->min_rows) * static_cast<double>(n_sampled) /
                      static_cast<double>(rows.size())));
        sample_->constant = 0;
        sample_->factor = kFactor * static_cast<double>(n_sampled) / static_cast<double>(rows.size());
        sample_->prepare();
    }
    problem_.table = rows.table(rows.size(), 1, options.n_threads);
    problem_.constant += rows.constant();
    least_cost_ = rows.unavoidable();
    problem_.prepare();
}

void Search::start_from(const Rule& rule) {
    Walk walk(problem_, 0);
    walk.load(rule);
    best_ = start_ = walk.rule();
}

Rule Search::best() const {
    const std::lock_guard lock(mutex_);
    return best_;
}

void Search::offer(const Rule& rule) {
    Rule normal = rule;
    normalise(problem_, normal);
    const std::lock_guard lock(mutex_);
    if (is_better(normal, best_)) best_ = std::move(normal);
}

std::uint64_t Search::next_seed() { return mix(options_.seed * 0x9e3779b97f4a7c15u + n_tasks_++); }

void Search::Pool::add(const Problem& problem, Rule rule, std::size_t most) {
    normalise(problem, rule);
    if (std::any_of(rules.begin(), rules.end(), [&](const Rule& other) { return rule.same_as(other); })) return;
    const auto after = std::upper_bound(rules.begin(), rules.end(), rule, is_better);
    rules.insert(after, std::move(rule));
    if (rules.size() > most) rules.pop_back();
}

void Search::run() {
    if (problem_.table.n_literals() == 0) return;
    if (sample_) {
        search_sample();
    }
    search_all();
}

void Search::round(const Problem& problem, Pool& pool, double n_steps) {
    std::vector<std::optional<Task>> tasks(kTasks);
    for (auto& task : tasks) task.emplace(*this, problem, next_seed());
    in_parallel(kTasks, options_.n_threads, [&](std::size_t t) {
        // one task is much hotter, for problems whose good rules lie far apart
        tasks[t]->run(pool.rules, start_, t == 0 ? 8 : 1, n_steps);
        if (&problem == &problem_) offer(tasks[t]->best());
    });
    const std::int64_t before = pool.rules.empty() ? kForbidden : pool.rules.front().cost;
    for (auto& task : tasks) {
        work_ += task->work();
        pool.add(problem, task->best(), static_cast<std::size_t>(options_.tuning.pool));
    }
    if (pool.rules.front().cost < before) improved_at_ = work_;
}

void Search::search_sample() {
    double n_steps = options_.tuning.steps;
    const double most = std::min(options_.tuning.sample_work, 0.5 * options_.work);
    while (!stop_ && work_ < most) {
        round(*sample_, sample_pool_, n_steps);
        n_steps *= options_.tuning.growth;
        Walk walk(problem_, 0);  // what it costs on all rows
        walk.load(sample_pool_.rules.front());
        if (walk.is_allowed()) offer(walk.rule());
    }
    const std::size_t n = std::min<std::size_t>(4, sample_pool_.rules.size());
    std::vector<std::optional<Task>> tasks(n);
    for (auto& task : tasks) task.emplace(*this, problem_, next_seed());
    in_parallel(n, options_.n_threads, [&](std::size_t t) {
        tasks[t]->adapt(sample_pool_.rules[t], 0.2, 0);
        offer(tasks[t]->best());
    });
    for (auto& task : tasks) {
        work_ += task->work();
        pool_.add(problem_, task->best(), static_cast<std::size_t>(options_.tuning.pool));
    }
}

void Search::search_all() {
    // A round must fit into what is left of the work; on large tables there is room for a few short ones at most.
    const Table& table = problem_.table;
    const double scan = static_cast<double>(table.n_words * table.padded() * table.word_cost()) + 1;
    double n_steps = options_.tuning.steps;
    while (!stop_ && best_.cost > least_cost_) {
        const double room = (options_.work - work_) / (kTasks * scan);
        if (room < kFewestSteps || has_converged()) break;
        round(problem_, pool_, std::min(n_steps, room));
        n_steps *= options_.tuning.growth;
    }
}

// Whether so much more work was done than up to the last better rule that another one is unlikely.
bool Search::has_converged() const {
    const auto n_choices = static_cast<double>(problem_.table.n_literals() * problem_.n_clauses);
    const double least = std::max(kLeastWork, kWorkPerChoice * n_choices);
    return std::isfinite(options_.work) && work_ >= std::max(least, 30 * improved_at_);
}

}  // namespace imli
