#include "core/linear/passes.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/linear/coefficients.hpp"
#include "core/parallel.hpp"

namespace treewright::linear {
namespace {

constexpr std::size_t rows_of_a_chunk = 2048;
constexpr std::size_t most_chunks = 64;
constexpr std::size_t rows_between_checks = 1024;
constexpr std::size_t most_partial_sums = std::size_t{1} << 23;  // doubles in all chunks together

// How rows are cut into chunks: by their number and by how much each chunk must keep.
struct Chunks {
    std::size_t n_rows, n_chunks;

    Chunks(std::size_t rows, std::size_t kept_by_chunk)
        : n_rows(rows),
          n_chunks(std::clamp<std::size_t>(
              std::min((rows + rows_of_a_chunk - 1) / rows_of_a_chunk,
                       most_partial_sums / std::max<std::size_t>(kept_by_chunk, 1)),
              1, most_chunks)) {}

    std::size_t begin(std::size_t chunk) const { return n_rows * chunk / n_chunks; }
    std::size_t end(std::size_t chunk) const { return begin(chunk + 1); }
};

// Calls visit(row) for all rows of a chunk, and asks now and then whether to go on.
template <class Visit>
void for_rows(const Chunks& chunks, std::size_t chunk, const std::function<void()>& check,
              Visit visit) {
    for (std::size_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
        if (row % rows_between_checks == 0) check();
        visit(row);
    }
}

void add_products(const LinearRows& rows, std::size_t row, double factor, std::span<double> sums) {
    const std::size_t n_terms = rows.n_terms();
    const double* values = rows.numbers_of(row);
    for (std::size_t one = 0; one < rows.n_numbers; ++one) {
        const double weighted = factor * values[one];
        double* to = sums.data() + one * n_terms;
        for (std::size_t other = one; other < rows.n_numbers; ++other) {
            to[other] += weighted * values[other];
        }
    }
    const auto slots = rows.slots_of(row);
    for (std::size_t at = 0; at < slots.size(); ++at) {
        const std::size_t slot = static_cast<std::size_t>(slots[at]) + rows.n_numbers;
        for (std::size_t one = 0; one < rows.n_numbers; ++one) {
            sums[one * n_terms + slot] += factor * values[one];
        }
        // Slots of later columns have larger numbers: the upper triangle again.
        for (std::size_t next = at; next < slots.size(); ++next) {
            const std::size_t other = static_cast<std::size_t>(slots[next]) + rows.n_numbers;
            sums[slot * n_terms + other] += factor;
        }
    }
}

}  // namespace

void fill_scores(const LinearRows& rows, std::span<const double> coefficients,
                 std::size_t n_outputs, const Pass& pass, std::span<double> scores) {
    Coefficients filled(rows, n_outputs);
    filled.read(coefficients);
    const Chunks chunks(rows.n_rows(), 0);
    const auto chunk_scores = [&](std::size_t chunk, int) {
        for_rows(chunks, chunk, pass.check, [&](std::size_t row) {
            filled.fill_scores(rows, row, scores.subspan(row * n_outputs, n_outputs));
        });
    };
    run_tasks(chunks.n_chunks, pass.n_threads, chunk_scores, pass.check);
}

double cost_and_gradient(const LinearRows& rows, LinearLoss loss, std::span<const double> target,
                         std::span<const double> coefficients, const Pass& pass,
                         std::span<double> gradient) {
    const std::size_t n_outputs = coefficients.size() / rows.n_terms();
    Coefficients filled(rows, n_outputs);
    filled.read(coefficients);
    const Chunks chunks(rows.n_rows(), coefficients.size());
    std::vector<Coefficients> slopes(chunks.n_chunks, Coefficients(rows, n_outputs));
    std::vector<double> costs(chunks.n_chunks);
    const auto chunk_sums = [&](std::size_t chunk, int) {
        std::vector<double> of_row(n_outputs);
        double cost = 0;
        for_rows(chunks, chunk, pass.check, [&](std::size_t row) {
            filled.fill_scores(rows, row, of_row);
            cost += rows.shares[row] * cost_and_slopes(loss, target[row], of_row);
            for (double& slope : of_row) slope *= rows.shares[row];
            slopes[chunk].add_row(rows, row, of_row);
        });
        costs[chunk] = cost;
    };
    run_tasks(chunks.n_chunks, pass.n_threads, chunk_sums, pass.check);
    double cost = costs[0];
    for (std::size_t chunk = 1; chunk < chunks.n_chunks; ++chunk) {
        cost += costs[chunk];
        slopes[0].add(slopes[chunk]);
    }
    slopes[0].write(gradient);
    return cost;
}

void fill_products(const LinearRows& rows, std::span<const double> factors, const Pass& pass,
                   std::span<double> products) {
    const std::size_t n_terms = rows.n_terms();
    const Chunks chunks(rows.n_rows(), n_terms * n_terms);
    std::vector<std::vector<double>> sums(chunks.n_chunks);
    const auto chunk_sums = [&](std::size_t chunk, int) {
        sums[chunk].resize(n_terms * n_terms);
        for_rows(chunks, chunk, pass.check, [&](std::size_t row) {
            const double factor = factors.empty() ? 1.0 : factors[row];
            add_products(rows, row, rows.shares[row] * factor, sums[chunk]);
        });
    };
    run_tasks(chunks.n_chunks, pass.n_threads, chunk_sums, pass.check);
    for (std::size_t one = 0; one < n_terms; ++one) {
        for (std::size_t other = one; other < n_terms; ++other) {
            double sum = sums[0][one * n_terms + other];
            for (std::size_t chunk = 1; chunk < chunks.n_chunks; ++chunk) {
                sum += sums[chunk][one * n_terms + other];
            }
            products[one * n_terms + other] = products[other * n_terms + one] = sum;
        }
    }
}

}  // namespace treewright::linear
