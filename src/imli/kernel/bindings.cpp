// The one file that knows Python. All work is done without the interpreter's lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include "columns.hpp"
#include "core.hpp"
#include "problem.hpp"
#include "rows.hpp"
#include "scan.hpp"
#include "score.hpp"
#include "search.hpp"
#include "sums.hpp"
#include "threads.hpp"
#include "transpose.hpp"
#include "walk.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace imli {
namespace {

template <class T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutBits = nb::ndarray<Word, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// held, class, literals
using PlainClause = std::tuple<bool, std::int32_t, std::vector<std::int32_t>>;
using PlainItem = std::pair<std::vector<std::int32_t>, std::int32_t>;  // literals, points
using PlainRule = std::tuple<std::vector<PlainClause>, std::int32_t, std::int64_t>;  // clauses, otherwise, cost

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

constexpr std::int64_t kMostUnits = std::int64_t{1} << 62;  // of all together, so that no sum overflows

// Units of rows or costs, of which negative ones have a meaning of their own.
template <class Units>
void require_summable(const Units& begin, std::size_t n) {
    std::int64_t left = kMostUnits;
    for (std::size_t i = 0; i < n; ++i) {
        require(begin[i] <= left, "units that are too many to add up");
        left -= std::max<std::int64_t>(0, begin[i]);
    }
}

void require_literals(const std::vector<std::int32_t>& literals, std::size_t n_literals) {
    for (const auto j : literals) require(j >= 0 && static_cast<std::size_t>(j) < n_literals, "an unknown literal");
}

template <class T, class Room>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T, Room> values) {
    auto* kept = new std::vector<T, Room>(std::move(values));
    const nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::vector<T, Room>*>(memory); });
    return {kept->data(), {kept->size()}, owner};
}

template <class T, class Room>
nb::ndarray<nb::numpy, T, nb::ndim<2>> to_numpy(std::vector<T, Room> values, std::size_t n_rows,
                                                std::size_t n_columns) {
    auto* kept = new std::vector<T, Room>(std::move(values));
    const nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::vector<T, Room>*>(memory); });
    return {kept->data(), {n_rows, n_columns}, owner};
}

Accepts checked_accepts(const Matrix<bool>& accepts, std::size_t n_kinds, const OutBits& out, std::size_t n_rows) {
    require(accepts.shape(0) == n_kinds, "a row of accepts for each kind of cell");
    require(out.shape(0) == accepts.shape(1) && out.shape(1) == words_for(n_rows), "a row of words for each literal");
    return {accepts.data(), n_kinds, accepts.shape(1)};
}

template <class Number>
void pack_numbers(Array<Number> values, Array<bool> missing, Array<Number> cuts, Matrix<bool> accepts, OutBits out,
                  std::size_t n_threads) {
    require(missing.size() == values.size(), "missing must be as long as values");
    const Accepts checked = checked_accepts(accepts, 2 * cuts.size() + 2, out, values.size());
    const Numbers<Number> cells{values.data(), missing.data(), cuts.data(), cuts.size()};
    nb::gil_scoped_release release;
    pack(cells, values.size(), checked, out.data(), out.shape(1), n_threads);
}

template <class Number>
nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> count_numbers(Array<Number> values, Array<bool> missing,
                                                                Array<Number> cuts) {
    require(missing.size() == values.size(), "missing must be as long as values");
    std::vector<std::int64_t> n_of_kind(2 * cuts.size() + 2, 0);
    const Numbers<Number> cells{values.data(), missing.data(), cuts.data(), cuts.size()};
    {
        nb::gil_scoped_release release;
        count(cells, values.size(), n_of_kind.size(), n_of_kind.data());
    }
    return to_numpy(std::move(n_of_kind));
}

Codes checked_codes(const Array<std::int32_t>& values, const Array<bool>& missing, std::size_t n_kinds) {
    require(missing.size() == values.size(), "missing must be as long as values");
    for (std::size_t r = 0; r < values.size(); ++r) {
        const std::int32_t code = values.data()[r];
        require(missing.data()[r] || (code >= 0 && static_cast<std::size_t>(code) + 1 < n_kinds),
                "a code that is no kind of cell");
    }
    return {values.data(), missing.data()};
}

nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> count_codes(Array<std::int32_t> values, Array<bool> missing,
                                                              std::size_t n_kinds) {
    const Codes cells = checked_codes(values, missing, n_kinds);
    std::vector<std::int64_t> n_of_kind(n_kinds, 0);
    {
        nb::gil_scoped_release release;
        count(cells, values.size(), n_kinds, n_of_kind.data());
    }
    return to_numpy(std::move(n_of_kind));
}

void pack_codes(Array<std::int32_t> values, Array<bool> missing, Matrix<bool> accepts, OutBits out,
                std::size_t n_threads) {
    const Codes cells = checked_codes(values, missing, accepts.shape(0));
    const Accepts checked = checked_accepts(accepts, accepts.shape(0), out, values.size());
    nb::gil_scoped_release release;
    pack(cells, values.size(), checked, out.data(), out.shape(1), n_threads);
}

// Groups of numbers in ascending order: the least and the largest of each, and how many they are. Each number is a group
// of its own, or where these are too many, those that differ only in so many last bits are one.
template <class Number>
auto group_sorted(Array<Number> ordered, std::size_t most) {
    const std::size_t n = ordered.size();
    const Number* numbers = ordered.data();
    const auto bits_of = [](Number number) {  // in the order of the numbers, as floats
        const auto bits = std::bit_cast<std::int64_t>(static_cast<double>(number) + 0.0);
        return bits < 0 ? std::int64_t{-1} ^ (bits & std::numeric_limits<std::int64_t>::max()) : bits;
    };
    std::vector<Number> low, high;
    std::vector<std::int64_t> counts;
    int level = 0;
    {
        nb::gil_scoped_release release;
        std::size_t n_distinct = n > 0, n_apart[65] = {};  // by the number of bits that differ from the one before
        for (std::size_t i = 1; i < n; ++i) {
            if (numbers[i] == numbers[i - 1]) continue;
            ++n_distinct;
            ++n_apart[std::bit_width(static_cast<std::uint64_t>(bits_of(numbers[i]) ^ bits_of(numbers[i - 1])))];
        }
        if (n_distinct > most) {
            std::size_t n_groups = 1;
            for (level = 64; level > 0 && n_groups + n_apart[level] <= most; --level) n_groups += n_apart[level];
            level = std::max(level, 1);
        }
        for (std::size_t i = 0; i < n; ++i) {
            const bool is_new = i == 0 || (level == 0 ? numbers[i] != numbers[i - 1]
                                           : numbers[i] != numbers[i - 1] && level < 64 &&
                                                 bits_of(numbers[i]) >> level != bits_of(numbers[i - 1]) >> level);
            if (is_new) {
                low.push_back(numbers[i]);
                high.push_back(numbers[i]);
                counts.push_back(0);
            }
            if (numbers[i] != high.back()) high.back() = numbers[i];
            ++counts.back();
        }
    }
    return std::make_tuple(to_numpy(std::move(low)), to_numpy(std::move(high)), to_numpy(std::move(counts)), level);
}

// The bits of rows, one row after the other, as columns of words.
void pack_keys(Matrix<Word> keys, OutBits out) {
    const std::size_t n_rows = keys.shape(0), n_literals = out.shape(0), n_words = out.shape(1);
    require(n_words == words_for(n_rows), "words for each row");
    require(words_for(n_literals) <= keys.shape(1), "a bit for each literal");
    nb::gil_scoped_release release;
    for (std::size_t w = 0; w < n_words; ++w) {
        const std::size_t n_here = std::min<std::size_t>(64, n_rows - w * 64);
        for (std::size_t part = 0; part < words_for(n_literals); ++part) {
            Word block[64] = {};
            for (std::size_t r = 0; r < n_here; ++r) block[r] = keys.data()[(w * 64 + r) * keys.shape(1) + part];
            transpose(block);
            const std::size_t n_columns = std::min<std::size_t>(64, n_literals - part * 64);
            for (std::size_t c = 0; c < n_columns; ++c) out.data()[(part * 64 + c) * n_words + w] = block[c];
        }
    }
}

Columns checked_rows(const Matrix<Word>& words, const Array<std::int32_t>& labels, const Array<std::int64_t>& weights,
                     std::int32_t n_classes, bool complemented) {
    require(labels.size() == weights.size(), "a weight for each label");
    require(words.shape(1) == words_for(labels.size()), "words for each row");
    require_summable(weights.data(), weights.size());
    for (std::size_t r = 0; r < labels.size(); ++r) {
        require(labels.data()[r] >= 0 && labels.data()[r] < n_classes, "a label that is no class");
    }
    return {words.data(), labels.size(), words.shape(0), words.shape(1), complemented};
}

void make_rows(Rows* self, Matrix<Word> words, Array<std::int32_t> labels, Array<std::int64_t> weights,
               std::int32_t n_classes, bool complemented, std::optional<Array<std::int64_t>> counts,
               std::size_t n_threads, bool apart) {
    const Columns columns = checked_rows(words, labels, weights, n_classes, complemented);
    require(!counts || counts->size() == labels.size(), "a count for each label");
    const std::int64_t* counted = counts ? counts->data() : nullptr;
    nb::gil_scoped_release release;
    new (self) Rows(columns, labels.data(), weights.data(), n_classes, counted, n_threads, apart);
}

Rule to_rule(const std::vector<PlainClause>& clauses, std::int32_t otherwise, const Problem& problem, std::size_t n_literals) {
    require(clauses.size() == static_cast<std::size_t>(problem.n_clauses), "a clause for each slot");
    require(otherwise >= 0 && otherwise < problem.n_classes, "a default that is no class");
    Rule rule;
    for (const auto& [held, decides, literals] : clauses) {
        require(decides >= 0 && decides < problem.n_classes, "a clause for no class");
        for (const auto j : literals) {
            require(j >= 0 && j < static_cast<std::int32_t>(n_literals), "an unknown literal");
        }
        rule.clauses.push_back({held, decides, literals});
    }
    for (std::int32_t i = 0; i < problem.n_locked; ++i) require(rule.clauses[i].held, "a locked clause is not held");
    rule.otherwise = otherwise;
    return rule;
}

Rule to_rule(const std::vector<PlainClause>& clauses, std::int32_t otherwise, const Problem& problem) {
    return to_rule(clauses, otherwise, problem, problem.table.n_literals());
}

PlainRule to_plain(const Rule& rule) {
    std::vector<PlainClause> clauses;
    for (const auto& clause : rule.clauses) clauses.emplace_back(clause.held, clause.decides, clause.literals);
    return {std::move(clauses), rule.otherwise, rule.cost};
}

Kind to_kind(const std::string& kind) {
    return kind == "list" ? Kind::list : kind == "set" ? Kind::set : Kind::formula;
}

// What is asked, apart from the rows that it is asked about.
struct Question {
    Problem problem;  // without a table
    std::size_t n_literals = 0;
};

// By literal; -1 is never.
std::vector<std::int64_t> priced(const Array<std::int64_t>& costs) {
    std::vector<std::int64_t> prices(costs.data(), costs.data() + costs.size());
    for (auto& price : prices) price = price < 0 ? kForbidden : price;
    return prices;
}

void make_question(Question* self, const std::string& kind, std::int32_t n_clauses, std::int32_t n_locked,
                   std::int32_t n_classes, Array<std::int64_t> costs, Array<std::int32_t> columns,
                   Array<std::int32_t> lengths,
                   std::vector<std::vector<std::int64_t>> near, std::int64_t near_cost,
                   std::vector<std::vector<std::int32_t>> always, std::vector<std::int32_t> every,
                   std::int64_t reuse_cost, bool disjoint, std::int64_t max_literals, std::int64_t min_rows,
                   bool unused_slots, bool needs_literals) {
    require(n_locked >= 0 && n_locked <= n_clauses, "more clauses locked than there are");
    require(columns.size() == costs.size(), "a column for each literal");
    require(lengths.size() == costs.size(), "a length for each literal");
    const std::size_t n_literals = costs.size();
    require(n_classes > 0, "a class at least");
    require(near.empty() || near.size() == static_cast<std::size_t>(n_clauses), "costs for each slot");
    for (const auto& by_slot : near) require(by_slot.size() == n_literals, "a cost for each literal in each slot");
    for (const auto& some : always) require_literals(some, n_literals);
    require_literals(every, n_literals);
    require_summable(costs.data(), n_literals);
    require(reuse_cost >= 0 && reuse_cost <= kMostUnits, "a cost of use that is none");
    for (std::size_t j = 0; j < n_literals; ++j) {
        const auto column = columns.data()[j];
        require(column >= 0 && static_cast<std::size_t>(column) < n_literals, "a column that is none");
    }
    Problem problem;
    problem.kind = to_kind(kind);
    problem.n_clauses = n_clauses;
    problem.n_locked = n_locked;
    problem.n_classes = n_classes;
    problem.costs = priced(costs);
    problem.columns.assign(columns.data(), columns.data() + columns.size());
    problem.lengths.assign(lengths.data(), lengths.data() + lengths.size());
    problem.n_columns = 0;
    for (const auto column : problem.columns) problem.n_columns = std::max(problem.n_columns, column + 1);
    problem.slot_costs = std::move(near);
    for (auto& by_slot : problem.slot_costs) {
        for (std::size_t j = 0; j < by_slot.size(); ++j) {
            if (problem.costs[j] == kForbidden) by_slot[j] = kForbidden;
        }
    }
    problem.constant = near_cost;
    problem.always = std::move(always);
    problem.every = std::move(every);
    problem.reuse_cost = disjoint ? kForbidden : reuse_cost;
    if (max_literals >= 0) problem.max_literals = static_cast<std::int32_t>(max_literals);
    problem.min_rows = min_rows;
    problem.unused_slots = unused_slots;
    problem.needs_literals = needs_literals;
    new (self) Question{std::move(problem), costs.size()};
}

// The same about rows that are elsewhere, and of which only sums are known.
Problem from_afar(const Question& question, std::int64_t weight) {
    Problem problem = question.problem;
    problem.table.columns.resize(question.n_literals);
    problem.table.turned.resize(question.n_literals);
    problem.prepare();
    problem.penalty = std::min(problem.penalty + weight, std::int64_t{1} << 56);
    return problem;
}

// A part of the rows, whose sums add up with those of others.
class Part {
   public:
    Part(const Rows& rows, std::int32_t n_classes, std::size_t n_threads) : constant_(rows.constant()) {
        problem_.table = rows.table(rows.size(), 1, n_threads);
        problem_.table.flat = Bits();  // a few sums do not pay for the room that it takes
        prepare(n_classes);
    }

    // From what arrays() gave; the panels stay where they are.
    Part(Array<std::uint32_t> columns, Array<std::int64_t> turned, std::size_t n_columns, Array<Word> filled,
         Array<std::int64_t> weights, Array<std::int32_t> labels, Array<std::int64_t> counts, std::int64_t constant,
         std::int32_t n_classes, Array<Word> panels)
        : constant_(constant), panels_(panels) {
        Table& table = problem_.table;
        table.n_words = filled.size();
        table.n_columns = n_columns;
        require(turned.size() == columns.size(), "a side for each literal");
        require(weights.size() == table.n_words && labels.size() == table.n_words && counts.size() == table.n_words,
                "a weight, a label and a count for each word");
        require(panels.size() == table.padded() * table.n_words, "panels for all words");
        require(reinterpret_cast<std::uintptr_t>(panels.data()) % 64 == 0, "panels that are not aligned");
        for (std::size_t j = 0; j < columns.size(); ++j) require(columns.data()[j] < n_columns, "an unknown column");
        for (std::size_t w = 0; w < table.n_words; ++w) {
            require(labels.data()[w] >= 0 && labels.data()[w] < n_classes, "a label that is no class");
        }
        table.columns.assign(columns.data(), columns.data() + columns.size());
        table.turned.assign(turned.data(), turned.data() + turned.size());
        table.filled.assign(filled.data(), filled.data() + filled.size());
        table.weights.assign(weights.data(), weights.data() + weights.size());
        table.labels.assign(labels.data(), labels.data() + labels.size());
        table.counts.assign(counts.data(), counts.data() + counts.size());
        table.borrowed = panels.data();
        prepare(n_classes);
    }

    auto arrays() const {
        const Table& table = problem_.table;
        const auto copied = [](const auto& values) {
            return to_numpy(std::vector<typename std::decay_t<decltype(values)>::value_type>(values.begin(), values.end()));
        };
        std::vector<Word> panels(table.panel(0), table.panel(table.n_panels()));
        return std::make_tuple(copied(table.columns), copied(table.turned), table.n_columns, copied(table.filled),
                              copied(table.weights), copied(table.labels), copied(table.counts), constant_,
                              problem_.n_classes, to_numpy(std::move(panels)));
    }

    nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> sums(const std::string& kind, std::int32_t n_locked,
                                                           bool with_counts, const std::vector<PlainClause>& clauses,
                                                           std::int32_t otherwise, bool with_places,
                                                           std::size_t n_threads) {
        Problem& problem = problem_;
        require(n_locked >= 0 && static_cast<std::size_t>(n_locked) <= clauses.size(), "more clauses locked than there are");
        problem.kind = to_kind(kind);
        problem.n_locked = n_locked;
        problem.n_clauses = static_cast<std::int32_t>(clauses.size());
        const Rule rule = to_rule(clauses, otherwise, problem);
        if (!with_places) problem.n_locked = problem.n_clauses;
        std::vector<std::int64_t> found;
        {
            nb::gil_scoped_release release;
            found = sums_of(problem, constant_, rule, with_counts, n_threads);
        }
        return to_numpy(std::move(found));
    }

    // For each literal the weight of the rows where it and the given ones hold: + if of the class, − if not.
    nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> totals(const std::vector<std::int32_t>& literals,
                                                             std::int32_t decides, std::size_t n_threads) {
        const Table& table = problem_.table;
        require_literals(literals, table.n_literals());
        require(decides >= 0 && decides < problem_.n_classes, "a class that is none");
        std::vector<std::int64_t> sums(table.padded()), totals(table.n_literals());
        {
            nb::gil_scoped_release release;
            Bits cover = table.filled;
            for (const auto j : literals) table.and_literal(static_cast<std::size_t>(j), cover.data());
            OpenRows open;
            const auto& weights = problem_.signed_weights.at(decides);
            const std::int64_t all = open.collect(cover.data(), weights.data(), table.n_words);
            in_parallel(table.n_panels(), n_threads,
                        [&](std::size_t p) { scan_panels(table, open, p, p + 1, sums.data()); });
            total_literals(table, sums.data(), all, totals.data());
        }
        return to_numpy(std::move(totals));
    }

    // The units of each class by total, from the least to the most, of items with points.
    nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> by_total(const std::vector<PlainItem>& items) {
        const Table& table = problem_.table;
        std::int64_t low = 0, high = 0;
        for (const auto& [literals, points] : items) {
            require(std::abs(points) <= 1'000'000, "too many points");
            for (const auto j : literals) {
                require(j >= 0 && j < static_cast<std::int32_t>(table.n_literals()), "an unknown literal");
            }
            (points < 0 ? low : high) += points;
        }
        const auto n_classes = static_cast<std::size_t>(problem_.n_classes);
        std::vector<std::int64_t> found(static_cast<std::size_t>(high - low + 1) * n_classes, 0);
        {
            nb::gil_scoped_release release;
            std::vector<std::int64_t> totals(table.n_words * 64, -low);
            for (const auto& [literals, points] : items) {
                Bits cover = table.filled;
                for (const auto j : literals) table.and_literal(static_cast<std::size_t>(j), cover.data());
                for (std::size_t w = 0; w < table.n_words; ++w) {
                    for (Word left = cover[w]; left != 0; left &= left - 1) {
                        totals[w * 64 + static_cast<std::size_t>(std::countr_zero(left))] += points;
                    }
                }
            }
            for (std::size_t w = 0; w < table.n_words; ++w) {
                for (Word left = table.filled[w]; left != 0; left &= left - 1) {
                    const auto total = totals[w * 64 + static_cast<std::size_t>(std::countr_zero(left))];
                    found[static_cast<std::size_t>(total) * n_classes + static_cast<std::size_t>(table.labels[w])] +=
                        table.weights[w];
                }
            }
        }
        return to_numpy(std::move(found));
    }

    // The number of rows that each item covers.
    std::vector<std::int64_t> n_covered(const std::vector<PlainItem>& items) {
        const Table& table = problem_.table;
        std::vector<std::int64_t> found;
        for (const auto& [literals, points] : items) {
            Bits cover = table.filled;
            for (const auto j : literals) table.and_literal(static_cast<std::size_t>(j), cover.data());
            found.push_back(weigh(cover.data(), table.counts.data(), table.n_words));
        }
        return found;
    }

    std::size_t n_words() const { return problem_.table.n_words; }
    std::size_t n_bytes() const { return problem_.table.padded() * problem_.table.n_words * sizeof(Word); }

   private:
    void prepare(std::int32_t n_classes) {
        problem_.n_classes = n_classes;
        problem_.costs.assign(problem_.table.n_literals(), 0);
        problem_.columns.assign(problem_.table.n_literals(), 0);
        problem_.n_columns = 1;
        problem_.prepare();
    }

    Problem problem_;
    std::int64_t constant_;
    std::optional<Array<Word>> panels_;  // kept as long as they are looked at
};

void make_card_search(CardSearch* self, const Rows& rows, Array<std::int64_t> costs, Array<std::int32_t> signs,
                      Array<std::int32_t> columns, Array<std::int32_t> lengths,
                      std::vector<std::vector<std::int32_t>> barred, std::vector<std::vector<std::int32_t>> always,
                      std::int64_t reuse_cost, bool disjoint,
                      std::int64_t max_literals, std::int64_t min_rows, std::size_t max_items, std::size_t n_locked,
                      std::size_t item_literals, std::int32_t max_points, bool only_ones, bool is_log, double ridge,
                      const std::vector<PlainItem>& start, std::uint64_t seed, double work, std::size_t n_threads,
                      std::int64_t unit) {
    const std::size_t n = rows.n_literals();
    require(costs.size() == n && signs.size() == n && columns.size() == n && lengths.size() == n,
            "a cost, a sign, a column and a length for each literal");
    require(n_locked <= start.size() && start.size() <= max_items, "more items than there may be");
    CardProblem problem;
    problem.costs = priced(costs);
    problem.signs.assign(signs.data(), signs.data() + n);
    problem.columns.assign(columns.data(), columns.data() + n);
    problem.lengths.assign(lengths.data(), lengths.data() + n);
    require(barred.size() == n, "literals that are barred beside each literal");
    for (const auto* sets : {&always, &barred}) {
        for (const auto& set : *sets) {
            for (const auto j : set) require(j >= 0 && static_cast<std::size_t>(j) < n, "an unknown literal");
        }
    }
    problem.barred = std::move(barred);
    problem.always = std::move(always);
    problem.reuse_cost = disjoint ? kForbidden : reuse_cost;
    if (max_literals >= 0) problem.max_literals = static_cast<std::size_t>(max_literals);
    problem.min_rows = min_rows;
    problem.max_items = max_items;
    problem.n_locked = n_locked;
    problem.item_literals = item_literals;
    problem.max_points = max_points;
    problem.only_ones = only_ones;
    problem.is_log = is_log;
    problem.ridge = ridge;
    problem.unit = static_cast<double>(unit);
    Options options;
    options.seed = seed;
    options.work = work;
    options.n_threads = n_threads;
    options.unit = problem.unit;
    std::vector<Item> items;
    for (const auto& [literals, points] : start) {
        for (const auto j : literals) require(j >= 0 && static_cast<std::size_t>(j) < n, "an unknown literal");
        items.push_back({literals, points});
    }
    nb::gil_scoped_release release;
    new (self) CardSearch(rows, std::move(problem), options);
    self->start_from(std::move(items));
}

auto to_plain(const Card& card) {
    std::vector<PlainItem> items;
    for (const Item& item : card.items) items.emplace_back(item.literals, item.points);
    return std::make_pair(std::move(items), card.cost);
}

}  // namespace
}  // namespace imli

NB_MODULE(_kernel, module) {
    using namespace imli;
    module.doc() = "Counting in bits, and the search that rests on it.";

    module.def("pack_numbers", &pack_numbers<double>, "values"_a, "missing"_a, "cuts"_a, "accepts"_a, "out"_a,
               "n_threads"_a = 1);
    module.def("pack_numbers", &pack_numbers<std::int64_t>, "values"_a, "missing"_a, "cuts"_a, "accepts"_a, "out"_a,
               "n_threads"_a = 1);
    module.def("count_numbers", &count_numbers<double>, "values"_a, "missing"_a, "cuts"_a);
    module.def("count_numbers", &count_numbers<std::int64_t>, "values"_a, "missing"_a, "cuts"_a);
    module.def("count_codes", &count_codes, "values"_a, "missing"_a, "n_kinds"_a);
    module.def("pack_codes", &pack_codes, "values"_a, "missing"_a, "accepts"_a, "out"_a, "n_threads"_a = 1);

    module.def("group_sorted", &group_sorted<double>, "ordered"_a, "most"_a);
    module.def("group_sorted", &group_sorted<std::int64_t>, "ordered"_a, "most"_a);
    module.def("pack_keys", &pack_keys, "keys"_a, "out"_a);

    nb::class_<Rows>(module, "Rows")
        .def("__init__", &make_rows, "words"_a, "labels"_a, "weights"_a, "n_classes"_a, "complemented"_a,
             "counts"_a.none() = nb::none(), "n_threads"_a = 1, "apart"_a = false,
             "Counts are of the rows that each stands for, where that matters. Apart keeps what equal rows of several "
             "classes weigh.")
        .def_prop_ro("unavoidable", &Rows::unavoidable)
        .def_prop_ro("n_distinct", &Rows::size);

    nb::class_<Part>(module, "Part")
        .def(nb::init<const Rows&, std::int32_t, std::size_t>(), "rows"_a, "n_classes"_a, "n_threads"_a = 1)
        .def(nb::init<Array<std::uint32_t>, Array<std::int64_t>, std::size_t, Array<Word>, Array<std::int64_t>,
                      Array<std::int32_t>, Array<std::int64_t>, std::int64_t, std::int32_t, Array<Word>>(),
             "columns"_a, "turned"_a, "n_columns"_a, "filled"_a, "weights"_a, "labels"_a, "counts"_a,
             "constant"_a, "n_classes"_a, "panels"_a)
        .def("arrays", &Part::arrays, "All of it, for the other way to make one.")
        .def("sums", &Part::sums, "kind"_a, "n_locked"_a, "with_counts"_a, "clauses"_a, "otherwise"_a,
             "with_places"_a = true, "n_threads"_a = 1,
             "What these rows say about a rule and, with places, about every change of one.")
        .def("by_total", &Part::by_total, "items"_a, "Units by total and class, of items with points.")
        .def("n_covered", &Part::n_covered, "items"_a, "The number of rows that each item covers.")
        .def("totals", &Part::totals, "literals"_a, "decides"_a, "n_threads"_a = 1)
        .def_prop_ro("n_words", &Part::n_words)
        .def_prop_ro("n_bytes", &Part::n_bytes);

    nb::class_<Core>(module, "Core")
        .def(nb::init<std::size_t, std::int32_t, std::size_t>(), "n_literals"_a, "n_classes"_a, "most"_a)
        .def(
            "add",
            [](Core& core, Matrix<Word> words, Array<std::int32_t> labels, Array<std::int64_t> weights,
               std::size_t n_threads) {
                const Columns columns = checked_rows(words, labels, weights, core.n_classes(), false);
                require(std::max<std::size_t>(1, words_for(columns.n_literals)) == core.key_words(), "other literals");
                nb::gil_scoped_release release;
                core.add(columns, labels.data(), weights.data(), n_threads);
            },
            "words"_a, "labels"_a, "weights"_a, "n_threads"_a = 1)
        .def(
            "merge",
            [](Core& core, Core& other) {
                require(&core != &other, "another core");
                require(core.key_words() == other.key_words() && core.n_classes() == other.n_classes(),
                        "a core of the same literals and classes");
                other.settle();
                core.merge(other);
            },
            "other"_a, nb::call_guard<nb::gil_scoped_release>())
        .def(
            "restore",
            [](Core& core, Matrix<Word> keys, Matrix<std::int64_t> weights, Array<std::int64_t> counts,
               std::int64_t weight, bool has_all) {
                const std::size_t n = counts.size();
                require(keys.shape(0) == n && keys.shape(1) == core.key_words(), "a key for each row");
                require(weights.shape(0) == n && weights.shape(1) == static_cast<std::size_t>(core.n_classes()),
                        "weights for each row");
                core.restore(keys.data(), weights.data(), counts.data(), n, weight, has_all);
            },
            "keys"_a, "weights"_a, "counts"_a, "weight"_a, "has_all"_a)
        .def(
            "rows",
            [](Core& core) {
                core.settle();
                return std::make_tuple(
                    to_numpy(core.keys(), core.size(), core.key_words()),
                    to_numpy(core.weights(), core.size(), static_cast<std::size_t>(core.n_classes())),
                    to_numpy(core.counts()));
            },
            "The bits of each row, what it weighs in each class, and how many rows it stands for.")
        .def_prop_ro("has_all",
                     [](Core& core) {
                         core.settle();
                         return core.has_all();
                     })
        .def_prop_ro("weight", &Core::weight)
        .def_prop_ro("own_weight", [](Core& core) {
            core.settle();
            return core.own_weight();
        });

    nb::class_<Question>(module, "Question")
        .def("__init__", &make_question, nb::kw_only(), "kind"_a, "n_clauses"_a, "n_locked"_a, "n_classes"_a, "costs"_a,
             "columns"_a, "lengths"_a, "near"_a, "near_cost"_a, "always"_a, "every"_a, "reuse_cost"_a, "disjoint"_a,
             "max_literals"_a, "min_rows"_a, "unused_slots"_a, "needs_literals"_a)
        .def(
            "better",
            [](const Question& question, const std::vector<PlainClause>& clauses, std::int32_t otherwise,
               Array<std::int64_t> sums, std::int64_t weight, std::size_t most) {
                const Problem problem = from_afar(question, weight);
                const Rule rule = to_rule(clauses, otherwise, problem);
                const Layout layout(rule, problem.n_locked, problem.n_classes, question.n_literals,
                                    problem.min_rows != 0);
                require(sums.size() == layout.size(), "sums of another rule");
                std::vector<PlainRule> plain;
                for (const Rule& other : better_rules(problem, rule, sums.data(), most)) plain.push_back(to_plain(other));
                return plain;
            },
            "clauses"_a, "otherwise"_a, "sums"_a, "weight"_a, "most"_a = 8,
            "The rules that differ in one place and are better, the best first.")
        .def(
            "price",
            [](const Question& question, const std::vector<PlainClause>& clauses, std::int32_t otherwise,
               Array<std::int64_t> sums, std::int64_t weight) {
                const Problem problem = from_afar(question, weight);
                require(sums.size() > 0, "sums of another rule");
                return cost_of(problem, to_rule(clauses, otherwise, problem), sums.data());
            },
            "clauses"_a, "otherwise"_a, "sums"_a, "weight"_a,
            "What a rule costs, with a penalty for each demand it does not meet.");

    nb::class_<Search>(module, "Search")
        .def(
            "__init__",
            [](Search* self, const Rows& rows, const Question& question, const std::vector<PlainClause>& start,
               std::int32_t otherwise, std::uint64_t seed, double work, std::size_t n_threads, std::int64_t unit) {
                Options options;
                options.seed = seed;
                options.work = work;
                options.n_threads = n_threads;
                options.unit = static_cast<double>(unit);
                require(question.n_literals == rows.n_literals(), "rows of other literals");
                require(question.problem.n_classes >= rows.n_classes(), "rows of other classes");
                {
                    nb::gil_scoped_release release;
                    new (self) Search(rows, question.problem, options);
                }
                self->start_from(to_rule(start, otherwise, self->problem()));
            },
            "rows"_a, "question"_a, nb::kw_only(), "start"_a, "otherwise"_a, "seed"_a, "work"_a, "n_threads"_a, "unit"_a)
        .def(
            "build_on",
            [](Search& search, const std::vector<PlainClause>& clauses, std::int32_t otherwise) {
                search.build_on(to_rule(clauses, otherwise, search.problem()));
            },
            "clauses"_a, "otherwise"_a, "Let the first walks start from this rule too. To be called before run().")
        .def("run", &Search::run, nb::call_guard<nb::gil_scoped_release>(),
             "Search until the work is done or stop() is called.")
        .def(
            "reprice",
            [](Search& search, Array<std::int64_t> costs) {
                require(costs.size() == search.problem().costs.size(), "a cost for each literal");
                search.reprice(priced(costs));
            },
            "costs"_a, "Change what literals cost; -1 is never. For improve(), not for run().")
        .def("improve", &Search::improve, "n_steps"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Make the best rule better by one walk of so many steps.")
        .def("stop", &Search::stop, "May be called from any thread.")
        .def_prop_ro("best", [](const Search& search) { return to_plain(search.best()); })
        .def_prop_ro("work", &Search::work)
        .def(
            "price",
            [](const Search& search, const std::vector<PlainClause>& clauses, std::int32_t otherwise) {
                Walk walk(search.problem(), 0);
                walk.load(to_rule(clauses, otherwise, search.problem()));
                return walk.cost();
            },
            "clauses"_a, "otherwise"_a, "What a rule costs, with a penalty for each demand it does not meet.")
        .def(
            "wander",
            [](const Search& search, std::uint64_t seed, std::size_t n_moves, double temperature) {
                Walk walk(search.problem(), seed);
                walk.load(search.best());
                for (std::size_t n = 0; n < n_moves; ++n) walk.wander(temperature);
                return to_plain(walk.rule());
            },
            "seed"_a, "n_moves"_a, "temperature"_a, "Random moves from the best rule, for tests.");

    nb::class_<CardSearch>(module, "CardSearch")
        .def("__init__", &make_card_search, "rows"_a, nb::kw_only(), "costs"_a, "signs"_a, "columns"_a, "lengths"_a,
             "barred"_a, "always"_a, "reuse_cost"_a, "disjoint"_a, "max_literals"_a, "min_rows"_a, "max_items"_a, "n_locked"_a,
             "item_literals"_a, "max_points"_a, "only_ones"_a, "is_log"_a, "ridge"_a, "start"_a, "seed"_a, "work"_a, "n_threads"_a,
             "unit"_a)
        .def("run", &CardSearch::run, nb::call_guard<nb::gil_scoped_release>(),
             "Search until the work is done or stop() is called.")
        .def("stop", &CardSearch::stop, "May be called from any thread.")
        .def_prop_ro("best", [](const CardSearch& search) { return to_plain(search.best()); },
                     "The items of the best card, each with its points, and its cost.")
        .def_prop_ro("work", &CardSearch::work);
}
