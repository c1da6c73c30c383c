#include "scan.hpp"

#include <bit>
#include <limits>

#ifdef IMLI_X86
#include <immintrin.h>
#endif

namespace imli {

std::int64_t OpenRows::collect(const Word* mask, const std::int64_t* weights, std::size_t n_words) {
    words.resize(n_words);
    masks.resize(n_words);
    runs.clear();
    std::size_t n = 0;
    std::int64_t total = 0;
    std::size_t w = 0;
    while (w < n_words) {
        const std::int64_t weight = weights[w];
        std::size_t end = w;
        while (end < n_words && weights[end] == weight) ++end;
        if (weight != 0) {
            const std::size_t begin = n;
            std::int64_t rows = 0;
            for (; w < end; ++w) {
                words[n] = static_cast<std::uint32_t>(w);
                masks[n] = mask[w];
                rows += std::popcount(mask[w]);
                n += mask[w] != 0;
            }
            if (n > begin) runs.push_back({begin, n, weight});
            total += rows * weight;
        }
        w = end;
    }
    return total;
}

namespace {

void scan_panel_plain(const Word* panel, const OpenRows& open, std::int64_t* totals) {
    for (std::size_t lane = 0; lane < kPanel; ++lane) totals[lane] = 0;
    for (const auto& run : open.runs) {
        std::int64_t rows[kPanel] = {};
        for (std::size_t n = run.begin; n < run.end; ++n) {
            const Word mask = open.masks[n];
            const Word* bits = panel + open.words[n] * kPanel;
            for (std::size_t lane = 0; lane < kPanel; ++lane) rows[lane] += std::popcount(bits[lane] & mask);
        }
        for (std::size_t lane = 0; lane < kPanel; ++lane) totals[lane] += rows[lane] * run.weight;
    }
}

#ifdef IMLI_X86

__attribute__((target("popcnt"))) void scan_panel_popcnt(const Word* panel, const OpenRows& open,
                                                         std::int64_t* totals) {
    for (std::size_t lane = 0; lane < kPanel; ++lane) totals[lane] = 0;
    for (const auto& run : open.runs) {
        std::int64_t rows[kPanel] = {};
        for (std::size_t n = run.begin; n < run.end; ++n) {
            const Word mask = open.masks[n];
            const Word* bits = panel + open.words[n] * kPanel;
            for (std::size_t lane = 0; lane < kPanel; ++lane) rows[lane] += __builtin_popcountll(bits[lane] & mask);
        }
        for (std::size_t lane = 0; lane < kPanel; ++lane) totals[lane] += rows[lane] * run.weight;
    }
}

__attribute__((target("avx512f,avx512dq,avx512vpopcntdq"))) void scan_panel_avx512(const Word* panel,
                                                                                  const OpenRows& open,
                                                                                  std::int64_t* totals) {
    __m512i sum[4];
    for (auto& part : sum) part = _mm512_setzero_si512();
    for (const auto& run : open.runs) {
        __m512i rows[4];
        for (auto& part : rows) part = _mm512_setzero_si512();
        for (std::size_t n = run.begin; n < run.end; ++n) {
            const __m512i mask = _mm512_set1_epi64(static_cast<long long>(open.masks[n]));
            const Word* bits = panel + open.words[n] * kPanel;
            for (int part = 0; part < 4; ++part) {
                const __m512i hit = _mm512_and_si512(mask, _mm512_load_si512(bits + part * 8));
                rows[part] = _mm512_add_epi64(rows[part], _mm512_popcnt_epi64(hit));
            }
        }
        const __m512i weight = _mm512_set1_epi64(run.weight);
        for (int part = 0; part < 4; ++part) {
            sum[part] = _mm512_add_epi64(sum[part], _mm512_mullo_epi64(rows[part], weight));
        }
    }
    for (int part = 0; part < 4; ++part) _mm512_storeu_si512(totals + part * 8, sum[part]);
}

__attribute__((target("avx512f,avx512bw"))) inline __m512i count_bits(__m512i words) {
    const __m512i of_nibble = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i low = _mm512_set1_epi8(15);
    const __m512i counts = _mm512_add_epi8(
        _mm512_shuffle_epi8(of_nibble, _mm512_and_si512(words, low)),
        _mm512_shuffle_epi8(of_nibble, _mm512_and_si512(_mm512_srli_epi16(words, 4), low)));
    return _mm512_sad_epu8(counts, _mm512_setzero_si512());
}

// Adds up three bits in each place: returns the sum, and leaves what is carried in the first.
__attribute__((target("avx512f,avx512bw"))) inline __m512i add_bits(__m512i& a, __m512i b, __m512i c) {
    const __m512i sum = _mm512_ternarylogic_epi64(a, b, c, 0x96);
    a = _mm512_ternarylogic_epi64(a, b, c, 0xe8);
    return sum;
}

// Without an instruction that counts bits in vectors: eight words are added up bit by bit before their bits are counted.
__attribute__((target("avx512f,avx512bw"))) void scan_panel_bytes(const Word* panel, const OpenRows& open,
                                                                  std::int64_t* totals) {
    for (std::size_t lane = 0; lane < kPanel; ++lane) totals[lane] = 0;
    for (const auto& run : open.runs) {
        for (std::size_t part = 0; part < kPanel / 8; ++part) {
            const auto hit = [&](std::size_t n) __attribute__((target("avx512f,avx512bw"), always_inline)) {
                return _mm512_and_si512(_mm512_set1_epi64(static_cast<long long>(open.masks[n])),
                                        _mm512_load_si512(panel + open.words[n] * kPanel + part * 8));
            };
            __m512i ones = _mm512_setzero_si512(), twos = ones, fours = ones, eights = ones, rows = ones;
            std::size_t n = run.begin;
            for (; n + 8 <= run.end; n += 8) {
                __m512i two[4], four[2];
                for (int pair = 0; pair < 4; ++pair) {
                    two[pair] = ones;
                    ones = add_bits(two[pair], hit(n + 2 * pair), hit(n + 2 * pair + 1));
                }
                for (int pair = 0; pair < 2; ++pair) {
                    four[pair] = twos;
                    twos = add_bits(four[pair], two[2 * pair], two[2 * pair + 1]);
                }
                __m512i eight = fours;
                fours = add_bits(eight, four[0], four[1]);
                eights = _mm512_add_epi64(eights, count_bits(eight));
            }
            for (; n < run.end; ++n) rows = _mm512_add_epi64(rows, count_bits(hit(n)));
            if (run.end - run.begin >= 8) {
                const __m512i upper = _mm512_add_epi64(_mm512_slli_epi64(eights, 1), count_bits(fours));
                const __m512i middle = _mm512_add_epi64(_mm512_slli_epi64(upper, 1), count_bits(twos));
                rows = _mm512_add_epi64(rows, _mm512_add_epi64(_mm512_slli_epi64(middle, 1), count_bits(ones)));
            }
            alignas(64) std::int64_t counted[8];
            _mm512_store_si512(counted, rows);
            for (std::size_t lane = 0; lane < 8; ++lane) totals[part * 8 + lane] += counted[lane] * run.weight;
        }
    }
}

#endif

using ScanPanel = void (*)(const Word*, const OpenRows&, std::int64_t*);

ScanPanel fastest() {
#ifdef IMLI_X86
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq")) return scan_panel_avx512;
    if (__builtin_cpu_supports("avx512bw")) return scan_panel_bytes;
    if (__builtin_cpu_supports("popcnt")) return scan_panel_popcnt;
#endif
    return scan_panel_plain;
}

const ScanPanel scan_panel = fastest();

}  // namespace

void scan_panels(const Table& table, const OpenRows& open, std::size_t first, std::size_t last, std::int64_t* sums) {
    for (std::size_t p = first; p < last; ++p) {
        scan_panel(table.panel(p), open, sums + p * kPanel);
    }
}

namespace {

IMLI_WIDE std::int64_t value_all(const std::uint32_t* columns, const std::int64_t* turned, std::size_t n,
                                 const std::int64_t* sums, std::int64_t all, const std::int64_t* prices,
                                 std::int64_t* values) {
    std::int64_t best = std::numeric_limits<std::int64_t>::min();
    for (std::size_t j = 0; j < n; ++j) {
        // turned is 0 or −1: the sum, or all that is not in it
        const std::int64_t total = ((sums[columns[j]] ^ turned[j]) - turned[j]) + (all & turned[j]);
        values[j] = total - prices[j];
        best = values[j] > best ? values[j] : best;
    }
    return best;
}

}  // namespace

void total_literals(const Table& table, const std::int64_t* sums, std::int64_t all, std::int64_t* totals) {
    for (std::size_t j = 0; j < table.n_literals(); ++j) {
        const std::int64_t sum = sums[table.columns[j]];
        totals[j] = table.turned[j] ? all - sum : sum;
    }
}

std::int64_t value_literals(const Table& table, const std::int64_t* sums, std::int64_t all, const std::int64_t* prices,
                            std::int64_t* values) {
    return value_all(table.columns.data(), table.turned.data(), table.n_literals(), sums, all, prices, values);
}

std::int64_t weigh(const Word* mask, const std::int64_t* weights, std::size_t n_words) {
    std::int64_t total = 0;
    for (std::size_t w = 0; w < n_words; ++w) total += std::popcount(mask[w]) * weights[w];
    return total;
}

}  // namespace imli
