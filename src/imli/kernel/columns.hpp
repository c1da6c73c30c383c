// Bits straight from columns of cells.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bits.hpp"

namespace imli {

// Which literals accept a cell, by its kind: kinds are what the literals of a column tell apart.
struct Accepts {
    const bool* by_kind;  // [kind][literal]
    std::size_t n_kinds, n_literals;
};

// The kind of a cell, of which the last is "missing":
//   numbers: twice the number of cuts below it, and one more if it is itself a cut
//   codes: the code
template <class Number>
struct Numbers {
    const Number* values;
    const bool* missing;
    const Number* cuts;  // ascending
    std::size_t n_cuts;
};

struct Codes {
    const std::int32_t* values;
    const bool* missing;
};

// Sets bit r of word w of each literal if it accepts cell 64·w + r. Literals are n_words apart.
template <class Cells>
void pack(const Cells& cells, std::size_t n_rows, const Accepts& accepts, Word* bits, std::size_t n_words,
          std::size_t n_threads);

// How many cells there are of each kind.
template <class Cells>
void count(const Cells& cells, std::size_t n_rows, std::size_t n_kinds, std::int64_t* n_of_kind);

}  // namespace imli
