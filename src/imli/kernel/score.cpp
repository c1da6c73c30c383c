#include "score.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <tuple>

#include "exponential.hpp"
#include "random.hpp"
#include "scan.hpp"
#include "threads.hpp"

namespace imli {

namespace {

constexpr std::size_t kTasks = 8;      // in a round
constexpr double kFirstSteps = 40;     // of each task in the first round,
constexpr double kMoreSteps = 1.5;     // and how many times as many in each next one
constexpr double kFewestSteps = 10;    // fewer are not worth a round
constexpr std::size_t kPool = 12;      // cards
constexpr double kFresh = 0.3;         // share of tasks that start from nothing,
constexpr double kCrossed = 0.6;       // and of the others, that cross two cards
constexpr double kZooms = 0.04;        // share of steps that multiply all points
constexpr double kHot = 1.0, kCold = 0.05, kWarm = 0.5;
constexpr double kLeastTemperature = 0.6;  // of a cost of 1, where literals are cheap
constexpr std::size_t kTried = 8;      // changes that are priced exactly, of each place of a finished card
constexpr double kConverged = 3;       // how many times the work that led to the best card finds no better one
constexpr double kLeastWork = 5e7;
constexpr double kMoreForErrors = 4;     // times as much of both, since errors change by leaps
constexpr std::size_t kSample = 16384;  // rows
constexpr double kWide = 2.5;           // log-odds of the most points, before any item is there
constexpr double kFar = 30;             // beyond so many temperatures an option has no odds
constexpr int kNewton = 30;
constexpr double kFlat = 1e-10;

// log(1 + e^x)
double softplus(double x) { return x > 0 ? x + logarithm(1 + exponential(-x)) : logarithm(1 + exponential(x)); }
double logistic(double x) {
    if (x >= 0) return 1 / (1 + exponential(-x));
    const double e = exponential(x);
    return e / (1 + e);
}

// Weights of both classes by total.
struct Histogram {
    std::int64_t least = 0;
    std::vector<double> of[2];

    void reset(std::int64_t low, std::int64_t high) {
        least = low;
        for (auto& side : of) side.assign(static_cast<std::size_t>(high - low + 1), 0.0);
    }
    std::size_t size() const { return of[0].size(); }
};

// What a total costs a row of either class.
struct Curve {
    bool is_log = false;
    double offset = 0, scale = 1;       // of a logistic curve
    std::int64_t threshold = 1;         // else
    double low = 0, high = 1, unit = 1;  // the labels, smoothed; what a nat or an error costs by weight

    // with the threshold or the middle moved by so many points
    double cost(std::int64_t total, int label, double moved) const {
        if (!is_log) {
            const bool yes = static_cast<double>(total) >= static_cast<double>(threshold) + moved;
            return yes == (label == 1) ? 0.0 : 1.0;
        }
        const double x = offset + scale * (static_cast<double>(total) - moved);
        return softplus(x) - (label == 1 ? high : low) * x;
    }
};

IMLI_WIDE void add_scaled(const double* from, std::size_t n, double factor, double* to) {
    for (std::size_t j = 0; j < n; ++j) to[j] += from[j] * factor;
}

IMLI_WIDE void lower(const double* from, std::size_t n, double* to) {
    for (std::size_t j = 0; j < n; ++j) to[j] = from[j] < to[j] ? from[j] : to[j];
}

struct CardLength {
    std::size_t items = 0, literals = 0;
    std::int64_t words = 0, points = 0;

    CardLength(const CardProblem& problem, const Card& card) {
        items = card.items.size();
        for (const Item& item : card.items) {
            literals += item.literals.size();
            points += std::abs(item.points);
            for (const auto j : item.literals) words += problem.lengths[j];
        }
    }
    auto operator<=>(const CardLength&) const = default;
};

bool is_better(const CardProblem& problem, const Card& a, const Card& b) {
    if (a.cost != b.cost) return a.cost < b.cost;
    return std::tuple(CardLength(problem, a), a.items) < std::tuple(CardLength(problem, b), b.items);
}

}  // namespace

void CardProblem::prepare() {
    std::int64_t total = constant + 1;
    for (std::size_t w = 0; w < table.n_words; ++w) {
        total += std::popcount(table.filled[w]) * std::abs(table.weights[w]);
    }
    for (const std::int64_t cost : costs) {
        total += cost == kForbidden ? 0 : cost * static_cast<std::int64_t>(max_items);
    }
    if (reuse_cost != kForbidden) total += reuse_cost * static_cast<std::int64_t>(max_items * item_literals);
    penalty = std::min(8 * total, std::int64_t{1} << 56);
    std::vector<std::int32_t> sides(2 * table.n_columns, -1);  // the first literal on each side of a column
    for (std::size_t j = table.n_literals(); j-- > 0;) {
        sides[2 * table.columns[j] + (table.turned[j] != 0)] = static_cast<std::int32_t>(j);
    }
    opposites.resize(table.n_literals());
    for (std::size_t j = 0; j < table.n_literals(); ++j) {
        opposites[j] = sides[2 * table.columns[j] + (table.turned[j] == 0)];
    }
}

// A card on a table, changed item by item.
class CardWalk {
   public:
    CardWalk(const CardProblem& problem, std::uint64_t seed) : random(seed), problem_(problem) {
        const Table& table = problem.table;
        totals_.assign(table.n_words * 64, 0);
        sums_.resize(table.padded());
        totalled_.resize(table.n_literals());
        double n[2] = {0, 0};
        for (std::size_t w = 0; w < table.n_words; ++w) {
            n[table.labels[w]] += std::popcount(table.filled[w]) * static_cast<double>(table.weights[w]);
        }
        const double negative = n[0] / problem.unit * problem.smoothing, positive = n[1] / problem.unit * problem.smoothing;
        curve_.is_log = problem.is_log;
        curve_.low = 1 / (negative + 2);
        curve_.high = (positive + 1) / (positive + 2);
        reset_curve();
        refit();
    }

    void load(const std::vector<Item>& items) {
        items_.clear();
        covers_.clear();
        std::fill(totals_.begin(), totals_.end(), 0);
        for (const Item& item : items) append(item);
        reset_curve();
        refit();
    }

    Card card() const {
        Card found{items_, std::llround(loss_) + size_cost(items_)};
        for (std::size_t i = problem_.n_locked; i < items_.size(); ++i) turn(found, i);
        std::stable_sort(found.items.begin() + static_cast<std::ptrdiff_t>(problem_.n_locked), found.items.end(),
                         [](const Item& a, const Item& b) { return a.literals < b.literals; });
        return found;
    }

    // Points below 0 for a literal are points above 0 for its opposite, and easier to add up. The loss is the same.
    void turn(Card& card, std::size_t i) const {
        const Item& item = card.items[i];
        if (item.points > 0 || item.literals.size() != 1) return;
        const std::int32_t j = item.literals[0], other = problem_.opposites[j];
        if (other < 0 || problem_.costs[other] != problem_.costs[j] || problem_.signs[other] < 0) return;
        const Table& table = problem_.table;
        if (problem_.min_rows > 0) {
            Bits cover = table.filled;
            table.and_literal(static_cast<std::size_t>(other), cover.data());
            if (weigh(cover.data(), table.counts.data(), table.n_words) < problem_.min_rows) return;
        }
        const Item turned{{other}, -item.points};
        for (const Item& known : card.items) {
            if (known.literals == turned.literals) return;
            if (&known != &item && are_opposite(known.literals, turned.literals)) return;
        }
        std::vector<Item> next = card.items;
        next[i] = turned;
        if (size_cost(next) == size_cost(card.items)) card.items = std::move(next);
    }

    double cost() const { return loss_ + static_cast<double>(size_cost(items_)); }
    std::size_t n_items() const { return items_.size(); }
    const std::vector<Item>& items() const { return items_; }

    // Whether all sets of always are met, and each item has its rows.
    bool is_allowed() const {
        if (n_unmet(items_) > 0) return false;
        for (const Bits& cover : covers_) {
            if (problem_.min_rows > 0 && weigh(cover.data(), problem_.table.counts.data(), problem_.table.n_words) < problem_.min_rows) return false;
        }
        return true;
    }

    bool fits(const std::vector<Item>& items, const Item& added) const {
        if (items.size() >= problem_.max_items) return false;
        std::size_t n = added.literals.size();
        for (const Item& item : items) {
            n += item.literals.size();
            if (item.literals == added.literals || are_opposite(item.literals, added.literals)) return false;
            if (problem_.reuse_cost == kForbidden && shares_column(item, added)) return false;
        }
        return n <= problem_.max_literals;
    }

    // One place is filled anew with a literal and points, by heat bath; at temperature 0 by the best of the changes that
    // are priced exactly. Place n of an item with n literals is that of one more; an item past the last is a new one.
    bool step(std::size_t number, std::size_t place, double temperature) {
        const Item old = number < items_.size() ? items_[number] : Item{{}, 1};
        const bool is_new = number >= items_.size();
        const double before = cost();
        std::vector<std::int32_t> kept = old.literals;
        if (!is_new && place < kept.size()) kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(place));
        if (!is_new) remove(number);
        const double rest_loss = profile_of_totals();
        const double none = rest_loss + static_cast<double>(size_cost(items_));
        scan(kept);
        price(kept);
        const bool changed = temperature > 0 ? draw(kept, none, temperature) : choose(kept, old, is_new, none, before);
        if (!is_new && !changed) insert(number, old);
        refit();
        return temperature > 0 || cost() < before - 1e-7 * std::max(1.0, before);
    }

    // All points times a factor, rounded. Kept by the rule of Metropolis.
    bool zoom(std::int32_t times, std::int32_t by, double temperature) {
        if (problem_.only_ones || problem_.n_locked > 0 || items_.empty()) return false;
        std::vector<Item> next = items_;
        for (Item& item : next) {
            const std::int32_t size = (2 * std::abs(item.points) * times + by) / (2 * by);
            const std::int32_t points = std::clamp(size, 1, problem_.max_points);
            item.points = item.points > 0 ? points : -points;
        }
        if (next == items_) return false;
        const double before = cost();
        const std::vector<Item> old = items_;
        const Curve curve = curve_;
        set_points(next);
        curve_.scale *= static_cast<double>(by) / times;
        refit();
        const double gain = before - cost();
        if (gain > 1e-7 * std::max(1.0, before)) return true;
        if (temperature > 0 && random.uniform() < exponential(std::min(0.0, gain / temperature))) return true;
        set_points(old);
        curve_ = curve;
        refit();
        return false;
    }

    // Steps at temperature 0 until none lowers the cost.
    void polish(const std::atomic<bool>& stop, double most_work) {
        const double began = work;
        bool is_better = true;
        while (is_better && !stop && work - began < most_work) {
            is_better = false;
            for (std::size_t i = problem_.n_locked; i <= items_.size() && !stop; ++i) {
                const std::size_t n_places = i < items_.size() ? n_places_of(i) : 1;
                for (std::size_t place = 0; place < n_places && i <= items_.size(); ++place) {
                    if (i == items_.size() && !has_room()) break;
                    is_better |= step(i, place, 0);
                    if (i < items_.size() && place >= items_[i].literals.size()) break;
                }
            }
            for (const auto& [times, by] : kZoomFactors) is_better |= zoom(times, by, 0);
        }
    }

    bool has_room() const { return items_.size() < problem_.max_items && n_literals(items_) < problem_.max_literals; }

    std::size_t n_places_of(std::size_t number) const {
        const std::size_t n = items_[number].literals.size();
        return n < problem_.item_literals && n_literals(items_) < problem_.max_literals ? n + 1 : n;
    }

    void wander(double temperature) {
        if (random.uniform() < kZooms) {
            const std::size_t which = random.below(std::size(kZoomFactors));
            zoom(kZoomFactors[which].first, kZoomFactors[which].second, temperature);
            return;
        }
        const std::size_t n_free = items_.size() - problem_.n_locked;
        const std::size_t which = problem_.n_locked + random.below(n_free + (has_room() ? 1 : 0));
        if (which >= items_.size()) {
            if (has_room()) step(items_.size(), 0, temperature);
            return;
        }
        step(which, random.below(n_places_of(which)), temperature);
    }

    bool can_move() const { return items_.size() > problem_.n_locked || has_room(); }

    Random random;
    double work = 0;

   private:
    static constexpr std::pair<std::int32_t, std::int32_t> kZoomFactors[] = {{2, 1}, {1, 2}, {3, 2}, {2, 3}, {4, 3}, {3, 4}};

    static std::size_t n_literals(const std::vector<Item>& items) {
        std::size_t n = 0;
        for (const Item& item : items) n += item.literals.size();
        return n;
    }

    // An item and its opposite add up to a number of points that every row has.
    bool are_opposite(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) const {
        if (a.size() != 1 || b.size() != 1) return false;
        const auto& barred = problem_.barred[a[0]];
        return std::find(barred.begin(), barred.end(), b[0]) != barred.end();
    }

    bool shares_column(const Item& a, const Item& b) const {
        for (const auto j : a.literals) {
            for (const auto l : b.literals) {
                if (problem_.columns[j] == problem_.columns[l]) return true;
            }
        }
        return false;
    }

    std::int64_t n_unmet(const std::vector<Item>& items) const {
        std::int64_t n = 0;
        for (const auto& set : problem_.always) {
            bool is_met = false;
            for (const Item& item : items) {
                for (const auto j : item.literals) is_met |= std::find(set.begin(), set.end(), j) != set.end();
            }
            n += !is_met;
        }
        return n;
    }

    std::int64_t size_cost(const std::vector<Item>& items) const {
        std::int64_t cost = problem_.penalty * n_unmet(items);
        std::vector<std::int32_t> used;
        for (const Item& item : items) {
            std::vector<std::int32_t> own;
            for (const auto j : item.literals) {
                cost += problem_.costs[j];
                own.push_back(problem_.columns[j]);
            }
            std::sort(own.begin(), own.end());
            own.erase(std::unique(own.begin(), own.end()), own.end());
            used.insert(used.end(), own.begin(), own.end());
        }
        if (problem_.reuse_cost > 0 && problem_.reuse_cost != kForbidden) {
            const auto n = static_cast<std::int64_t>(used.size());
            std::sort(used.begin(), used.end());
            used.erase(std::unique(used.begin(), used.end()), used.end());
            cost += problem_.reuse_cost * (n - static_cast<std::int64_t>(used.size()));
        }
        return cost;
    }

    void append(const Item& item) { insert(items_.size(), item); }

    void insert(std::size_t number, const Item& item) {
        Bits cover = problem_.table.filled;
        for (const auto j : item.literals) problem_.table.and_literal(static_cast<std::size_t>(j), cover.data());
        add(cover, item.points);
        items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(number), item);
        covers_.insert(covers_.begin() + static_cast<std::ptrdiff_t>(number), std::move(cover));
    }

    void remove(std::size_t number) {
        add(covers_[number], -items_[number].points);
        items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(number));
        covers_.erase(covers_.begin() + static_cast<std::ptrdiff_t>(number));
    }

    void set_points(const std::vector<Item>& next) {
        for (std::size_t i = 0; i < items_.size(); ++i) {
            add(covers_[i], next[i].points - items_[i].points);
            items_[i].points = next[i].points;
        }
    }

    void add(const Bits& cover, std::int32_t points) {
        for (std::size_t w = 0; w < cover.size(); ++w) {
            std::int32_t* totals = totals_.data() + w * 64;
            for (Word rows = cover[w]; rows != 0; rows &= rows - 1) totals[std::countr_zero(rows)] += points;
        }
        work += static_cast<double>(cover.size()) * 8;
    }

    std::pair<std::int64_t, std::int64_t> range() const {
        std::int64_t low = 0, high = 0;
        for (const Item& item : items_) (item.points < 0 ? low : high) += item.points;
        return {low, high};
    }

    double squares() const {
        double sum = 0;
        for (const Item& item : items_) sum += static_cast<double>(item.points) * item.points;
        return sum;
    }

    void reset_curve() {
        curve_.threshold = 1;
        curve_.scale = problem_.only_ones ? 1.0 : kWide / problem_.max_points;
        if (problem_.is_log) {
            double n[2] = {0, 0};
            for (std::size_t w = 0; w < problem_.table.n_words; ++w) {
                n[problem_.table.labels[w]] += std::popcount(problem_.table.filled[w]) * static_cast<double>(problem_.table.weights[w]);
            }
            const double share = (n[1] * curve_.high + n[0] * curve_.low) / std::max(n[0] + n[1], 1e-300);
            curve_.offset = share > 0 && share < 1 ? logarithm(share / (1 - share)) : 0;
        }
    }

    // The loss at the best curve, and in `fitted` that curve.
    // `squares` is the sum of the squares of the points.
    double profile(const Histogram& rows, double squares_of_points, Curve& fitted) const {
        const double ridge = problem_.ridge * problem_.unit * squares_of_points;
        if (!problem_.is_log) {
            // the errors at each threshold: negatives above it, positives below
            double above = 0, below = 0;
            for (const double weight : rows.of[0]) above += weight;
            double least = above;
            fitted.threshold = rows.least;
            for (std::size_t n = 0; n < rows.size(); ++n) {
                above -= rows.of[0][n];
                below += rows.of[1][n];
                if (above + below < least) {
                    least = above + below;
                    fitted.threshold = rows.least + static_cast<std::int64_t>(n) + 1;
                }
            }
            return least + static_cast<double>(problem_.constant);
        }
        double all = 0, sum = 0, squares = 0, yes = 0;
        for (std::size_t n = 0; n < rows.size(); ++n) {
            const double weight = rows.of[0][n] + rows.of[1][n], total = static_cast<double>(rows.least) + static_cast<double>(n);
            all += weight;
            sum += weight * total;
            squares += weight * total * total;
            yes += rows.of[0][n] * fitted.low + rows.of[1][n] * fitted.high;
        }
        if (all <= 0) return 0;
        const double mean = sum / all, base = logarithm(yes / (all - yes));
        const double flat = all * softplus(base) - yes * base;
        if (squares / all - mean * mean < 1e-9) {  // one total
            fitted.offset = base - fitted.scale * mean;
            return flat;
        }
        // from the curve that was fitted last, by Newton's method with halved steps; around the mean, which is stable
        double at = fitted.offset + fitted.scale * mean, slope = fitted.scale;
        const auto loss_at = [&](double a, double b) {
            double loss = 0.5 * ridge * b * b;
            for (std::size_t n = 0; n < rows.size(); ++n) {
                const double weight = rows.of[0][n] + rows.of[1][n];
                if (weight == 0) continue;
                const double x = a + b * (static_cast<double>(rows.least) + static_cast<double>(n) - mean);
                loss += weight * softplus(x) - (rows.of[0][n] * fitted.low + rows.of[1][n] * fitted.high) * x;
            }
            return loss;
        };
        double loss = loss_at(at, slope);
        if (!(loss < 4 * flat)) {  // too far off
            at = base;
            slope = 0;
            loss = flat;
        }
        for (int round = 0; round < kNewton; ++round) {
            double g0 = 0, g1 = -ridge * slope, h00 = 1e-12, h01 = 0, h11 = 1e-12 + ridge;
            for (std::size_t n = 0; n < rows.size(); ++n) {
                const double weight = rows.of[0][n] + rows.of[1][n];
                if (weight == 0) continue;
                const double t = static_cast<double>(rows.least) + static_cast<double>(n) - mean;
                const double p = logistic(at + slope * t);
                const double rest = rows.of[0][n] * fitted.low + rows.of[1][n] * fitted.high - weight * p;
                const double bend = weight * p * (1 - p);
                g0 += rest;
                g1 += rest * t;
                h00 += bend;
                h01 += bend * t;
                h11 += bend * t * t;
            }
            const double determinant = h00 * h11 - h01 * h01;
            if (!(determinant > 0)) break;
            double d0 = (h11 * g0 - h01 * g1) / determinant, d1 = (h00 * g1 - h01 * g0) / determinant;
            double next = loss_at(at + d0, slope + d1);
            for (int half = 0; half < 40 && next > loss; ++half) {
                d0 /= 2;
                d1 /= 2;
                next = loss_at(at + d0, slope + d1);
            }
            if (next > loss) break;
            const bool is_done = loss - next <= kFlat * loss;
            at += d0;
            slope += d1;
            loss = next;
            if (is_done) break;
        }
        if (slope < 0) {
            fitted.offset = base - fitted.scale * mean;
            return flat;
        }
        if (slope > 1e-6) {
            fitted.scale = slope;
        }
        fitted.offset = at - fitted.scale * mean;
        return loss;
    }

    void count_totals(Histogram& rows) const {
        const auto [low, high] = range();
        rows.reset(low, high);
        const Table& table = problem_.table;
        for (std::size_t w = 0; w < table.n_words; ++w) {
            auto& side = rows.of[table.labels[w]];
            const auto weight = static_cast<double>(table.weights[w]);
            if (weight == 0) continue;
            const std::int32_t* totals = totals_.data() + w * 64;
            for (Word left = table.filled[w]; left != 0; left &= left - 1) {
                side[static_cast<std::size_t>(totals[std::countr_zero(left)] - low)] += weight;
            }
        }
    }

    double profile_of_totals() {
        count_totals(rest_);
        Curve fitted = curve_;
        return profile(rest_, squares(), fitted);
    }

    void refit() {
        count_totals(now_);
        loss_ = profile(now_, squares(), curve_);
        work += static_cast<double>(problem_.table.n_words) * 16;
    }

    // How many rows of each class and total each literal has beside the kept ones.
    void scan(const std::vector<std::int32_t>& kept) {
        const Table& table = problem_.table;
        Bits& cover = scanned_;
        cover = table.filled;
        for (const auto j : kept) table.and_literal(static_cast<std::size_t>(j), cover.data());
        const auto [low, high] = range();
        const auto n_totals = static_cast<std::size_t>(high - low + 1);
        open_.resize(std::max(open_.size(), 2 * n_totals));
        for (std::size_t k = 0; k < 2 * n_totals; ++k) {
            open_[k].words.clear();
            open_[k].masks.clear();
            open_[k].runs.clear();
        }
        masks_.assign(n_totals, 0);
        std::vector<std::size_t> seen;
        for (std::size_t w = 0; w < table.n_words; ++w) {
            if (table.weights[w] == 0 || cover[w] == 0) continue;
            const std::int32_t* totals = totals_.data() + w * 64;
            seen.clear();
            for (Word left = cover[w]; left != 0; left &= left - 1) {
                const int r = std::countr_zero(left);
                const auto level = static_cast<std::size_t>(totals[r] - low);
                if (masks_[level] == 0) seen.push_back(level);
                masks_[level] |= Word{1} << r;
            }
            for (const auto level : seen) {
                OpenRows& open = open_[2 * level + static_cast<std::size_t>(table.labels[w])];
                if (open.runs.empty() || open.runs.back().weight != table.weights[w]) {
                    open.runs.push_back({open.words.size(), open.words.size(), table.weights[w]});
                }
                open.words.push_back(static_cast<std::uint32_t>(w));
                open.masks.push_back(masks_[level]);
                ++open.runs.back().end;
                masks_[level] = 0;
            }
        }
        const std::size_t n = table.n_literals();
        levels_.clear();
        for (std::size_t k = 0; k < 2 * n_totals; ++k) {
            if (open_[k].words.empty()) continue;
            std::int64_t all = 0;
            for (const auto& run : open_[k].runs) {
                for (std::size_t at = run.begin; at < run.end; ++at) all += std::popcount(open_[k].masks[at]) * run.weight;
            }
            scan_panels(table, open_[k], 0, table.n_panels(), sums_.data());
            total_literals(table, sums_.data(), all, totalled_.data());
            levels_.push_back({low + static_cast<std::int64_t>(k / 2), static_cast<int>(k % 2), static_cast<double>(all)});
            hits_.resize(std::max(hits_.size(), levels_.size() * (n + 1)));
            double* hits = hits_.data() + (levels_.size() - 1) * (n + 1);
            for (std::size_t j = 0; j < n; ++j) hits[j] = static_cast<double>(totalled_[j]);
            hits[n] = static_cast<double>(all);  // the kept literals alone
            work += static_cast<double>(open_[k].words.size() * table.padded() * table.word_cost()) + static_cast<double>(n);
        }
        work += static_cast<double>(table.n_words) * 24;
        if (problem_.min_rows > 0) {
            OpenRows open;
            const std::int64_t all = open.collect(cover.data(), table.counts.data(), table.n_words);
            scan_panels(table, open, 0, table.n_panels(), sums_.data());
            counted_.resize(n + 1);
            total_literals(table, sums_.data(), all, counted_.data());
            counted_[n] = all;
        }
    }

    // The points that an item may have.
    void list_points() {
        points_.clear();
        if (problem_.only_ones) {
            points_ = {1};
            return;
        }
        for (std::int32_t p = 1; p <= problem_.max_points; ++p) {
            points_.push_back(p);
            points_.push_back(-p);
        }
    }

    // What the card costs with each literal and points beside the kept literals, at the curve as it is or moved with the
    // points: values_[points][literal]. The last literal stands for none more.
    void price(const std::vector<std::int32_t>& kept) {
        list_points();
        const std::size_t n = problem_.table.n_literals(), width = n + 1;
        extra_.assign(width, 0.0);
        const std::int64_t now = size_cost(items_);
        std::vector<Item> tried = items_;
        tried.push_back({kept, 1});
        const std::int64_t with_kept = size_cost(tried);
        for (const auto j : kept) extra_[j] = static_cast<double>(kForbidden);
        // sets that the kept literals and other items leave unmet, and columns that other items use
        std::vector<char> used(n_columns(), 0), own(n_columns(), 0);
        for (const Item& item : items_) {
            for (const auto j : item.literals) used[problem_.columns[j]] = 1;
        }
        for (const auto j : kept) own[problem_.columns[j]] = 1;
        for (std::size_t j = 0; j < n; ++j) {
            if (problem_.costs[j] == kForbidden) extra_[j] = static_cast<double>(kForbidden);
            if (extra_[j] > 0) continue;
            std::int64_t cost = problem_.costs[j];
            if (used[problem_.columns[j]] && !own[problem_.columns[j]]) {
                cost = problem_.reuse_cost == kForbidden ? kForbidden : cost + problem_.reuse_cost;
            }
            extra_[j] = static_cast<double>(cost);
            if (problem_.min_rows > 0 && counted_[j] < problem_.min_rows) extra_[j] = static_cast<double>(kForbidden);
        }
        for (const auto& set : problem_.always) {
            bool is_met = false;
            for (const Item& item : tried) {
                for (const auto j : item.literals) is_met |= std::find(set.begin(), set.end(), j) != set.end();
            }
            if (is_met) continue;
            for (const auto j : set) extra_[j] -= static_cast<double>(problem_.penalty);
        }
        for (auto& extra : extra_) extra += static_cast<double>(with_kept);
        if (n_literals(items_) + kept.size() + 1 > problem_.max_literals || kept.size() + 1 > problem_.item_literals) {
            std::fill(extra_.begin(), extra_.end() - 1, static_cast<double>(kForbidden));
        }
        if (kept.empty() || (problem_.min_rows > 0 && counted_[n] < problem_.min_rows)) extra_[n] = static_cast<double>(kForbidden);
        for (const Item& item : items_) forbid_same(item, kept);
        static_cast<void>(now);

        Histogram& rest = rest_;  // of all rows, without the item
        const std::size_t n_points = points_.size();
        values_.assign(n_points * width, std::numeric_limits<double>::infinity());
        room_.resize(width);
        // as if nothing was covered
        for (std::size_t at = 0; at < n_points; ++at) {
            const std::int32_t points = points_[at];
            double* values = values_.data() + at * width;
            for (int move = 0; move < 3; ++move) {
                double moved = points * 0.5 * move;
                if (!problem_.is_log) {
                    moved = std::floor(moved + 0.5);
                    if (move == 1 && std::abs(points) == 1) continue;
                }
                double base = static_cast<double>(problem_.constant);
                if (problem_.is_log) {
                    const double bend = problem_.ridge * problem_.unit * curve_.scale * curve_.scale;
                    base = 0.5 * bend * (squares() + static_cast<double>(points) * points);
                }
                for (std::size_t t = 0; t < rest.size(); ++t) {
                    const std::int64_t total = rest.least + static_cast<std::int64_t>(t);
                    for (int label = 0; label < 2; ++label) {
                        if (rest.of[label][t] != 0) base += rest.of[label][t] * curve_.cost(total, label, moved);
                    }
                }
                std::fill(room_.begin(), room_.end(), base);
                for (std::size_t k = 0; k < levels_.size(); ++k) {
                    const Level& level = levels_[k];
                    const double change = curve_.cost(level.total + points, level.label, moved) - curve_.cost(level.total, level.label, moved);
                    if (change != 0) add_scaled(hits_.data() + k * width, width, change, room_.data());
                }
                lower(room_.data(), width, values);
                work += static_cast<double>((levels_.size() + 2) * width) / 4 + static_cast<double>(rest.size()) * 8;
            }
            add_scaled(extra_.data(), width, 1.0, values);
            const std::int32_t sign = points > 0 ? 1 : -1;
            bool kept_fits = true;
            for (const auto j : kept) kept_fits &= problem_.signs[j] == 0 || problem_.signs[j] == sign;
            for (std::size_t j = 0; j < width; ++j) {
                const bool is_barred = extra_[j] >= static_cast<double>(kForbidden) / 2 || !kept_fits || (j < n && problem_.signs[j] == -sign);
                if (is_barred) values[j] = std::numeric_limits<double>::infinity();
            }
        }
    }

    std::size_t n_columns() const {
        std::int32_t n = 0;
        for (const auto column : problem_.columns) n = std::max(n, column + 1);
        return static_cast<std::size_t>(n);
    }

    // No two items may have the same literals, or one literal and its opposite.
    void forbid_same(const Item& item, const std::vector<std::int32_t>& kept) {
        const std::size_t n = extra_.size() - 1;
        if (item.literals.size() == 1 && kept.empty()) {
            for (const auto j : problem_.barred[item.literals[0]]) extra_[j] = static_cast<double>(kForbidden);
        }
        if (are_opposite(item.literals, kept)) extra_[n] = static_cast<double>(kForbidden);
        if (item.literals.size() == kept.size()) {
            std::vector<std::int32_t> a = item.literals, b = kept;
            std::sort(a.begin(), a.end());
            std::sort(b.begin(), b.end());
            if (a == b) extra_[n] = static_cast<double>(kForbidden);
        }
        if (item.literals.size() != kept.size() + 1) return;
        std::int32_t other = -1;
        std::size_t n_other = 0;
        for (const auto j : item.literals) {
            if (std::find(kept.begin(), kept.end(), j) == kept.end()) other = j, ++n_other;
        }
        if (n_other == 1) extra_[other] = static_cast<double>(kForbidden);
    }

    void put(const std::vector<std::int32_t>& kept, std::size_t at) {
        const std::size_t width = problem_.table.n_literals() + 1, j = at % width;
        Item item{kept, points_[at / width]};
        if (j + 1 < width) item.literals.push_back(static_cast<std::int32_t>(j));
        std::sort(item.literals.begin(), item.literals.end());
        append(item);
    }

    // Returns whether the item was replaced, or dropped.
    bool draw(const std::vector<std::int32_t>& kept, double none, double temperature) {
        double best = none;
        for (const double value : values_) best = value < best ? value : best;
        if (!(best < std::numeric_limits<double>::infinity())) return true;
        odds_.clear();
        double sum = exponential(std::max(-700.0, (best - none) / temperature));
        const double of_none = sum;
        for (std::size_t at = 0; at < values_.size(); ++at) {
            if (values_[at] - best > kFar * temperature) continue;
            sum += exponential((best - values_[at]) / temperature);
            odds_.emplace_back(at, sum);
        }
        const double drawn = random.uniform() * sum;
        if (drawn < of_none || odds_.empty()) return true;
        const auto found = std::upper_bound(odds_.begin(), odds_.end(), drawn, [](double value, const auto& odd) { return value < odd.second; });
        put(kept, (found == odds_.end() ? odds_.back() : *found).first);
        return true;
    }

    // The best of the most promising changes by their exact costs; false if the item should stay as it was.
    bool choose(const std::vector<std::int32_t>& kept, const Item& old, bool is_new, double none, double before) {
        static_cast<void>(old);
        const std::size_t width = problem_.table.n_literals() + 1;
        odds_.clear();
        for (std::size_t at = 0; at < values_.size(); ++at) {
            if (!(values_[at] < std::numeric_limits<double>::infinity())) continue;
            if (odds_.size() == kTried && values_[at] >= odds_.back().second) continue;
            const auto place = std::upper_bound(odds_.begin(), odds_.end(), values_[at], [](double value, const auto& odd) { return value < odd.second; });
            odds_.insert(place, {at, values_[at]});
            if (odds_.size() > kTried) odds_.pop_back();
        }
        const double tolerance = 1e-7 * std::max(1.0, before);
        double best = before - tolerance;
        std::optional<std::size_t> chosen;
        for (const auto& [at, value] : odds_) {
            const std::size_t j = at % width;
            const double exact = exact_cost(j, points_[at / width]) + extra_[j];
            if (exact < best - tolerance * 0.1) {
                best = exact;
                chosen = at;
            }
        }
        if (!is_new && none < best) return true;  // dropped
        if (!chosen) return false;
        put(kept, *chosen);
        return true;
    }

    double exact_cost(std::size_t j, std::int32_t points) {
        const std::size_t width = problem_.table.n_literals() + 1;
        const auto low = rest_.least + std::min(points, 0), high = rest_.least + static_cast<std::int64_t>(rest_.size()) - 1 + std::max(points, 0);
        tried_.reset(low, high);
        for (int label = 0; label < 2; ++label) {
            for (std::size_t t = 0; t < rest_.size(); ++t) {
                tried_.of[label][static_cast<std::size_t>(rest_.least - low) + t] = rest_.of[label][t];
            }
        }
        for (std::size_t k = 0; k < levels_.size(); ++k) {
            const double hit = hits_[k * width + j];
            auto& side = tried_.of[levels_[k].label];
            side[static_cast<std::size_t>(levels_[k].total - low)] -= hit;
            side[static_cast<std::size_t>(levels_[k].total + points - low)] += hit;
        }
        Curve fitted = curve_;
        work += static_cast<double>(tried_.size()) * 64;
        return profile(tried_, squares() + static_cast<double>(points) * points, fitted);
    }

    struct Level {
        std::int64_t total;
        int label;
        double all;
    };

    const CardProblem& problem_;
    std::vector<Item> items_;
    std::vector<Bits> covers_;
    std::vector<std::int32_t> totals_;  // of each row
    Curve curve_;
    double loss_ = 0;
    Histogram now_, rest_, tried_;

    // room to work in
    std::vector<OpenRows> open_;
    std::vector<Word> masks_;
    Bits scanned_;
    std::vector<std::int64_t> sums_, totalled_, counted_;
    std::vector<Level> levels_;
    Large<double> hits_, values_, room_;
    std::vector<double> extra_;
    std::vector<std::int32_t> points_;
    std::vector<std::pair<std::size_t, double>> odds_;
};

class CardTask {
   public:
    CardTask(const CardSearch& search, const CardProblem& problem, std::uint64_t seed)
        : search_(search), problem_(problem), walk_(problem, seed) {
        double sum = 0, n = 0;
        for (const auto cost : problem.costs) {
            if (cost != kForbidden) sum += static_cast<double>(cost), ++n;
        }
        scale_ = std::max(n > 0 ? sum / n : 1.0, kLeastTemperature * problem.unit);
    }

    void run(const std::vector<Card>& pool, const std::vector<Item>& start, bool is_very_hot, double n_steps) {
        auto& random = walk_.random;
        double hot = kHot * scale_ * (is_very_hot ? 4 : 1);
        if (pool.size() < 2 || random.uniform() < kFresh) {
            const auto n_locked = static_cast<std::ptrdiff_t>(problem_.n_locked);
            walk_.load({start.begin(), start.begin() + n_locked});
        } else {
            const Card& a = pool[random.below(pool.size())];
            const Card& b = pool[random.below(pool.size())];
            walk_.load(random.uniform() < kCrossed ? crossed(a, b) : a.items);
            hot = kWarm * kHot * scale_;
        }
        anneal(hot, n_steps);
        walk_.polish(search_.stop_, std::numeric_limits<double>::infinity());
        keep();
    }

    void polish(const std::vector<Item>& items) {
        walk_.load(items);
        keep();
        walk_.polish(search_.stop_, std::numeric_limits<double>::infinity());
        keep();
    }

    const Card& best() const { return best_; }
    double work() const { return walk_.work; }

   private:
    std::vector<Item> crossed(const Card& a, const Card& b) {
        const auto n_locked = static_cast<std::ptrdiff_t>(problem_.n_locked);
        std::vector<Item> all(a.items.begin() + n_locked, a.items.end());
        for (std::size_t i = problem_.n_locked; i < b.items.size(); ++i) {
            if (std::find(all.begin(), all.end(), b.items[i]) == all.end()) all.push_back(b.items[i]);
        }
        for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[walk_.random.below(i)]);
        std::vector<Item> child(a.items.begin(), a.items.begin() + n_locked);
        const std::size_t most = std::max(a.items.size(), b.items.size());
        for (const Item& item : all) {
            if (child.size() < most && walk_.fits(child, item)) child.push_back(item);
        }
        return child;
    }

    void anneal(double hot, double n_steps) {
        if (!walk_.can_move()) return;
        const double cold = kCold * scale_, fall = logarithm(cold / hot);
        for (double n = 0; n < n_steps && !search_.stop_; ++n) {
            walk_.wander(hot * exponential(fall * (n / n_steps)));
            keep();
        }
    }

    void keep() {
        if (best_.cost != kForbidden && walk_.cost() > static_cast<double>(best_.cost) + 1) return;
        const Card card = walk_.card();
        if (is_better(problem_, card, best_) && walk_.is_allowed()) best_ = card;
    }

    const CardSearch& search_;
    const CardProblem& problem_;
    CardWalk walk_;
    double scale_ = 1;
    Card best_;
};

CardSearch::CardSearch(const Rows& rows, CardProblem problem, const Options& options)
    : problem_(std::move(problem)), options_(options) {
    if (rows.size() > kSample + kSample / 4) {
        has_sample_ = true;
        sample_ = problem_;
        sample_.table = rows.table(kSample, 1, options.n_threads);
        double weight = 0;
        for (std::size_t w = 0; w < sample_.table.n_words; ++w) {
            weight += std::popcount(sample_.table.filled[w]) * static_cast<double>(std::abs(sample_.table.weights[w]));
        }
        const double share = weight / std::max<double>(1, static_cast<double>(rows.weight()));
        sample_.smoothing = share > 0 ? 1 / share : 1;
        const auto scaled = [&](std::int64_t cost) { return cost == kForbidden ? cost : std::llround(static_cast<double>(cost) * share); };
        for (auto& cost : sample_.costs) cost = scaled(cost);
        sample_.reuse_cost = scaled(sample_.reuse_cost);
        sample_.min_rows = static_cast<std::int64_t>(std::ceil(static_cast<double>(sample_.min_rows) * share));
        sample_.constant = 0;
        sample_.prepare();
    }
    problem_.table = rows.table(rows.size(), 1, options.n_threads);
    problem_.constant = rows.constant();
    problem_.prepare();
}

void CardSearch::start_from(std::vector<Item> items) {
    CardWalk walk(problem_, 0);
    for (Item& item : items) std::sort(item.literals.begin(), item.literals.end());
    walk.load(items);
    start_ = best_ = walk.card();
}

Card CardSearch::best() const {
    const std::lock_guard lock(mutex_);
    return best_;
}

void CardSearch::offer(const Card& card) {
    if (card.cost == kForbidden) return;
    const std::lock_guard lock(mutex_);
    if (is_better(problem_, card, best_)) best_ = card;
}

void CardSearch::round(const CardProblem& problem, std::vector<Card>& pool, double n_steps) {
    std::vector<std::optional<CardTask>> tasks(kTasks);
    for (auto& task : tasks) task.emplace(*this, problem, mix(options_.seed * 0x9e3779b97f4a7c15u + n_tasks_++));
    const bool is_whole = &problem == &problem_;
    const std::int64_t before = pool.empty() ? kForbidden : pool.front().cost;
    in_parallel(kTasks, options_.n_threads, [&](std::size_t t) {
        tasks[t]->run(pool, start_.items, t == 0, n_steps);
        if (is_whole) offer(tasks[t]->best());
    });
    for (auto& task : tasks) {
        work_ = work_ + task->work();
        const Card& card = task->best();
        if (card.cost == kForbidden) continue;
        const auto same = [&](const Card& other) { return other.items == card.items; };
        if (std::any_of(pool.begin(), pool.end(), same)) continue;
        const auto place = std::upper_bound(pool.begin(), pool.end(), card, [&](const Card& a, const Card& b) { return is_better(problem, a, b); });
        pool.insert(place, card);
        if (pool.size() > kPool) pool.pop_back();
    }
    if (!pool.empty() && pool.front().cost < before) improved_at_ = work_;
}

// Cards of the sample, adapted to all rows.
void CardSearch::polish_all(std::vector<Card>& pool) {
    const std::size_t n = std::min<std::size_t>(2, pool.size());
    std::vector<std::optional<CardTask>> tasks(n);
    for (auto& task : tasks) task.emplace(*this, problem_, mix(options_.seed * 0x9e3779b97f4a7c15u + n_tasks_++));
    in_parallel(n, options_.n_threads, [&](std::size_t t) {
        tasks[t]->polish(pool[t].items);
        offer(tasks[t]->best());
    });
    for (auto& task : tasks) work_ = work_ + task->work();
}

void CardSearch::run() {
    if (problem_.max_items == problem_.n_locked || problem_.table.n_literals() == 0) return;
    const CardProblem& problem = has_sample_ ? sample_ : problem_;
    if (start_.items.size() > problem_.n_locked) pool_.push_back(start_);
    for (double n_steps = kFirstSteps; !stop_; n_steps *= kMoreSteps) {
        const double before = work_;
        round(problem, pool_, n_steps);
        if (work_ >= options_.work || work_ <= before) break;
        // a round that does not fit into what is left is made shorter, or left out
        const double next = (work_ - before) * kMoreSteps, left = options_.work - work_;
        if (next > left && left < kFewestSteps / n_steps * next) break;
        if (next > left) n_steps *= left / next;
        const double enough = (problem.is_log ? 1 : kMoreForErrors) * std::max(kLeastWork, kConverged * improved_at_);
        if (work_ >= enough && std::isfinite(options_.work)) break;
    }
    if (has_sample_ && !stop_) polish_all(pool_);
}

}  // namespace imli
