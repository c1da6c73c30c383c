// The canonical table: equal rows merged, in an order that depends on nothing but the rows themselves.
#pragma once

#include <cstdint>
#include <vector>

#include "bits.hpp"
#include "table.hpp"

namespace imli {

// Bits of literals as columns of words, one after the other.
struct Columns {
    const Word* bits;
    std::size_t n_rows, n_literals, n_words;  // n_words from one literal to the next
    bool complemented;                        // whether each literal stands for its complement
};

class Rows {
   public:
    // Rows that agree in all literals are one. Deciding it costs, whatever the decision, what its classes have in
    // common; that is `unavoidable`, and only what they have beyond it is kept. `counts` says how many rows each stands
    // for, where that matters.
    // With `apart`, all that its classes weigh is kept, which matters where deciding it costs more or less.
    Rows(const Columns& columns, const std::int32_t* labels, const std::int64_t* weights, std::int32_t n_classes,
         const std::int64_t* counts, std::size_t n_threads, bool apart = false);

    std::int64_t unavoidable() const { return unavoidable_; }  // by any rule over these literals
    std::size_t size() const { return n_distinct_; }
    std::size_t n_literals() const { return columns_.size(); }
    std::int32_t n_classes() const { return n_classes_; }
    std::int64_t weight() const { return weight_; }  // of all rows, after that

    // The table of the first so many distinct rows. They are in the order of a hash, so these are a fair sample.
    Table table(std::size_t n_distinct, std::int64_t factor, std::size_t n_threads) const;
    std::int64_t constant() const { return constant_; }  // in the cost of every rule on this table

   private:
    struct Entry {
        std::int64_t weight;
        std::uint32_t row;  // of the keys
        std::int32_t label;
    };

    const Word* key(std::size_t row) const { return keys_.data() + row * key_words_; }

    void pair_up(const Columns& columns);

    std::vector<std::uint32_t> columns_;  // of each literal
    std::vector<std::int64_t> turned_;    // whether it is the complement of its column
    std::vector<std::size_t> stored_;  // the literal whose bits each column holds
    std::size_t key_words_ = 1, n_distinct_ = 0;
    Bits keys_;  // bits of a row, one word after the other
    Large<Entry> entries_;
    Large<std::int64_t> counts_;              // of entries, where rows are counted; else empty
    Large<std::uint32_t> first_entry_;        // by distinct row
    std::int64_t unavoidable_ = 0, constant_ = 0, weight_ = 0;
    std::int32_t n_classes_ = 0;
};

}  // namespace imli
