#include "walk.hpp"

#include <algorithm>
#include <bit>

#include "exponential.hpp"

namespace imli {

Walk::Walk(const Problem& problem, std::uint64_t seed) : PricedRule(problem), random(seed) {
    built_.cover.resize(table_.n_words);
}

void Walk::clear() {
    Rule empty;
    empty.clauses.assign(clauses_.begin(), clauses_.begin() + problem_.n_locked);
    empty.clauses.resize(clauses_.size());
    if (problem_.kind != Kind::formula) empty.otherwise = static_cast<std::int32_t>(random.below(problem_.n_classes));
    load(empty);
}

bool Walk::step(std::size_t slot, std::size_t place, double temperature) {
    work += kMove;
    Clause& clause = clauses_[slot];
    if (!clause.held) return false;
    const std::size_t n = clause.literals.size();
    if (place == n && !may_grow(slot, n)) return false;
    if (place < n && contains(problem_.every, clause.literals[place])) return false;
    kept_ = clause.literals;
    std::int32_t current = kNone;
    if (place < n) {
        current = kept_[place];
        kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(place));
        cover_of(kept_, cover_);
    } else {
        cover_ = covers_[slot];
    }
    find_open(slot, clause.decides);
    std::int64_t none = value_options(slot, kept_, cover_, false);
    const std::int64_t now = current == kNone ? none : values_[current];
    if (kept_.empty() && problem_.needs_literals) none = kImpossible;
    const std::int32_t chosen = temperature > 0 ? draw(none, temperature) : cheapest(none, now, current);
    if (chosen == current || (chosen == kNone ? none : values_[chosen]) <= kImpossible / 2) return false;
    const std::int64_t then = chosen == kNone ? none : values_[chosen];
    if (chosen != kNone) {
        kept_.push_back(chosen);
        table_.and_literal(chosen, cover_.data());
    }
    std::swap(clause.literals, kept_);
    std::swap(covers_[slot], cover_);
    if (problem_.kind == Kind::list && !all_have_enough_rows()) {
        std::swap(clause.literals, kept_);
        std::swap(covers_[slot], cover_);
        return false;
    }
    cost_ += now - then;
    return true;
}

// The best of the options; of equally good ones none, else the shortest, else the current one, else the first.
std::int32_t Walk::cheapest(std::int64_t none, std::int64_t now, std::int32_t current) const {
    const std::int64_t best = std::max(now, best_);
    if (none >= best) return kNone;
    std::int32_t chosen = now == best ? current : kNone;
    for (std::size_t j = 0; j < values_.size(); ++j) {
        if (values_[j] != best) continue;
        if (chosen == kNone || problem_.lengths[j] < problem_.lengths[chosen]) chosen = static_cast<std::int32_t>(j);
    }
    return chosen;
}

// One of the options, with odds exp(value / temperature).
std::int32_t Walk::draw(std::int64_t none, double temperature) {
    const std::int64_t best = std::max(none, best_);
    const std::int64_t least = best - static_cast<std::int64_t>(std::min(10 * temperature, 1e17)) - 1;
    options_.clear();
    odds_.clear();
    double sum = 0;
    // Few values differ on few rows, and an exponential takes far longer than a look at the last one in its place.
    known_.fill({kForbidden, 0});
    const auto offer = [&](std::int32_t option, std::int64_t value) {
        auto& [known, odds] = known_[static_cast<std::size_t>(best - value) % known_.size()];
        if (known != value) {
            known = value;
            odds = exponential(static_cast<double>(value - best) / temperature);
        }
        sum += odds;
        options_.push_back(option);
        odds_.push_back(sum);
    };
    if (none >= least) offer(kNone, none);
    for (std::size_t j = 0; j < values_.size(); ++j) {
        if (values_[j] >= least) offer(static_cast<std::int32_t>(j), values_[j]);
    }
    const double at = random.uniform() * sum;
    const auto found = std::upper_bound(odds_.begin(), odds_.end(), at);
    return options_[std::min<std::size_t>(found - odds_.begin(), options_.size() - 1)];
}

bool Walk::rebuild(std::size_t slot, double temperature, double share, bool is_greedy, bool from_a_row) {
    work += kMove;
    const Clause old = clauses_[slot];
    std::int64_t before = 0;
    if (old.held) {
        find_open(slot, old.decides);
        before = clause_value(slot, old.literals, covers_[slot]);
    }
    std::size_t to = slot;
    if (problem_.kind == Kind::list && problem_.slot_costs.empty() && random.uniform() < 0.5) {
        to = free_slot();
    }
    clauses_[slot] = Clause{};
    move_slot(slot, to);
    const auto decides =
        problem_.kind == Kind::formula ? 1 : static_cast<std::int32_t>(random.below(problem_.n_classes));
    find_open(to, decides);
    bool is_built = build(to, share, from_a_row, is_greedy ? 0 : temperature);
    std::int64_t after = is_built ? built_.value : 0;
    if (is_built && may_be_unused(to) && !passes(after, temperature)) is_built = false, after = 0;
    // a slot that must hold a clause, but was cleared, takes any
    bool accept = is_built && !old.held && !problem_.unused_slots;
    accept = accept || ((is_built || may_be_unused(to)) && passes(after - before, temperature));
    if (accept && is_built) {
        clauses_[to] = {true, decides, built_.literals};
        std::swap(covers_[to], built_.cover);
        if (problem_.kind == Kind::list && !all_have_enough_rows()) {
            std::swap(covers_[to], built_.cover);
            accept = false;
        }
    }
    if (!accept) {
        move_slot(to, slot);
        clauses_[slot] = old;
        return false;
    }
    cost_ += before - after;
    return true;
}

// Whether a gain, or a loss, is accepted by the rule of Metropolis.
bool Walk::passes(std::int64_t gain, double temperature) {
    return gain >= 0 || (temperature > 0 && random.uniform() < exponential(static_cast<double>(gain) / temperature));
}

void Walk::move_slot(std::size_t from, std::size_t to) {
    const auto turn = [&](auto& list) {
        const auto at = [&](std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
        if (from < to) std::rotate(at(from), at(from + 1), at(to + 1));
        if (to < from) std::rotate(at(to), at(from), at(from + 1));
    };
    turn(clauses_);
    turn(covers_);
}

// From the literals that must be there, one by one of those that may; after find_open.
bool Walk::build(std::size_t slot, double share, bool from_a_row, double temperature) {
    const std::size_t seed_row = from_a_row ? row_to_cover() : kNoRow;
    for (std::size_t j = 0; j < table_.n_literals(); ++j) {
        const bool is_allowed = (share >= 1 || random.uniform() < share) &&
                                (seed_row == kNoRow || table_.holds(j, seed_row));
        barred_[j] = is_allowed ? -kForbidden : kForbidden;
    }
    auto& literals = built_.literals;
    literals.clear();
    std::int64_t paid = 0;
    for (const std::int32_t j : problem_.every) {
        if (!may_grow(slot, literals.size())) return false;
        paid += prices(slot, literals)[j];
        literals.push_back(j);
    }
    cover_of(literals, built_.cover);
    if (problem_.min_rows != 0 && n_rows_of(built_.cover, slot) < problem_.min_rows) return false;
    for (;;) {
        if (!may_grow(slot, literals.size())) {
            if (literals.empty() && problem_.needs_literals) return false;
            for (std::size_t w = 0; w < table_.n_words; ++w) mask_[w] = built_.cover[w] & open_[w];
            built_.value = weigh(mask_.data(), weights_, table_.n_words) - paid;
            break;
        }
        std::int64_t none = value_options(slot, literals, built_.cover, true);
        if (literals.empty() && problem_.needs_literals) none = kImpossible;
        if (std::max(none, best_) <= kImpossible / 2) return false;
        const std::int32_t chosen = temperature > 0 ? draw(none, temperature) : cheapest(none, none, kNone);
        if (chosen == kNone) {
            built_.value = none - paid;
            break;
        }
        paid += prices(slot, literals)[chosen];
        literals.push_back(chosen);
        table_.and_literal(chosen, built_.cover.data());
    }
    return true;
}

// A row that the clause should cover, and that no other one decides rightly; after find_open.
std::size_t Walk::row_to_cover() {
    std::int64_t n = 0;
    for (std::size_t w = 0; w < table_.n_words; ++w) n += weights_[w] > 0 ? std::popcount(open_[w]) : 0;
    if (n == 0) return kNoRow;
    auto at = static_cast<std::int64_t>(random.below(static_cast<std::size_t>(n)));
    for (std::size_t w = 0; w < table_.n_words; ++w) {
        if (weights_[w] <= 0) continue;
        const int here = std::popcount(open_[w]);
        if (at >= here) {
            at -= here;
            continue;
        }
        Word bits = open_[w];
        while (at-- > 0) bits &= bits - 1;
        return w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    }
    return kNoRow;
}

void Walk::choose_otherwise(double temperature) {
    if (problem_.kind == Kind::formula) return;
    work += kMove + table_.n_words * clauses_.size();
    std::vector<std::int64_t> weight(problem_.n_classes, 0);
    for (std::size_t w = 0; w < table_.n_words; ++w) {
        Word left = table_.filled[w];
        for (std::size_t i = 0; i < clauses_.size(); ++i) {
            if (clauses_[i].held) left &= ~covers_[i][w];
        }
        weight[table_.labels[w]] += std::popcount(left) * table_.weights[w];
    }
    auto chosen = static_cast<std::int32_t>(std::max_element(weight.begin(), weight.end()) - weight.begin());
    if (temperature > 0) {
        chosen = static_cast<std::int32_t>(random.below(weight.size()));
        if (!passes(weight[chosen] - weight[otherwise_], temperature)) return;
    }
    if (temperature > 0 || weight[chosen] > weight[otherwise_]) {
        cost_ -= weight[chosen] - weight[otherwise_];
        otherwise_ = chosen;
    }
}

void Walk::wander(double temperature) {
    if (problem_.n_free() > 0) {
        const std::size_t slot = free_slot();
        if (!holds(slot) || random.uniform() < 0.2) {
            const bool from_a_row = random.uniform() < 0.5;
            const bool is_greedy = random.uniform() < 0.5;
            const double share = random.uniform();
            rebuild(slot, temperature, share, is_greedy, from_a_row);
        } else {
            step(slot, random.below(n_places(slot)), temperature);
        }
    }
    if (random.uniform() < 0.1) choose_otherwise(temperature);
}

void Walk::drop_useless() {
    for (std::size_t i = problem_.n_locked; i < clauses_.size(); ++i) {
        if (!clauses_[i].held || !may_be_unused(i)) continue;
        find_open(i, clauses_[i].decides);
        const std::int64_t value = clause_value(i, clauses_[i].literals, covers_[i]);
        if (value > 0) continue;
        const Clause old = clauses_[i];
        clauses_[i] = Clause{};
        if (problem_.kind == Kind::list && !all_have_enough_rows()) {
            clauses_[i] = old;
        } else {
            cost_ += value;
        }
    }
    if (problem_.kind == Kind::list) drop_last();
}

// A last clause of a list that covers all rows is the decision where no clause covers.
void Walk::drop_last() {
    for (std::size_t i = clauses_.size(); i-- > static_cast<std::size_t>(problem_.n_locked);) {
        if (!clauses_[i].held) continue;
        if (!clauses_[i].literals.empty() || !may_be_unused(i)) return;
        otherwise_ = clauses_[i].decides;
        clauses_[i] = Clause{};
        return;
    }
}

void Walk::polish(const std::atomic<bool>& stop) {
    for (std::int64_t before = cost_ + 1; cost_ < before && !stop;) {
        before = cost_;
        for (std::size_t i = problem_.n_locked; i < clauses_.size() && !stop; ++i) {
            for (std::size_t place = 0; clauses_[i].held && place <= clauses_[i].literals.size() && !stop; ++place) {
                step(i, place, 0);
            }
        }
        drop_useless();
        choose_otherwise(0);
    }
}

}  // namespace imli
