// Sums over the rows of a mask, for all literals in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bits.hpp"
#include "table.hpp"

namespace imli {

// The words of a mask that are not empty, in runs of equal weight.
class OpenRows {
   public:
    struct Run {
        std::size_t begin, end;
        std::int64_t weight;
    };

    // Returns the weight of all rows of the mask. A word of weight 0 is left out.
    std::int64_t collect(const Word* mask, const std::int64_t* weights, std::size_t n_words);

    std::size_t n_words() const { return runs.empty() ? 0 : runs.back().end; }

    std::vector<std::uint32_t> words;
    Bits masks;
    std::vector<Run> runs;
};

// totals[j] = the weight of the open rows where literal j holds, for all literals of the panels [first, last).
void scan(const Table& table, const OpenRows& open, std::size_t first, std::size_t last, std::int64_t* totals);

inline void scan(const Table& table, const OpenRows& open, std::int64_t* totals) {
    scan(table, open, 0, table.n_panels(), totals);
}

// The weight of the rows of a mask.
std::int64_t weigh(const Word* mask, const std::int64_t* weights, std::size_t n_words);

}  // namespace imli
