#include "columns.hpp"

#include <algorithm>
#include <vector>

#include "bits.hpp"
#include "threads.hpp"
#include "transpose.hpp"

namespace imli {

namespace {

// The kinds of 64 cells at a time. Comparing with all cuts, where they are few, is faster than a search in each cell.
constexpr std::size_t kFewCuts = 40;

IMLI_WIDE void count_below(const double* values, const double* cuts, std::size_t n_cuts, std::int64_t* kinds) {
    for (std::size_t c = 0; c < n_cuts; ++c) {
        const double cut = cuts[c];
        for (std::size_t r = 0; r < 64; ++r) kinds[r] += (values[r] > cut) + (values[r] >= cut);
    }
}

IMLI_WIDE void count_below(const std::int64_t* values, const std::int64_t* cuts, std::size_t n_cuts,
                           std::int64_t* kinds) {
    for (std::size_t c = 0; c < n_cuts; ++c) {
        const std::int64_t cut = cuts[c];
        for (std::size_t r = 0; r < 64; ++r) kinds[r] += (values[r] > cut) + (values[r] >= cut);
    }
}

template <class Number>
std::size_t kind_of(const Numbers<Number>& cells, std::size_t row, std::size_t n_kinds) {
    if (cells.missing[row]) return n_kinds - 1;
    const Number value = cells.values[row];
    std::size_t below = 0;
    for (std::size_t length = cells.n_cuts; length > 0;) {  // branchless: which half is a coin's throw
        const std::size_t half = length / 2;
        const bool right = cells.cuts[below + half] < value;
        below = right ? below + half + 1 : below;
        length = right ? length - half - 1 : half;
    }
    return 2 * below + (below < cells.n_cuts && cells.cuts[below] == value);
}

std::size_t kind_of(const Codes& cells, std::size_t row, std::size_t n_kinds) {
    return cells.missing[row] ? n_kinds - 1 : static_cast<std::size_t>(cells.values[row]);
}

template <class Cells>
void kinds_of(const Cells& cells, std::size_t first, std::size_t n_here, std::size_t n_kinds, std::int64_t* kinds) {
    for (std::size_t r = 0; r < n_here; ++r) kinds[r] = static_cast<std::int64_t>(kind_of(cells, first + r, n_kinds));
}

template <class Number>
void kinds_of(const Numbers<Number>& cells, std::size_t first, std::size_t n_here, std::size_t n_kinds,
              std::int64_t* kinds) {
    if (n_here < 64 || cells.n_cuts > kFewCuts) {
        for (std::size_t r = 0; r < n_here; ++r) {
            kinds[r] = static_cast<std::int64_t>(kind_of(cells, first + r, n_kinds));
        }
        return;
    }
    std::fill(kinds, kinds + 64, 0);
    count_below(cells.values + first, cells.cuts, cells.n_cuts, kinds);
    for (std::size_t r = 0; r < 64; ++r) {
        if (cells.missing[first + r]) kinds[r] = static_cast<std::int64_t>(n_kinds - 1);
    }
}

}  // namespace

template <class Cells>
void pack(const Cells& cells, std::size_t n_rows, const Accepts& accepts, Word* bits, std::size_t n_words,
          std::size_t n_threads) {
    const std::size_t n_parts = words_for(accepts.n_literals);
    std::vector<Word> patterns(accepts.n_kinds * n_parts, 0);  // for each kind, a bit for each literal
    for (std::size_t kind = 0; kind < accepts.n_kinds; ++kind) {
        for (std::size_t j = 0; j < accepts.n_literals; ++j) {
            const Word bit = accepts.by_kind[kind * accepts.n_literals + j];
            patterns[kind * n_parts + j / 64] |= bit << (j % 64);
        }
    }
    constexpr std::size_t kBlock = 256;  // words
    in_parallel((words_for(n_rows) + kBlock - 1) / kBlock, n_threads, [&](std::size_t part_of_rows) {
        std::int64_t kinds[64];
        const std::size_t end = std::min(words_for(n_rows), (part_of_rows + 1) * kBlock);
        for (std::size_t w = part_of_rows * kBlock; w < end; ++w) {
            const std::size_t n_here = std::min<std::size_t>(64, n_rows - w * 64);
            kinds_of(cells, w * 64, n_here, accepts.n_kinds, kinds);
            for (std::size_t part = 0; part < n_parts; ++part) {
                Word block[64] = {};
                for (std::size_t r = 0; r < n_here; ++r) block[r] = patterns[static_cast<std::size_t>(kinds[r]) * n_parts + part];
                transpose(block);
                const std::size_t n_literals = std::min<std::size_t>(64, accepts.n_literals - part * 64);
                for (std::size_t j = 0; j < n_literals; ++j) bits[(part * 64 + j) * n_words + w] = block[j];
            }
        }
    });
}

template <class Cells>
void count(const Cells& cells, std::size_t n_rows, std::size_t n_kinds, std::int64_t* n_of_kind) {
    for (std::size_t row = 0; row < n_rows; ++row) ++n_of_kind[kind_of(cells, row, n_kinds)];
}

template void count(const Numbers<double>&, std::size_t, std::size_t, std::int64_t*);
template void count(const Numbers<std::int64_t>&, std::size_t, std::size_t, std::int64_t*);
template void count(const Codes&, std::size_t, std::size_t, std::int64_t*);

template void pack(const Numbers<double>&, std::size_t, const Accepts&, Word*, std::size_t, std::size_t);
template void pack(const Numbers<std::int64_t>&, std::size_t, const Accepts&, Word*, std::size_t, std::size_t);
template void pack(const Codes&, std::size_t, const Accepts&, Word*, std::size_t, std::size_t);

}  // namespace imli
