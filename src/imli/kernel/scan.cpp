#include "scan.hpp"

#include <bit>
#include <limits>

// GCC for Windows keeps wide registers at addresses where they must not be, so it takes the plain way, as does MSVC.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)
#include <immintrin.h>
#define IMLI_X86 1
#endif

// Loops that a compiler makes good use of wider registers in. It is glibc that chooses between the clones.
#if defined(IMLI_X86) && defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define IMLI_WIDE __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define IMLI_WIDE
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

#endif

using ScanPanel = void (*)(const Word*, const OpenRows&, std::int64_t*);

ScanPanel fastest() {
#ifdef IMLI_X86
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq")) return scan_panel_avx512;
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
