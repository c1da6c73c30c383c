#pragma once

#include "bits.hpp"

namespace imli {

// Rows become columns: bit c of word r becomes bit r of word c.
inline void transpose(Word* block) {
    Word mask = 0x00000000ffffffffu;
    for (int width = 32; width != 0; width /= 2, mask ^= mask << width) {
        for (int r = 0; r < 64; r = (r + width + 1) & ~width) {
            const Word moved = ((block[r] >> width) ^ block[r + width]) & mask;
            block[r] ^= moved << width;
            block[r + width] ^= moved;
        }
    }
}

}  // namespace imli
