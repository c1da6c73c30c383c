// The rows that a search looks at: bits of literals, and what the rows of each word weigh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bits.hpp"

namespace imli {

// Literals lie in panels of this many, and in a panel word by word: one pass over a panel counts all of its literals
// with the mask in a register, and words where the mask is empty are never touched.
constexpr std::size_t kPanel = 32;

struct Table {
    std::size_t n_literals = 0;
    std::size_t n_words = 0;
    std::size_t n_rows = 0;             // distinct rows
    Bits panels;                        // [panel][word][literal in panel]
    Bits filled;                        // which rows of a word exist
    std::vector<std::int64_t> weights;  // by word: what a wrong decision costs on each of its rows
    std::vector<std::int32_t> labels;   // by word: the right decision
    std::vector<std::int64_t> counts;   // by word: how many rows each of its rows stands for

    std::size_t n_panels() const { return (n_literals + kPanel - 1) / kPanel; }
    std::size_t padded() const { return n_panels() * kPanel; }

    // Words of one literal are kPanel apart.
    const Word* literal(std::size_t j) const { return panels.data() + (j / kPanel) * n_words * kPanel + j % kPanel; }
    Word* literal(std::size_t j) { return panels.data() + (j / kPanel) * n_words * kPanel + j % kPanel; }

    void and_literal(std::size_t j, Word* cover) const {
        const Word* bits = literal(j);
        for (std::size_t w = 0; w < n_words; ++w) cover[w] &= bits[w * kPanel];
    }
};

}  // namespace imli
