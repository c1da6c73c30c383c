#include "rows.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "random.hpp"
#include "threads.hpp"
#include "transpose.hpp"

namespace imli {

namespace {

// The digits of a number as powers of two with signs, no two of them neighbours: a third of the bits on average.
std::vector<std::int64_t> signed_digits(std::int64_t number) {
    std::vector<std::int64_t> digits;
    for (std::int64_t power = 1; number != 0; number /= 2, power *= 2) {
        if (number % 2 == 0) continue;
        const std::int64_t digit = (number % 4 + 4) % 4 == 3 ? -1 : 1;
        digits.push_back(digit * power);
        number -= digit;
    }
    return digits;
}

}  // namespace

Rows::Rows(const Columns& columns, const std::int32_t* labels, const std::int64_t* weights, std::int32_t n_classes,
           const std::int64_t* counts, std::size_t n_threads, bool apart) {
    n_classes_ = n_classes;
    const std::size_t n_rows = columns.n_rows;
    pair_up(columns);
    key_words_ = std::max<std::size_t>(1, words_for(stored_.size()));
    keys_.resize(n_rows * key_words_);
    struct Hashed {
        std::uint64_t hash;
        std::uint32_t row;
    };
    Large<Hashed> order(n_rows);
    in_parallel(words_for(n_rows), n_threads, [&](std::size_t w) {
        const std::size_t first = w * 64, n_here = std::min<std::size_t>(64, n_rows - first);
        for (std::size_t part = 0; part < key_words_; ++part) {
            Word block[64] = {};
            for (std::size_t c = part * 64; c < std::min(stored_.size(), part * 64 + 64); ++c) {
                block[c % 64] = columns.bits[stored_[c] * columns.n_words + w];
            }
            transpose(block);
            for (std::size_t r = 0; r < n_here; ++r) keys_[(first + r) * key_words_ + part] = block[r];
        }
        for (std::size_t r = 0; r < n_here; ++r) {
            std::uint64_t hash = 0;
            for (std::size_t part = 0; part < key_words_; ++part) hash = mix(hash ^ key(first + r)[part]);
            order[first + r] = {hash, static_cast<std::uint32_t>(first + r)};
        }
    });
    const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
        return std::lexicographical_compare(key(a), key(a) + key_words_, key(b), key(b) + key_words_);
    };
    const auto is_same = [&](std::uint32_t a, std::uint32_t b) {
        return std::equal(key(a), key(a) + key_words_, key(b));
    };
    std::sort(order.begin(), order.end(), [&](const Hashed& a, const Hashed& b) {
        return a.hash != b.hash ? a.hash < b.hash : is_before(a.row, b.row);
    });
    std::vector<std::int64_t> by_class(n_classes);
    entries_.reserve(n_rows);  // memory is taken as it is filled, and not twice while it grows
    first_entry_.reserve(n_rows + 1);
    for (std::size_t begin = 0, end = 0; begin < n_rows; begin = end) {
        std::fill(by_class.begin(), by_class.end(), 0);
        std::int64_t count = 0;
        for (; end < n_rows && order[end].hash == order[begin].hash && is_same(order[end].row, order[begin].row);
             ++end) {
            by_class[labels[order[end].row]] += weights[order[end].row];
            if (counts != nullptr) count += counts[order[end].row];
        }
        const auto [least, most] = std::minmax_element(by_class.begin(), by_class.end());
        const std::int64_t common = apart ? 0 : *least;
        std::int64_t total = 0;
        for (const std::int64_t weight : by_class) total += weight;
        unavoidable_ += total - *most;
        constant_ += common * (n_classes - 1);
        first_entry_.push_back(static_cast<std::uint32_t>(entries_.size()));
        // a row of no weight is kept only where rows are counted
        const auto add = [&](std::int32_t label, std::int64_t weight) {
            entries_.push_back({weight, order[begin].row, label});
            weight_ += weight;
            if (counts != nullptr) counts_.push_back(count);
            count = 0;
        };
        for (std::int32_t v = 0; v < n_classes; ++v) {
            if (by_class[v] > common) add(v, by_class[v] - common);
        }
        if (count != 0) add(0, 0);
    }
    n_distinct_ = first_entry_.size();
    first_entry_.push_back(static_cast<std::uint32_t>(entries_.size()));
}

// Literals that hold in the same rows, or in just the others, share a column.
void Rows::pair_up(const Columns& columns) {
    const std::size_t n_words = words_for(columns.n_rows);
    const Word last = columns.n_rows % 64 == 0 ? ~Word{0} : (Word{1} << columns.n_rows % 64) - 1;
    const auto bits = [&](std::size_t j) { return columns.bits + j * columns.n_words; };
    const auto agree = [&](std::size_t a, std::size_t b, Word flip) {
        for (std::size_t w = 0; w < n_words; ++w) {
            if ((bits(a)[w] ^ bits(b)[w] ^ flip) & (w + 1 == n_words ? last : ~Word{0})) return false;
        }
        return true;
    };
    std::unordered_multimap<std::uint64_t, std::uint32_t> seen;  // columns by a hash that both sides share
    for (std::size_t j = 0; j < columns.n_literals; ++j) {
        std::uint64_t direct = 0, turned = 0;
        for (std::size_t w = 0; w < n_words; ++w) {
            const Word mask = w + 1 == n_words ? last : ~Word{0};
            direct = (direct ^ (bits(j)[w] & mask)) * 0x9e3779b97f4a7c15u;
            turned = (turned ^ (~bits(j)[w] & mask)) * 0x9e3779b97f4a7c15u;
            direct ^= direct >> 32;
            turned ^= turned >> 32;
        }
        const std::uint64_t hash = mix(direct) ^ mix(turned);
        bool found = false;
        for (auto [at, end] = seen.equal_range(hash); at != end && !found; ++at) {
            for (const bool complemented : {false, true}) {
                if (!found && agree(j, stored_[at->second], complemented ? ~Word{0} : Word{0})) {
                    columns_.push_back(at->second);
                    turned_.push_back(complemented != columns.complemented ? -1 : 0);
                    found = true;
                }
            }
        }
        if (found) continue;
        const auto column = static_cast<std::uint32_t>(stored_.size());
        seen.emplace(hash, column);
        stored_.push_back(j);
        columns_.push_back(column);
        turned_.push_back(columns.complemented ? -1 : 0);
    }
}

Table Rows::table(std::size_t n_distinct, std::int64_t factor, std::size_t n_threads) const {
    const std::size_t n_entries = first_entry_[std::min(n_distinct, n_distinct_)];
    // rows of a word must weigh the same and be of one class
    using Class = std::tuple<std::int32_t, std::int64_t, std::int64_t>;  // label, weight, count
    std::map<Class, std::vector<std::uint32_t>> classes;
    for (std::size_t e = 0; e < n_entries; ++e) {
        const Entry& entry = entries_[e];
        classes[{entry.label, entry.weight * factor, counts_.empty() ? 0 : counts_[e]}].push_back(entry.row);
    }
    // Where many rows have a weight of their own, a row is repeated for each binary digit of its weight instead.
    std::map<Class, std::vector<std::uint32_t>> digits;
    std::size_t n_whole = 0, n_split = 0;
    constexpr std::size_t kMany = 256;
    for (const auto& [weighed, rows] : classes) {
        if (rows.size() >= kMany) continue;
        n_whole += words_for(rows.size());
        const auto [label, weight, count] = weighed;
        for (const std::int64_t digit : signed_digits(weight)) {
            auto& same = digits[{label, digit, 0}];
            same.insert(same.end(), rows.begin(), rows.end());
        }
        for (const std::int64_t digit : signed_digits(count)) {
            auto& same = digits[{label, 0, digit}];
            same.insert(same.end(), rows.begin(), rows.end());
        }
    }
    for (const auto& [weighed, rows] : digits) n_split += words_for(rows.size());
    if (n_split < n_whole) {
        std::erase_if(classes, [&](const auto& item) { return item.second.size() < kMany; });
        for (auto& [weighed, rows] : digits) {
            auto& same = classes[weighed];
            same.insert(same.end(), rows.begin(), rows.end());
        }
    }

    Table table;
    table.columns = columns_;
    table.turned = turned_;
    table.n_columns = stored_.size();
    table.n_rows = std::min(n_distinct, n_distinct_);
    std::vector<std::pair<const std::vector<std::uint32_t>*, std::size_t>> sources;  // rows of each word
    for (const auto& [weighed, rows] : classes) {
        const auto [label, weight, count] = weighed;
        for (std::size_t at = 0; at < rows.size(); at += 64) {
            sources.emplace_back(&rows, at);
            table.labels.push_back(label);
            table.weights.push_back(weight);
            table.counts.push_back(count);
        }
    }
    table.n_words = sources.size();
    table.filled.resize(table.n_words);
    table.panels.assign(table.padded() * table.n_words, 0);
    in_parallel(table.n_words, n_threads, [&](std::size_t w) {
        const auto& [rows, at] = sources[w];
        const std::size_t n_here = std::min<std::size_t>(64, rows->size() - at);
        const Word filled = n_here == 64 ? ~Word{0} : (Word{1} << n_here) - 1;
        table.filled[w] = filled;
        for (std::size_t part = 0; part < key_words_; ++part) {
            Word block[64] = {};
            for (std::size_t r = 0; r < n_here; ++r) block[r] = key((*rows)[at + r])[part];
            transpose(block);
            for (std::size_t c = part * 64; c < std::min(stored_.size(), part * 64 + 64); ++c) {
                table.column(c)[w * kPanel] = block[c % 64];
            }
        }
    });
    table.flatten();
    return table;
}

}  // namespace imli
