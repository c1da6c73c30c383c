#include "problem.hpp"

#include <algorithm>

namespace imli {

void Problem::prepare() {
    signed_weights.assign(n_classes, table.weights);
    for (std::int32_t v = 0; v < n_classes; ++v) {
        for (std::size_t w = 0; w < table.n_words; ++w) {
            if (table.labels[w] != v) signed_weights[v][w] = -signed_weights[v][w];
        }
    }
    std::int64_t total = constant + 1;
    for (std::size_t w = 0; w < table.n_words; ++w) {
        total += std::popcount(table.filled[w]) * std::abs(table.weights[w]);
    }
    for (const std::int64_t cost : costs) total += cost == kForbidden ? 0 : cost * n_clauses;
    if (reuse_cost != kForbidden) total += reuse_cost * n_clauses * n_columns;
    penalty = std::min(total, std::int64_t{1} << 56);
}

Length::Length(const Problem& problem, const Rule& rule) {
    for (const Clause& clause : rule.clauses) {
        clauses += clause.held;
        literals += static_cast<std::int64_t>(clause.literals.size());
        for (const std::int32_t j : clause.literals) words += problem.lengths[j];
    }
}

}  // namespace imli
