// Some of the rows that stand for all: those whose bits have the least hashes.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bits.hpp"
#include "rows.hpp"

namespace imli {

// Equal rows are one, with what they weigh in each class. Which rows are among the first is up to their bits alone, so
// it does not matter in which parts they come, nor in which order.
class Core {
   public:
    Core(std::size_t n_literals, std::int32_t n_classes, std::size_t most);

    void add(const Columns& columns, const std::int32_t* labels, const std::int64_t* weights, std::size_t n_threads);
    void merge(const Core& other);
    void settle();  // in order, equal rows as one, and no more than fit; to be called after the last rows were added

    std::size_t size() const { return rows_.size(); }
    bool has_all() const { return has_all_; }             // or were there more different rows than fit
    std::int64_t weight() const { return weight_; }       // of all rows that were added
    std::int64_t own_weight() const;                      // of those that are here
    std::size_t key_words() const { return key_words_; }
    std::int32_t n_classes() const { return n_classes_; }

    // As plain numbers: bits of each row, what it weighs in each class, and how many rows it stands for.
    const Bits& keys() const { return keys_; }
    const Large<std::int64_t>& weights() const { return weights_; }
    const Large<std::int64_t>& counts() const { return counts_; }
    void restore(const Word* keys, const std::int64_t* weights, const std::int64_t* counts, std::size_t n,
                 std::int64_t weight, bool has_all);

   private:
    struct Row {
        std::uint64_t hash;
        std::size_t place;  // of its key and weights
    };

    const Word* key(const Row& row) const { return keys_.data() + row.place * key_words_; }
    std::uint64_t hash_of(const Word* key) const;
    void append(std::uint64_t hash, const Word* key, const std::int64_t* weights, std::int64_t count);

    std::size_t key_words_, most_;
    std::int32_t n_classes_;
    Large<Row> rows_;
    Bits keys_;
    Large<std::int64_t> weights_, counts_;
    std::int64_t weight_ = 0;
    bool has_all_ = true, is_settled_ = true;
    std::uint64_t last_ = std::numeric_limits<std::uint64_t>::max();  // a row with a larger hash is not among the first
};

}  // namespace imli
