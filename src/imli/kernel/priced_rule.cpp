#include "priced_rule.hpp"

#include <algorithm>

namespace imli {

PricedRule::PricedRule(const Problem& problem)
    : problem_(problem),
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
      barred_prices_(problem.table.n_literals()) {}

void PricedRule::load(const Rule& rule) {
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

bool PricedRule::is_allowed() const {
    const auto held = [](const Clause& clause) { return clause.held; };
    return (problem_.unused_slots || std::all_of(clauses_.begin(), clauses_.end(), held)) &&
           (problem_.every.empty() || std::any_of(clauses_.begin(), clauses_.end(), held)) && all_have_enough_rows();
}

Rule PricedRule::rule() const { return {clauses_, otherwise_, cost_}; }

// --- the rows where a clause matters -------------------------------------------------------------------------------

void PricedRule::find_open(std::size_t slot, std::int32_t decides) {
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

void PricedRule::find_open_in_set(std::size_t slot, std::int32_t decides) {
    // More votes for a class cannot turn a decision for it, nor one between others: only these rows change.
    for (std::size_t w = 0; w < table_.n_words; ++w) {
        const Word with = right_in_set(w, slot, decides, ~Word{0});
        const Word without = right_in_set(w, slot, decides, 0);
        open_[w] = (with ^ without) & table_.filled[w];
    }
}

// The rows of a word that the set decides rightly, if the clause in this slot covers those of `own`.
Word PricedRule::right_in_set(std::size_t w, std::size_t slot, std::int32_t decides, Word own) const {
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

void PricedRule::cover_of(const std::vector<std::int32_t>& literals, Bits& cover) const {
    std::copy(table_.filled.begin(), table_.filled.end(), cover.begin());
    for (const std::int32_t j : literals) table_.and_literal(j, cover.data());
}

// --- costs and constraints -----------------------------------------------------------------------------------------

const std::int64_t* PricedRule::prices(std::size_t slot, const std::vector<std::int32_t>& kept) {
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

std::int64_t PricedRule::clause_value(std::size_t slot, const std::vector<std::int32_t>& literals, const Bits& cover) {
    std::int64_t value = 0;
    for (std::size_t w = 0; w < table_.n_words; ++w) value += std::popcount(cover[w] & open_[w]) * weights_[w];
    std::vector<std::int32_t> kept;
    for (const std::int32_t j : literals) {
        value -= prices(slot, kept)[j];
        kept.push_back(j);
    }
    return value;
}

bool PricedRule::may_grow(std::size_t slot, std::size_t n_kept) const {
    std::size_t n = n_kept + 1;
    for (std::size_t i = 0; i < clauses_.size(); ++i) n += i == slot ? 0 : clauses_[i].literals.size();
    return n <= static_cast<std::size_t>(problem_.max_literals);
}

bool PricedRule::may_be_unused(std::size_t slot) const {
    if (!problem_.unused_slots) return false;
    if (problem_.every.empty()) return true;
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
        if (i != slot && clauses_[i].held) return true;
    }
    return false;
}

std::int64_t PricedRule::n_rows_of(const Bits& cover, std::size_t slot) const {
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

// In a list a change of one clause changes how many rows reach those after it. Locked clauses stand first, so they keep
// their rows; whoever locked them has seen that these are enough, though those in a sample may not be.
bool PricedRule::all_have_enough_rows() const {
    if (problem_.min_rows == 0) return true;
    for (std::size_t i = problem_.n_locked; i < clauses_.size(); ++i) {
        if (clauses_[i].held && n_rows_of(covers_[i], i) < problem_.min_rows) return false;
    }
    return true;
}

void PricedRule::forbid_thin(std::size_t slot, const Bits& cover) {
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
std::int64_t PricedRule::sum_columns(const std::int64_t* weights) {
    const std::int64_t all = open_rows_.collect(mask_.data(), weights, table_.n_words);
    scan_panels(table_, open_rows_, 0, table_.n_panels(), sums_.data());
    work += open_rows_.n_words() * table_.padded() * table_.word_cost() + 4 * table_.n_words + 8 * table_.n_literals();
    return all;
}

std::int64_t PricedRule::value_options(std::size_t slot, const std::vector<std::int32_t>& kept, const Bits& cover,
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

}  // namespace imli
