// A small generator whose numbers are the same on every machine (xoshiro256**).
//
// Draw one number in a statement: in which order the arguments of a call are evaluated is up to the compiler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace imli {

inline std::uint64_t mix(std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

class Random {
   public:
    explicit Random(std::uint64_t seed) {
        for (auto& part : state_) part = seed = mix(seed);
    }

    std::uint64_t bits() {
        const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    std::size_t below(std::size_t n) { return static_cast<std::size_t>((bits() >> 32) * n >> 32); }
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

   private:
    static std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }
    std::uint64_t state_[4];
};

}  // namespace imli
