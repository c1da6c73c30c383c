#include "core.hpp"

#include <algorithm>

#include "random.hpp"
#include "threads.hpp"
#include "transpose.hpp"

namespace imli {

Core::Core(std::size_t n_literals, std::int32_t n_classes, std::size_t most)
    : key_words_(std::max<std::size_t>(1, words_for(n_literals))), most_(most), n_classes_(n_classes) {}

std::uint64_t Core::hash_of(const Word* key) const {
    std::uint64_t hash = 0;
    for (std::size_t part = 0; part < key_words_; ++part) hash = mix(hash ^ key[part]);
    return hash;
}

void Core::append(std::uint64_t hash, const Word* key, const std::int64_t* weights, std::int64_t count) {
    rows_.push_back({hash, rows_.size()});
    keys_.insert(keys_.end(), key, key + key_words_);
    weights_.insert(weights_.end(), weights, weights + n_classes_);
    counts_.push_back(count);
}

void Core::add(const Columns& columns, const std::int32_t* labels, const std::int64_t* weights, std::size_t n_threads) {
    constexpr std::size_t kBlock = 1024;  // words of rows at a time
    const std::size_t n_words = words_for(columns.n_rows);
    Bits keys(kBlock * 64 * key_words_);
    std::vector<std::uint64_t> hashes(kBlock * 64);
    std::vector<std::int64_t> by_class(n_classes_);
    for (std::size_t begin = 0; begin < n_words; begin += kBlock) {
        const std::size_t n_here = std::min(kBlock, n_words - begin);
        in_parallel(n_here, n_threads, [&](std::size_t at) {
            for (std::size_t part = 0; part < key_words_; ++part) {
                Word block[64] = {};
                for (std::size_t c = part * 64; c < std::min(columns.n_literals, part * 64 + 64); ++c) {
                    block[c % 64] = columns.bits[c * columns.n_words + begin + at];
                }
                transpose(block);
                for (std::size_t r = 0; r < 64; ++r) keys[(at * 64 + r) * key_words_ + part] = block[r];
            }
            for (std::size_t r = 0; r < 64; ++r) hashes[at * 64 + r] = hash_of(&keys[(at * 64 + r) * key_words_]);
        });
        for (std::size_t at = 0; at < n_here * 64; ++at) {
            const std::size_t row = begin * 64 + at;
            if (row >= columns.n_rows) break;
            weight_ += weights[row];
            if (hashes[at] > last_) continue;
            std::fill(by_class.begin(), by_class.end(), 0);
            by_class[labels[row]] = weights[row];
            append(hashes[at], &keys[at * key_words_], by_class.data(), 1);
            is_settled_ = false;
            if (rows_.size() >= 2 * most_) settle();
        }
    }
}

void Core::merge(const Core& other) {
    for (const Row& row : other.rows_) {
        append(row.hash, other.key(row), &other.weights_[row.place * n_classes_], other.counts_[row.place]);
    }
    weight_ += other.weight_;
    has_all_ = has_all_ && other.has_all_;
    is_settled_ = false;
    settle();
}

void Core::settle() {
    if (is_settled_) return;
    is_settled_ = true;
    std::sort(rows_.begin(), rows_.end(), [&](const Row& a, const Row& b) {
        if (a.hash != b.hash) return a.hash < b.hash;
        return std::lexicographical_compare(key(a), key(a) + key_words_, key(b), key(b) + key_words_);
    });
    Large<Row> rows;
    Bits keys;
    Large<std::int64_t> weights, counts;
    const std::size_t n_most = std::min(most_, rows_.size());
    rows.reserve(n_most);
    keys.reserve(n_most * key_words_);
    weights.reserve(n_most * n_classes_);
    counts.reserve(n_most);
    for (const Row& row : rows_) {
        const bool is_same = !rows.empty() && rows.back().hash == row.hash &&
                             std::equal(key(row), key(row) + key_words_, keys.end() - static_cast<std::ptrdiff_t>(key_words_));
        if (!is_same) {
            if (rows.size() == most_) {
                has_all_ = false;
                break;
            }
            rows.push_back({row.hash, rows.size()});
            keys.insert(keys.end(), key(row), key(row) + key_words_);
            weights.resize(weights.size() + n_classes_, 0);
            counts.push_back(0);
        }
        for (std::int32_t v = 0; v < n_classes_; ++v) {
            weights[weights.size() - n_classes_ + v] += weights_[row.place * n_classes_ + v];
        }
        counts.back() += counts_[row.place];
    }
    rows_ = std::move(rows);
    keys_ = std::move(keys);
    weights_ = std::move(weights);
    counts_ = std::move(counts);
    if (!has_all_ && rows_.size() == most_) last_ = rows_.back().hash;
}

std::int64_t Core::own_weight() const {
    std::int64_t sum = 0;
    for (const std::int64_t weight : weights_) sum += weight;
    return sum;
}

void Core::restore(const Word* keys, const std::int64_t* weights, const std::int64_t* counts, std::size_t n,
                   std::int64_t weight, bool has_all) {
    for (std::size_t at = 0; at < n; ++at) {
        append(hash_of(keys + at * key_words_), keys + at * key_words_, weights + at * n_classes_, counts[at]);
    }
    weight_ = weight;
    has_all_ = has_all;
    is_settled_ = false;
    settle();
}

}  // namespace imli
