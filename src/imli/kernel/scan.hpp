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

// sums[c] = the weight of the open rows where column c holds, for all columns of the panels [first, last).
void scan_panels(const Table& table, const OpenRows& open, std::size_t first, std::size_t last, std::int64_t* sums);

// The same for literals: totals[j], given the sums of the columns and the weight of all open rows.
void total_literals(const Table& table, const std::int64_t* sums, std::int64_t all, std::int64_t* totals);

// Takes the prices off the totals of literals, and returns the largest of what is left.
std::int64_t value_literals(const Table& table, const std::int64_t* sums, std::int64_t all, const std::int64_t* prices,
                            std::int64_t* values);

// The weight of the rows of a mask.
std::int64_t weigh(const Word* mask, const std::int64_t* weights, std::size_t n_words);

}  // namespace imli
