#include "sums.hpp"

#include <algorithm>

#include "priced_rule.hpp"
#include "threads.hpp"

namespace imli {

std::vector<Place> places_of(const Rule& rule, std::int32_t n_locked) {
    std::vector<Place> places;
    for (std::size_t i = static_cast<std::size_t>(n_locked); i < rule.clauses.size(); ++i) {
        if (!rule.clauses[i].held) continue;
        for (std::size_t place = 0; place <= rule.clauses[i].literals.size(); ++place) places.push_back({i, place});
    }
    return places;
}

Layout::Layout(const Rule& rule, std::int32_t n_locked, std::int32_t n_classes, std::size_t n_literals,
               bool with_counts)
    : places(places_of(rule, n_locked)),
      n_literals_(n_literals),
      counts_begin_(1 + static_cast<std::size_t>(n_classes)),
      places_begin_(counts_begin_ + rule.clauses.size()),
      stride_(1 + n_literals * (with_counts ? 2 : 1)) {}

namespace {

std::vector<std::int32_t> without(const std::vector<std::int32_t>& literals, std::size_t place) {
    std::vector<std::int32_t> kept = literals;
    if (place < kept.size()) kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(place));
    return kept;
}

// A rule on the rows of a part.
class Summed : public PricedRule {
   public:
    using PricedRule::PricedRule;

    // The rows that count in a place: where the clause, with nothing there, would change the decision.
    std::int64_t open_in(const Place& at, OpenRows& open) {
        const Clause& clause = clauses_[at.slot];
        cover_of(without(clause.literals, at.place), cover_);
        find_open(at.slot, clause.decides);
        for (std::size_t w = 0; w < table_.n_words; ++w) mask_[w] = cover_[w] & open_[w];
        return open.collect(mask_.data(), weights_, table_.n_words);
    }

    // The rows that the clause would have with nothing there, and how many they are.
    std::int64_t rows_in(const Place& at, OpenRows& open) {
        cover_of(without(clauses_[at.slot].literals, at.place), mask_);
        if (problem_.kind == Kind::list) {
            for (std::size_t i = 0; i < at.slot; ++i) {
                if (!clauses_[i].held) continue;
                for (std::size_t w = 0; w < table_.n_words; ++w) mask_[w] &= ~covers_[i][w];
            }
        }
        return open.collect(mask_.data(), table_.counts.data(), table_.n_words);
    }

    std::int64_t rows_of(std::size_t slot) const { return holds(slot) ? n_rows_of(covers_[slot], slot) : 0; }

    void weigh_uncovered(std::int64_t* by_class) const {
        for (std::size_t w = 0; w < table_.n_words; ++w) {
            Word left = table_.filled[w];
            for (std::size_t i = 0; i < clauses_.size(); ++i) {
                if (clauses_[i].held) left &= ~covers_[i][w];
            }
            by_class[table_.labels[w]] += std::popcount(left) * table_.weights[w];
        }
    }
};

// A rule and its prices, where no rows are at hand.
class Priced : public PricedRule {
   public:
    using PricedRule::PricedRule;

    // What the literals of a clause cost, one after the other.
    std::int64_t paid(std::size_t slot) {
        std::int64_t sum = 0;
        std::vector<std::int32_t> kept;
        for (const std::int32_t j : clauses_[slot].literals) {
            sum += prices(slot, kept)[j];
            kept.push_back(j);
        }
        return sum;
    }

    const std::int64_t* prices_in(const Place& at) { return prices(at.slot, without(clauses_[at.slot].literals, at.place)); }
    bool may_add(std::size_t slot) const { return may_grow(slot, clauses_[slot].literals.size()); }
    bool may_go(std::size_t slot) const { return may_be_unused(slot); }
};

}  // namespace

std::vector<std::int64_t> sums_of(const Problem& problem, std::int64_t constant, const Rule& rule, bool with_counts,
                                  std::size_t n_threads) {
    const Table& table = problem.table;
    const Layout layout(rule, problem.n_locked, problem.n_classes, table.n_literals(), with_counts);
    std::vector<std::int64_t> sums(layout.size(), 0);
    Summed summed(problem);
    summed.load(rule);
    sums[layout.cost()] = summed.cost() + constant;
    summed.weigh_uncovered(&sums[layout.uncovered(0)]);
    if (with_counts) {
        for (std::size_t i = 0; i < rule.clauses.size(); ++i) sums[layout.n_rows(i)] = summed.rows_of(i);
    }
    // All questions about a panel are asked while it is in the cache.
    const std::size_t n = layout.places.size() * (with_counts ? 2 : 1);
    std::vector<OpenRows> open(n);
    std::vector<std::int64_t> all(n);
    for (std::size_t q = 0; q < layout.places.size(); ++q) {
        all[q] = summed.open_in(layout.places[q], open[q]);
        sums[layout.none(q)] = all[q];
        if (with_counts) {
            const std::size_t second = layout.places.size() + q;
            all[second] = summed.rows_in(layout.places[q], open[second]);
        }
    }
    std::vector<std::vector<std::int64_t>> columns(n, std::vector<std::int64_t>(table.padded()));
    in_parallel(table.n_panels(), n_threads, [&](std::size_t p) {
        for (std::size_t q = 0; q < n; ++q) scan_panels(table, open[q], p, p + 1, columns[q].data());
    });
    for (std::size_t q = 0; q < n; ++q) {
        const bool is_second = q >= layout.places.size();
        const std::size_t to = is_second ? layout.counted(q - layout.places.size()) : layout.with(q);
        total_literals(table, columns[q].data(), all[q], &sums[to]);
    }
    return sums;
}

std::vector<Rule> better_rules(const Problem& problem, const Rule& rule, const std::int64_t* sums, std::size_t most) {
    const std::size_t n_literals = problem.table.n_literals();
    const bool with_counts = problem.min_rows != 0;
    const Layout layout(rule, problem.n_locked, problem.n_classes, n_literals, with_counts);
    Priced priced(problem);
    priced.load(rule);
    const std::int64_t cost = cost_of(problem, rule, sums);
    std::vector<Rule> found;
    const Length length(problem, rule);
    const auto offer = [&](Rule other, std::int64_t gain) {
        if (gain < 0 || (gain == 0 && Length(problem, other) >= length)) return;
        other.cost = cost - gain;
        found.push_back(std::move(other));
    };
    for (std::size_t q = 0; q < layout.places.size(); ++q) {
        const Place at = layout.places[q];
        const Clause& clause = rule.clauses[at.slot];
        const bool is_more = at.place == clause.literals.size();
        const std::int64_t none = sums[layout.none(q)];
        if (is_more && priced.may_go(at.slot)) {
            Rule other = rule;
            other.clauses[at.slot] = Clause{};
            offer(std::move(other), priced.paid(at.slot) - none);
        }
        if (is_more ? !priced.may_add(at.slot) : contains(problem.every, clause.literals[at.place])) continue;
        const std::int64_t* prices = priced.prices_in(at);
        const std::int64_t* totals = sums + layout.with(q);
        const std::int64_t* counted = with_counts ? sums + layout.counted(q) : nullptr;
        const std::int64_t now =
            is_more ? none : totals[clause.literals[at.place]] - prices[clause.literals[at.place]];
        std::int64_t best = std::numeric_limits<std::int64_t>::min();
        std::size_t chosen = n_literals;
        for (std::size_t j = 0; j < n_literals; ++j) {
            const std::int64_t value = totals[j] - prices[j];
            if (prices[j] >= kForbidden || value < best) continue;
            if (value == best && problem.lengths[j] >= problem.lengths[chosen]) continue;
            if (with_counts && counted[j] < problem.min_rows) continue;
            if (contains(clause.literals, static_cast<std::int32_t>(j))) continue;
            best = value;
            chosen = j;
        }
        Rule other = rule;
        auto& literals = other.clauses[at.slot].literals;
        if (!is_more) {
            literals.erase(literals.begin() + static_cast<std::ptrdiff_t>(at.place));
            if (!literals.empty() || !problem.needs_literals) offer(other, none - now);
        }
        if (chosen < n_literals) {
            literals.push_back(static_cast<std::int32_t>(chosen));
            offer(std::move(other), best - now);
        }
    }
    if (problem.kind != Kind::formula) {
        for (std::int32_t v = 0; v < problem.n_classes; ++v) {
            Rule other = rule;
            other.otherwise = v;
            offer(std::move(other), sums[layout.uncovered(v)] - sums[layout.uncovered(rule.otherwise)]);
        }
    }
    // the first of those that are alike, so that the outcome depends on nothing else
    std::stable_sort(found.begin(), found.end(), [&](const Rule& a, const Rule& b) {
        return a.cost != b.cost ? a.cost < b.cost : Length(problem, a) < Length(problem, b);
    });
    if (found.size() > most) found.resize(most);
    return found;
}

std::int64_t cost_of(const Problem& problem, const Rule& rule, const std::int64_t* sums) {
    Priced priced(problem);
    priced.load(rule);
    return priced.cost() + sums[0];
}

}  // namespace imli
