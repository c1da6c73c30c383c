#include "search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "exponential.hpp"
#include "threads.hpp"
#include "walk.hpp"

namespace imli {

namespace {

// All of these were chosen by measurement, on problems of a hundred to a hundred thousand rows.
constexpr std::size_t kTasks = 8;        // in a round
constexpr double kFirstSteps = 200;      // of each task in the first round,
constexpr double kMoreSteps = 1.3;       // and how many times as many in each next one
constexpr double kFewestSteps = 20;      // fewer are not worth a round
constexpr std::size_t kPool = 12;        // rules
constexpr double kFresh = 0.3;           // share of tasks that start from nothing,
constexpr double kCrossed = 0.6;         // and of the others, that cross two rules
constexpr double kRebuilds = 0.05;       // share of steps that build a clause anew
constexpr double kFromRow = 0.5;         // share of those around a row that should be covered,
constexpr double kGreedy = 0.5;          // and of those that take the best literal each time
constexpr double kFewestLiterals = 0.5;  // share of the literals that a rebuild may choose from, at least

// Temperatures follow what a literal costs, but not below this share of an error: with cheap literals it is errors
// that keep good rules apart.
constexpr double kHot = 1.0, kCold = 0.05, kLeastLiteral = 0.6;
constexpr double kWarm = 0.6;     // the start for rules that are good already
constexpr double kVeryHot = 8.0;  // for one task of each round, where good rules lie far apart

// An epoch ends when this much work, and this many times what led to its last better rule, has found none.
constexpr double kEpoch = 2e8, kPatience = 4;
constexpr std::size_t kElite = 2;  // rules that outlive an epoch

constexpr std::size_t kSample = 16384;  // rows
constexpr double kSampleWork = 1e9;
constexpr std::size_t kAdapted = 4;  // rules of the sample that are tried on all rows

// A search with a limit ends before it if this much work, and this many times what led to the best rule, found none.
constexpr double kLeastWork = 5e7, kWorkPerChoice = 4e6, kConverged = 60;

// Short rules are found sooner: work grows as the square of the literals of the best rule, up to all of it for so many,
// and at least as for so few. On eight problems with rules of 10 to 43 literals the worst excess of five seeds stayed below
// 2.1 % or 1.5, and default fits of 500 rows take 0.2 to 0.4 of the time. Then the last better rule must be past, too.
constexpr double kMostLiterals = 24, kFewLiterals = 6, kSettled = 3;
constexpr double kEnough = 1e8;  // work, less than which is not worth saving

// In a wide table, 200 steps of each task were several times the limit: so much of it is for one round.
constexpr double kRoundShare = 0.2;

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
        std::sort(rule.clauses.begin() + problem.n_locked, rule.clauses.end(), [](const Clause& a, const Clause& b) {
            return a.held != b.held ? a.held > b.held : a.literals < b.literals;
        });
    }
}

// The literals of all clauses that are not locked.
double n_chosen(const Rule& rule, std::int32_t n_locked) {
    std::size_t n = 0;
    for (std::size_t i = n_locked; i < rule.clauses.size(); ++i) n += rule.clauses[i].literals.size();
    return static_cast<double>(n);
}

// Cheaper, or as cheap and plainer, or else the first in some order: which of several rules is the best must not depend
// on which thread was faster.
bool is_better(const Problem& problem, const Rule& a, const Rule& b) {
    if (a.cost != b.cost) return a.cost < b.cost;
    const auto key = [&](const Rule& rule) {
        std::vector<std::vector<std::int32_t>> parts;
        for (const Clause& clause : rule.clauses) {
            parts.push_back(clause.literals);
            parts.back().push_back(clause.held ? -1 - clause.decides : std::numeric_limits<std::int32_t>::min());
        }
        return std::tuple(Length(problem, rule), rule.otherwise, parts);
    };
    return key(a) < key(b);
}

}  // namespace

// One walk, from a fresh start or from rules of the pool.
class Task {
   public:
    Task(const Search& search, const Problem& problem, std::uint64_t seed)
        : search_(search), problem_(problem), walk_(problem, seed) {
        const double scale = std::max(mean_cost(problem), kLeastLiteral * search.options_.unit * problem.factor);
        hot_ = kHot * scale;
        cold_ = kCold * scale;
    }

    // At most so many steps, or so much work.
    void run(const std::vector<Rule>& pool, const Rule& start, double heat, double n_steps, double most) {
        auto& random = walk_.random;
        best_ = start;
        walk_.load(start);
        best_.cost = walk_.cost();
        double hot = hot_ * heat;
        if (pool.size() < 2 || random.uniform() < kFresh) {
            build_afresh();
        } else {
            if (random.uniform() < kCrossed) {
                const Rule& b = pool[random.below(pool.size())];
                const Rule& a = pool[random.below(pool.size())];
                cross(a, b);
            } else {
                walk_.load(pool[random.below(pool.size())]);
            }
            hot *= heat > 1 ? 1 : kWarm;
        }
        anneal(hot, n_steps, most);
        walk_.polish(search_.stop_);
        keep_plainest();
    }

    // The same rule, made better by a walk that begins warm.
    void improve(const Rule& rule, double n_steps) {
        best_ = rule;
        walk_.load(rule);
        best_.cost = walk_.cost();
        anneal(kWarm * hot_, n_steps, std::numeric_limits<double>::infinity());
        walk_.polish(search_.stop_);
        keep_plainest();
    }

    // A rule that was found on a sample, adapted to all rows.
    void adapt(const Rule& rule, const Rule& start) {
        best_ = start;
        walk_.load(rule);
        keep();
        walk_.polish(search_.stop_);
        keep_plainest();
    }

    const Rule& best() const { return best_; }
    double work() const { return static_cast<double>(walk_.work); }

   private:
    void build_afresh() {
        walk_.clear();
        for (int round = 0; round < 2; ++round) {
            for (std::int32_t i = problem_.n_locked; i < problem_.n_clauses && !search_.stop_; ++i) {
                rebuild(i, 0, kFewestLiterals);
            }
        }
    }

    void cross(const Rule& a, const Rule& b) {
        auto& random = walk_.random;
        const auto n_locked = static_cast<std::size_t>(problem_.n_locked);
        Rule child = a;
        for (std::size_t i = n_locked; i < child.clauses.size(); ++i) child.clauses[i] = Clause{};
        if (problem_.slots_are_alike()) {
            std::vector<Clause> all;
            for (const Rule* parent : {&a, &b}) {
                for (std::size_t i = n_locked; i < parent->clauses.size(); ++i) {
                    const Clause& clause = parent->clauses[i];
                    if (clause.held && std::find(all.begin(), all.end(), clause) == all.end()) all.push_back(clause);
                }
            }
            for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
            std::size_t n = n_locked;
            for (const Clause& clause : all) {
                if (n < child.clauses.size() && fits(child, clause)) child.clauses[n++] = clause;
            }
        } else {
            for (std::size_t i = n_locked; i < child.clauses.size(); ++i) {
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

    void anneal(double hot, double n_steps, double most) {
        auto& random = walk_.random;
        const double fall = logarithm(cold_ / hot), before = work();
        for (double n = 0; n < n_steps && !search_.stop_; ++n) {
            const double done = std::max(n / n_steps, (work() - before) / most);
            if (done >= 1) break;
            const double temperature = hot * exponential(fall * done);
            const std::size_t slot = walk_.free_slot();
            if (!walk_.holds(slot) || random.uniform() < kRebuilds) {
                const double share = 1 - (1 - kFewestLiterals) * random.uniform();
                rebuild(slot, temperature, share);
            } else {
                walk_.step(slot, random.below(walk_.n_places(slot)), temperature);
            }
            if (problem_.kind != Kind::formula && random.uniform() < 0.05) walk_.choose_otherwise(temperature);
            if (walk_.cost() < best_.cost) keep();
        }
    }

    void rebuild(std::size_t slot, double temperature, double share) {
        const bool from_a_row = walk_.random.uniform() < kFromRow;
        const bool is_greedy = walk_.random.uniform() < kGreedy;
        walk_.rebuild(slot, temperature, share, is_greedy, from_a_row);
    }

    void keep() {
        if (walk_.cost() < best_.cost && walk_.is_allowed()) best_ = walk_.rule();
    }

    // The same at the end of a walk, where a rule of the same cost may be plainer.
    void keep_plainest() {
        const Rule rule = walk_.rule();
        if (is_better(problem_, rule, best_) && walk_.is_allowed()) best_ = rule;
    }

    const Search& search_;
    const Problem& problem_;
    Walk walk_;
    double hot_ = 1, cold_ = 1;
    Rule best_;
};

Search::Search(const Rows& rows, Problem problem, const Options& options)
    : problem_(std::move(problem)), options_(options) {
    if (rows.size() > kSample + kSample / 4) make_sample(rows);
    problem_.table = rows.table(rows.size(), 1, options.n_threads);
    problem_.constant += rows.constant();
    problem_.prepare();
    least_cost_ = rows.unavoidable();
}

// Literals cost less where there are fewer rows. So as not to lose digits, the rows weigh more instead.
void Search::make_sample(const Rows& rows) {
    const std::int64_t more = rows.weight() < (std::int64_t{1} << 50) ? 1024 : 1;
    const double share = static_cast<double>(kSample) / static_cast<double>(rows.size());
    sample_ = problem_;
    sample_->factor = share * static_cast<double>(more);
    sample_->table = rows.table(kSample, more, options_.n_threads);
    sample_->constant = 0;
    const auto scale = [&](std::int64_t& cost) {
        if (cost == kForbidden) return;
        cost = static_cast<std::int64_t>(std::llround(static_cast<double>(cost) * sample_->factor));
    };
    for (auto& cost : sample_->costs) scale(cost);
    for (auto& by_slot : sample_->slot_costs) std::for_each(by_slot.begin(), by_slot.end(), scale);
    scale(sample_->reuse_cost);
    const auto min_rows = std::ceil(static_cast<double>(sample_->min_rows) * share);
    sample_->min_rows = static_cast<std::int64_t>(min_rows);
    sample_->prepare();
}

void Search::start_from(const Rule& rule) {
    Walk walk(problem_, 0);
    walk.load(rule);
    best_ = start_ = walk.rule();
}

void Search::build_on(const Rule& rule) {
    const auto add = [&](const Problem& problem, Pool& pool) {
        Walk walk(problem, 0);
        walk.load(rule);
        if (walk.is_allowed()) pool.add(problem, walk.rule());
    };
    if (sample_) add(*sample_, sample_pool_);
    add(problem_, pool_);
    if (!pool_.rules.empty()) offer(pool_.rules.front());
}

Rule Search::best() const {
    const std::lock_guard lock(mutex_);
    return best_;
}

void Search::offer(const Rule& rule) {
    Rule normal = rule;
    normalise(problem_, normal);
    const std::lock_guard lock(mutex_);
    if (is_better(problem_, normal, best_)) best_ = std::move(normal);
}

std::uint64_t Search::next_seed() { return mix(options_.seed * 0x9e3779b97f4a7c15u + n_tasks_++); }

void Search::Pool::add(const Problem& problem, Rule rule) {
    normalise(problem, rule);
    if (std::any_of(rules.begin(), rules.end(), [&](const Rule& other) { return rule.same_as(other); })) return;
    const auto before = [&](const Rule& a, const Rule& b) { return is_better(problem, a, b); };
    rules.insert(std::upper_bound(rules.begin(), rules.end(), rule, before), std::move(rule));
    if (rules.size() > kPool) rules.pop_back();
}

void Search::run() {
    if (problem_.n_free() == 0) return choose_default();
    if (problem_.table.n_literals() == 0) return;
    if (sample_) search_sample();
    search_all();
    make_plain();
}

// The best rule may stem from the middle of a walk, with other rules of the same cost around it.
void Search::make_plain() {
    Walk walk(problem_, 0);
    walk.load(best_);
    walk.polish(stop_);
    if (walk.is_allowed()) offer(walk.rule());
}

void Search::reprice(std::vector<std::int64_t> costs) {
    problem_.costs = std::move(costs);
    problem_.prepare();
    start_from(best_);
}

void Search::improve(double n_steps) {
    if (problem_.n_free() == 0) return choose_default();
    if (problem_.table.n_literals() == 0) return;
    Task task(*this, problem_, next_seed());
    task.improve(best_, n_steps);
    work_ = work_ + task.work();
    offer(task.best());
}

// All that is left where every clause is locked.
void Search::choose_default() {
    Walk walk(problem_, 0);
    walk.load(start_);
    walk.choose_otherwise(0);
    offer(walk.rule());
}

void Search::round(const Problem& problem, Pool& pool, double n_steps) {
    std::vector<std::optional<Task>> tasks(kTasks);
    for (auto& task : tasks) task.emplace(*this, problem, next_seed());
    const std::int64_t before = best().cost;
    const double most = std::max(kEnough, kRoundShare * options_.work) / static_cast<double>(kTasks);
    in_parallel(kTasks, options_.n_threads, [&](std::size_t t) {
        tasks[t]->run(pool.rules, start_, t == 0 ? kVeryHot : 1, n_steps, most);
        if (&problem == &problem_) offer(tasks[t]->best());
    });
    for (auto& task : tasks) {
        work_ = work_ + task->work();
        pool.add(problem, task->best());
    }
    if (best().cost < before) improved_at_ = work_;
}

void Search::search_sample() {
    const double most = std::min(kSampleWork, 0.5 * options_.work);
    for (double n_steps = kFirstSteps; !stop_ && work_ < most; n_steps *= kMoreSteps) {
        round(*sample_, sample_pool_, n_steps);
        Walk walk(problem_, 0);  // what it costs on all rows
        walk.load(sample_pool_.rules.front());
        if (walk.is_allowed()) offer(walk.rule());
    }
    const std::size_t n = std::min(kAdapted, sample_pool_.rules.size());
    std::vector<std::optional<Task>> tasks(n);
    for (auto& task : tasks) task.emplace(*this, problem_, next_seed());
    in_parallel(n, options_.n_threads, [&](std::size_t t) {
        tasks[t]->adapt(sample_pool_.rules[t], start_);
        offer(tasks[t]->best());
    });
    for (auto& task : tasks) {
        work_ = work_ + task->work();
        pool_.add(problem_, task->best());
    }
    improved_at_ = work_;
}

void Search::search_all() {
    const Table& table = problem_.table;
    const double scan = static_cast<double>(table.n_words * table.padded() * table.word_cost()) + 1;
    Pool elite;
    double n_steps = kFirstSteps, began = work_, improved = work_;
    int n_epochs = 1;
    while (!stop_ && best().cost > least_cost_ && !has_converged()) {
        // A round must fit into what is left of the work; on large tables there is room for a few short ones at most.
        const double room = (options_.work - work_) / (static_cast<double>(kTasks) * scan);
        if (room < kFewestSteps) break;
        const std::int64_t before = pool_.rules.empty() ? kForbidden : pool_.rules.front().cost;
        round(problem_, pool_, std::min(n_steps, room));
        n_steps *= kMoreSteps;
        if (pool_.rules.front().cost < before) improved = work_;
        if (work_ - began <= std::max(kEpoch, kPatience * (improved - began))) continue;
        // The rules of the pool have become alike. All begins anew; every third time with the best of all epochs.
        const std::size_t n_kept = std::min(kElite, pool_.rules.size());
        for (std::size_t n = 0; n < n_kept; ++n) elite.add(problem_, pool_.rules[n]);
        pool_ = ++n_epochs % 3 == 0 ? elite : Pool{};
        n_steps = kFirstSteps;
        began = improved = work_;
    }
}

// Whether so much more work was done than up to the last better rule that another one is unlikely.
bool Search::has_converged() const {
    if (!std::isfinite(options_.work)) return false;
    const double length = std::clamp(n_chosen(best(), problem_.n_locked), kFewLiterals, kMostLiterals) / kMostLiterals;
    const double enough = std::max(kEnough, length * length * options_.work);
    if (work_ >= std::max(enough, kSettled * improved_at_)) return true;
    // clauses that depend on each other are what makes it hard
    const double n_clauses = problem_.n_free() > 1 ? static_cast<double>(problem_.n_free()) : 0.1;
    const double n_choices = static_cast<double>(problem_.table.n_literals()) * n_clauses;
    const double least = std::max(kLeastWork, kWorkPerChoice * n_choices);
    return work_ >= std::max(least, kConverged * improved_at_);
}

}  // namespace imli
