// The rows that a search looks at: bits of literals, and what the rows of each word weigh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bits.hpp"

namespace imli {

// Literals lie in panels of this many columns, and in a panel word by word: one pass over a panel counts all of its columns
// with the mask in a register, and words where the mask is empty are never touched.
constexpr std::size_t kPanel = 32;

// A literal is a stored column of bits, or the complement of one: most come in such pairs, and what is summed over one
// side is known of the other.
struct Table {
    std::vector<std::uint32_t> columns;  // of each literal
    std::vector<std::int64_t> turned;    // for each literal 0, or −1 if it is the complement of its column
    std::size_t n_columns = 0;
    std::size_t n_words = 0;
    std::size_t n_rows = 0;             // distinct rows
    Bits panels;                        // [panel][word][column in panel]
    const Word* borrowed = nullptr;     // or the same, where others keep them
    Bits flat;                          // [column][word]: the same once more, for tables that fit into a cache
    Bits filled;                        // which rows of a word exist
    std::vector<std::int64_t> weights;  // by word: what a wrong decision costs on each of its rows
    std::vector<std::int32_t> labels;   // by word: the right decision
    std::vector<std::int64_t> counts;   // by word: how many rows each of its rows stands for

    std::size_t n_literals() const { return columns.size(); }
    std::size_t n_panels() const { return (n_columns + kPanel - 1) / kPanel; }
    std::size_t padded() const { return n_panels() * kPanel; }

    // Words of one column are kPanel apart.
    const Word* panel(std::size_t p) const {
        return (borrowed != nullptr ? borrowed : panels.data()) + p * n_words * kPanel;
    }
    const Word* column(std::size_t c) const { return panel(c / kPanel) + c % kPanel; }
    Word* column(std::size_t c) { return panels.data() + (c / kPanel) * n_words * kPanel + c % kPanel; }

    bool fits_in_cache() const { return padded() * n_words * sizeof(Word) <= (std::size_t{8} << 20); }

    // What a look at a word costs, in words that are in a cache.
    std::uint64_t word_cost() const { return fits_in_cache() ? 1 : 3; }

    // To be called when all panels are filled.
    void flatten() {
        if (!fits_in_cache()) return;
        flat.resize(n_columns * n_words);
        for (std::size_t c = 0; c < n_columns; ++c) {
            for (std::size_t w = 0; w < n_words; ++w) flat[c * n_words + w] = column(c)[w * kPanel];
        }
    }

    void and_literal(std::size_t j, Word* cover) const {
        const Word flip = turned[j] ? ~Word{0} : Word{0};
        if (flat.empty()) {
            const Word* bits = column(columns[j]);
            for (std::size_t w = 0; w < n_words; ++w) cover[w] &= bits[w * kPanel] ^ flip;
        } else {
            const Word* bits = flat.data() + columns[j] * n_words;
            for (std::size_t w = 0; w < n_words; ++w) cover[w] &= bits[w] ^ flip;
        }
    }

    bool holds(std::size_t j, std::size_t row) const {
        const Word bits = column(columns[j])[row / 64 * kPanel];
        return ((bits >> (row % 64) & 1) != 0) != (turned[j] != 0);
    }
};

}  // namespace imli
