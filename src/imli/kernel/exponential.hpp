// Exponentials and logarithms that are the same on every machine. Those of the system's library differ in their last
// digit from one system to the next, and one draw that falls otherwise leads a whole search elsewhere.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace imli {

constexpr double kLog2 = 0x1.62e42fefa39efp-1;
constexpr double kLog2Rest = 0x1.abc9e3b39803fp-56;  // what is left of it beyond the digits of the above

// e to the power of x, for x <= 0. Off by a few units in the last place.
inline double exponential(double x) {
    if (x < -700) return 0;
    // x = n log 2 + rest, with a rest of at most half of log 2, whose series is short
    const auto n = static_cast<std::int64_t>(x * (1 / kLog2) - 0.5);
    const double rest = (x - static_cast<double>(n) * kLog2) - static_cast<double>(n) * kLog2Rest;
    constexpr double kFactors[] = {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                                   1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2,     1.0,        1.0};
    double sum = 1.0 / 479001600;
    for (const double factor : kFactors) sum = sum * rest + factor;
    return sum * std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

// The natural logarithm of x > 0.
inline double logarithm(double x) {
    int n = 0;
    double part = std::frexp(x, &n);  // exact, like all that is not arithmetic here
    if (part < 0.7) part *= 2, --n;
    const double ratio = (part - 1) / (part + 1), square = ratio * ratio;  // log part = 2 artanh ratio
    double sum = 0;
    for (int factor = 25; factor > 0; factor -= 2) sum = sum * square + 1.0 / factor;
    return n * kLog2 + 2 * ratio * sum;
}

}  // namespace imli
