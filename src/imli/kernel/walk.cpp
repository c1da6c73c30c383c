#include "walk.hpp"

#include <algorithm>
#include <cmath>

namespace imli {

namespace {

constexpr std::uint64_t kMove = 4000;  // what a move costs beside its scans, in words

bool contains(const std::vector<std::int32_t>& list, std::int32_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

Walk::Walk(const Problem& problem, std::uint64_t seed)
    : random(seed),
      problem_(problem),
      table_(problem.table),
      clauses_(problem.n_clauses),
      covers_(problem.n_clauses, Bits(problem.table.n_words)),
      open_(problem.table.n_words),
      cover_(problem.table.n_words),
      mask_(problem.table.n_words),
      sums_(problem.table.padded()),
      values_(problem.table.n_literals()),
      prices_(problem.table.n_literals()),
      counted_(problem.table.n_literals()),
      barred_(problem.table.n_literals()),
      barred_prices_(problem.table.n_literals()) {
    built_.cover.resize(table_.n_words);
}

void Walk::load(const Rule& rule) {
    otherwise_ = problem_.kind == Kind::formula ? 0 : rule.otherwise;
    std::int64_t total = problem_.constant + problem_.penalty * static_cast<std::int64_t>(problem_.always.size());
    // what the decision without clauses costs; then each clause is added with its value
    for (std::size_t w = 0; w < table_.n_words; ++w) {
        if (table_.labels[w] != otherwise_) total += std::popcount(table_.filled[w]) * table_.weights[w];
    }
    for (auto& clause : clauses_) clause = Clause{};
    for (auto& cover : covers_) std::fill(cover.begin(), cover.end(), 0);
    for (std::size_t i = 0; i < rule.clauses.size(); ++i) {
        if (!rule.clauses[i].held) continue;
        const auto& given = rule.clauses[i];
        find_open(i, given.decides);
        cover_of(given.literals, cover_);
        total -= clause_value(i, given.literals, cover_);
        clauses_[i] = given;
        covers_[i] = cover_;
    }
    cost_ = total;
}

void Walk::clear() {
    Rule empty;
    empty.clauses.resize(clauses_.size());
    if (problem_.kind != Kind::formula) empty.otherwise = static_cast<std::int32_t>(random.below(problem_.n_classes));
    load(empty);
}

bool Walk::is_allowed() const {
    const auto held = [](const Clause& clause) { return clause.held; };
    return (problem_.unused_slots || std::all_of(clauses_.begin(), clauses_.end(), held)) &&
           (problem_.every.empty() || std::any_of(clauses_.begin(), clauses_.end(), held)) && all_have_enough_rows();
}

Rule Walk::rule() const { return {clauses_, otherwise_, cost_}; }

// --- the rows where a clause matters -------------------------------------------------------------------------------

void Walk::find_open(std::size_t slot, std::int32_t decides) {
    weights_ = problem_.signed_weights[decides].data();
    const std::size_t n_words = table_.n_words;
    if (problem_.kind == Kind::set) return find_open_in_set(slot, decides);
    std::copy(table_.filled.begin(), table_.filled.end(), open_.begin());
    const std::size_t n_before = problem_.kind == Kind::formula ? clauses_.size() : slot;
    for (std::size_t i = 0; i < n_before; ++i) {
        if (i == slot || !clauses_[i].held) continue;
        for (std::size_t w = 0; w < n_words; ++w) open_[w] &= ~covers_[i][w];
    }
    if (problem_.kind == Kind::formula) return;
    // In a list: where the clause is right and what comes after it is wrong, or the reverse.
    for (std::size_t w = 0; w < n_words; ++w) mask_[w] = table_.labels[w] == otherwise_ ? ~Word{0} : Word{0};
    for (std::size_t i = clauses_.size(); i-- > slot + 1;) {
        if (!clauses_[i].held) continue;
        for (std::size_t w = 0; w < n_words; ++w) {
            const Word cover = covers_[i][w];
            mask_[w] = table_.labels[w] == clauses_[i].decides ? mask_[w] | cover : mask_[w] & ~cover;
        }
    }
    for (std::size_t w = 0; w < n_words; ++w) open_[w] &= table_.labels[w] == decides ? ~mask_[w] : mask_[w];
}

void Walk::find_open_in_set(std::size_t slot, std::int32_t decides) {
    // More votes for a class cannot turn a decision for it, nor one between others: only these rows change.
    for (std::size_t w = 0; w < table_.n_words; ++w) {
        const Word with = right_in_set(w, slot, decides, ~Word{0});
        const Word without = right_in_set(w, slot, decides, 0);
        open_[w] = (with ^ without) & table_.filled[w];
    }
}

// The rows of a word that the set decides rightly, if the clause in this slot covers those of `own`.
Word Walk::right_in_set(std::size_t w, std::size_t slot, std::int32_t decides, Word own) const {
    const std::int32_t label = table_.labels[w];
    const auto class_in = [&](std::size_t i) { return i == slot ? decides : clauses_[i].decides; };
    const auto cover_in = [&](std::size_t i) { return i == slot ? own : clauses_[i].held ? covers_[i][w] : Word{0}; };
    constexpr std::size_t kDigits = 16;
    const auto add = [](Word* digits, Word one) {  // counters of 64 rows, digit by digit
        for (std::size_t d = 0; one != 0 && d < kDigits; ++d) {
            const Word carry = digits[d] & one;
            digits[d] ^= one;
            one = carry;
        }
    };
    Word own_votes[kDigits] = {}, any = 0, spoken = 0;
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
        any |= cover_in(i);
        if (class_in(i) == label) add(own_votes, cover_in(i)), spoken |= cover_in(i);
    }
    Word right = spoken;
    for (std::int32_t rival = 0; rival < problem_.n_classes; ++rival) {
        if (rival == label) continue;
        Word votes[kDigits] = {}, rival_spoke = 0, label_spoke = 0, rival_first = 0;
        for (std::size_t i = 0; i < clauses_.size(); ++i) {
            const Word cover = cover_in(i);
            if (class_in(i) == rival) {
                add(votes, cover);
                rival_first |= cover & ~label_spoke;
                rival_spoke |= cover;
            } else if (class_in(i) == label) {
                label_spoke |= cover;
            }
        }
        if (rival_spoke == 0) continue;
        Word more = 0, equal = ~Word{0};
        for (std::size_t d = kDigits; d-- > 0;) {
            more |= equal & votes[d] & ~own_votes[d];
            equal &= ~(votes[d] ^ own_votes[d]);
        }
        right &= ~(more | (equal & rival_first));
    }
    return label == otherwise_ ? right | ~any : right;
}

void Walk::cover_of(const std::vector<std::int32_t>& literals, Bits& cover) const {
    std::copy(table_.filled.begin(), table_.filled.end(), cover.begin());
    for (const std::int32_t j : literals) table_.and_literal(j, cover.data());
}

// --- costs and constraints -----------------------------------------------------------------------------------------

// What each literal would cost if it were added to the kept ones of this clause.
const std::int64_t* Walk::prices(std::size_t slot, const std::vector<std::int32_t>& kept) {
    const auto& costs = problem_.costs_in(slot);
    if (problem_.reuse_cost == 0 && problem_.always.empty() && problem_.min_rows == 0) return costs.data();
    std::copy(costs.begin(), costs.end(), prices_.begin());
    if (problem_.reuse_cost != 0) {
        std::vector<char> elsewhere(problem_.n_columns, 0);
        for (std::size_t i = 0; i < clauses_.size(); ++i) {
            if (i == slot) continue;
            for (const std::int32_t j : clauses_[i].literals) elsewhere[problem_.columns[j]] = 1;
        }
        for (const std::int32_t j : kept) elsewhere[problem_.columns[j]] = 0;  // paid for already
        for (std::size_t j = 0; j < table_.n_literals(); ++j) {
            if (elsewhere[problem_.columns[j]]) {
                prices_[j] = problem_.reuse_cost == kForbidden ? kForbidden : prices_[j] + problem_.reuse_cost;
            }
        }
    }
    for (const auto& asked : problem_.always) {
        bool met = std::any_of(kept.begin(), kept.end(), [&](std::int32_t j) { return contains(asked, j); });
        for (std::size_t i = 0; i < clauses_.size() && !met; ++i) {
            if (i == slot) continue;
            met = std::any_of(clauses_[i].literals.begin(), clauses_[i].literals.end(),
                              [&](std::int32_t j) { return contains(asked, j); });
        }
        if (met) continue;
        for (const std::int32_t j : asked) {
            if (prices_[j] < kForbidden) prices_[j] -= problem_.penalty;
        }
    }
    return prices_.data();
}

// What the clause saves, after find_open.
std::int64_t Walk::clause_value(std::size_t slot, const std::vector<std::int32_t>& literals, const Bits& cover) {
    std::int64_t value = 0;
    for (std::size_t w = 0; w < table_.n_words; ++w) value += std::popcount(cover[w] & open_[w]) * weights_[w];
    std::vector<std::int32_t> kept;
    for (const std::int32_t j : literals) {
        value -= prices(slot, kept)[j];
        kept.push_back(j);
    }
    return value;
}

bool Walk::may_grow(std::size_t slot, std::size_t n_kept) const {
    std::size_t n = n_kept + 1;
    for (std::size_t i = 0; i < clauses_.size(); ++i) n += i == slot ? 0 : clauses_[i].literals.size();
    return n <= static_cast<std::size_t>(problem_.max_literals);
}

bool Walk::may_be_unused(std::size_t slot) const {
    if (!problem_.unused_slots) return false;
    if (problem_.every.empty()) return true;
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
        if (i != slot && clauses_[i].held) return true;
    }
    return false;
}

std::int64_t Walk::n_rows_of(const Bits& cover, std::size_t slot) const {
    std::int64_t rows = 0;
    for (std::size_t w = 0; w < table_.n_words; ++w) {
        if (table_.counts[w] == 0) continue;
        Word reached = cover[w];
        if (problem_.kind == Kind::list) {
            for (std::size_t i = 0; i < slot; ++i) {
                if (clauses_[i].held) reached &= ~covers_[i][w];
            }
        }
        rows += std::popcount(reached) * table_.counts[w];
    }
    return rows;
}

// In a list a change of one clause changes how many rows reach those after it.
bool Walk::all_have_enough_rows() const {
    if (problem_.min_rows == 0) return true;
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
        if (clauses_[i].held && n_rows_of(covers_[i], i) < problem_.min_rows) return false;
    }
    return true;
}

void Walk::forbid_thin(std::size_t slot, const Bits& cover) {
    std::copy(cover.begin(), cover.end(), mask_.begin());
    if (problem_.kind == Kind::list) {
        for (std::size_t i = 0; i < slot; ++i) {
            if (!clauses_[i].held) continue;
            for (std::size_t w = 0; w < table_.n_words; ++w) mask_[w] &= ~covers_[i][w];
        }
    }
    const std::int64_t all = sum_columns(table_.counts.data());
    total_literals(table_, sums_.data(), all, counted_.data());
    for (std::size_t j = 0; j < table_.n_literals(); ++j) {
        if (counted_[j] < problem_.min_rows) prices_[j] = kForbidden;
    }
}

// The sums of all columns over the rows of mask_; returns the weight of all of them.
std::int64_t Walk::sum_columns(const std::int64_t* weights) {
    const std::int64_t all = open_rows_.collect(mask_.data(), weights, table_.n_words);
    scan_panels(table_, open_rows_, 0, table_.n_panels(), sums_.data());
    work += open_rows_.n_words() * table_.padded() * table_.word_cost() + 4 * table_.n_words + 8 * table_.n_literals();
    return all;
}

// Fills values_: what each literal would save, added to the kept ones, and best_, the most of those. Returns what the
// kept ones save by themselves. Literals may be barred by a price of kForbidden on top.
std::int64_t Walk::value_options(std::size_t slot, const std::vector<std::int32_t>& kept, const Bits& cover,
                                 bool with_barred) {
    const std::int64_t* price = prices(slot, kept);
    if (problem_.min_rows != 0) forbid_thin(slot, cover);
    if (with_barred) {
        for (std::size_t j = 0; j < barred_.size(); ++j) barred_prices_[j] = std::max(price[j], barred_[j]);
        price = barred_prices_.data();
    }
    for (std::size_t w = 0; w < table_.n_words; ++w) mask_[w] = cover[w] & open_[w];
    const std::int64_t none = sum_columns(weights_);
    best_ = value_literals(table_, sums_.data(), none, price, values_.data());
    for (const std::int32_t j : kept) values_[j] = -kForbidden;
    // a literal that is kept already cannot be the best, unless having it is worth something in itself
    if (!problem_.slot_costs.empty()) best_ = *std::max_element(values_.begin(), values_.end());
    return none;
}

// --- moves ---------------------------------------------------------------------------------------------------------

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
    const std::int64_t none = value_options(slot, kept_, cover_, false);
    const std::int64_t now = current == kNone ? none : values_[current];
    const std::int32_t chosen = temperature > 0 ? draw(none, temperature) : cheapest(none, now, current);
    if (chosen == current) return false;
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

// The best of the options, or the current one if none is better.
std::int32_t Walk::cheapest(std::int64_t none, std::int64_t now, std::int32_t current) const {
    if (std::max(none, best_) <= now) return current;
    if (none >= best_) return kNone;
    return static_cast<std::int32_t>(std::find(values_.begin(), values_.end(), best_) - values_.begin());
}

// One of the options, with odds exp(value / temperature).
std::int32_t Walk::draw(std::int64_t none, double temperature) {
    const std::int64_t best = std::max(none, best_);
    const std::int64_t least = best - static_cast<std::int64_t>(std::min(10 * temperature, 1e17)) - 1;
    options_.clear();
    odds_.clear();
    double sum = 0;
    const auto offer = [&](std::int32_t option, std::int64_t value) {
        sum += std::exp(static_cast<float>(static_cast<double>(value - best) / temperature));
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
        to = random.below(clauses_.size());
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
    return gain >= 0 || (temperature > 0 && random.uniform() < std::exp(static_cast<double>(gain) / temperature));
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
            for (std::size_t w = 0; w < table_.n_words; ++w) mask_[w] = built_.cover[w] & open_[w];
            built_.value = weigh(mask_.data(), weights_, table_.n_words) - paid;
            break;
        }
        const std::int64_t none = value_options(slot, literals, built_.cover, true);
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
    const std::size_t slot = random.below(clauses_.size());
    if (!holds(slot) || random.uniform() < 0.2) {
        rebuild(slot, temperature, random.uniform(), random.uniform() < 0.5, random.uniform() < 0.5);
    } else {
        step(slot, random.below(n_places(slot)), temperature);
    }
    if (random.uniform() < 0.1) choose_otherwise(temperature);
}

void Walk::drop_useless() {
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
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
}

void Walk::polish(const std::atomic<bool>& stop) {
    for (std::int64_t before = cost_ + 1; cost_ < before && !stop;) {
        before = cost_;
        for (std::size_t i = 0; i < clauses_.size() && !stop; ++i) {
            for (std::size_t place = 0; clauses_[i].held && place <= clauses_[i].literals.size() && !stop; ++place) {
                step(i, place, 0);
            }
        }
        drop_useless();
        choose_otherwise(0);
    }
}

}  // namespace imli
