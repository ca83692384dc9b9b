#include "core/linear/passes.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/linear/coefficients.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/parallel/work_meter.hpp"

namespace treewright::linear {
namespace {

constexpr std::size_t rows_of_a_chunk = 2048;
constexpr std::size_t most_chunks = 64;
constexpr std::size_t most_partial_sums = std::size_t{1} << 23;  // doubles in all chunks together

// How rows are cut into chunks: by their number and by how much each chunk must store.
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
void for_rows(const Chunks& chunks, std::size_t chunk, std::size_t work_of_row,
              const std::function<void()>& check, Visit visit) {
    WorkMeter meter(check);
    for (std::size_t row = chunks.begin(chunk); row < chunks.end(chunk); ++row) {
        meter.add(work_of_row);
        visit(row);
    }
}

double factor_of(const LinearRows& rows, std::size_t row, std::span<const double> factors) {
    return factors.empty() ? rows.shares[row] : rows.shares[row] * factors[row];
}

// A few rows, turned so that the numbers of four columns lie side by side, row after row.
class TurnedBlock {
public:
    static constexpr std::size_t size = 64;

    explicit TurnedBlock(const LinearRows& rows)
        : rows_(rows), values_(size * rows.stride), weighted_(size * rows.stride) {}

    void fill(std::size_t first, std::size_t end, std::span<const double> factors) {
        n_ = end - first;
        for (std::size_t row = first; row < end; ++row) {
            const double* numbers = rows_.numbers_of(row);
            const double factor = factor_of(rows_, row, factors);
            for (std::size_t c = 0; c < rows_.stride; ++c) {
                const std::size_t at = place(c) + (row - first) * n_lanes + c % n_lanes;
                values_[at] = numbers[c];
                weighted_[at] = factor * numbers[c];
            }
        }
    }

    // The products of four columns with all from there on, row after row for each of them.
    void add_products(std::size_t one, std::span<double> sums) const {
        for (std::size_t other = one; other < rows_.n_numbers; other += n_lanes) {
            const double* left = weighted_.data() + place(one);
            const double* right = values_.data() + place(other);
            double tile[n_lanes][n_lanes] = {};
            for_cells(one, other, [&](std::size_t i, std::size_t j, std::size_t cell) {
                tile[i][j] = sums[cell];
            });
            for (std::size_t row = 0; row < n_; ++row, left += n_lanes, right += n_lanes) {
                for (std::size_t i = 0; i < n_lanes; ++i) {
                    for (std::size_t j = 0; j < n_lanes; ++j) tile[i][j] += left[i] * right[j];
                }
            }
            for_cells(one, other, [&](std::size_t i, std::size_t j, std::size_t cell) {
                sums[cell] = tile[i][j];
            });
        }
    }

private:
    std::size_t place(std::size_t column) const { return column / n_lanes * n_lanes * size; }

    // Those of a tile that are no filling.
    template <class Visit>
    void for_cells(std::size_t one, std::size_t other, Visit visit) const {
        const std::size_t n_left = std::min(n_lanes, rows_.n_numbers - one);
        const std::size_t n_right = std::min(n_lanes, rows_.n_numbers - other);
        for (std::size_t i = 0; i < n_left; ++i) {
            for (std::size_t j = 0; j < n_right; ++j) {
                visit(i, j, (one + i) * rows_.n_terms() + other + j);
            }
        }
    }

    const LinearRows& rows_;
    std::size_t n_ = 0;
    std::vector<double> values_, weighted_;
};

void add_slots(const LinearRows& rows, std::size_t row, double factor, std::span<double> sums) {
    const std::size_t n_terms = rows.n_terms();
    const double* values = rows.numbers_of(row);
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
        for_rows(chunks, chunk, rows.stride * n_outputs, pass.check, [&](std::size_t row) {
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
        for_rows(chunks, chunk, rows.stride * n_outputs, pass.check, [&](std::size_t row) {
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
        TurnedBlock block(rows);
        WorkMeter meter(pass.check);
        const std::size_t end = chunks.end(chunk);
        for (std::size_t first = chunks.begin(chunk); first < end; first += TurnedBlock::size) {
            const std::size_t stop = std::min(end, first + TurnedBlock::size);
            block.fill(first, stop, factors);
            for (std::size_t one = 0; one < rows.n_numbers; one += n_lanes) {
                meter.add(n_lanes * n_terms * TurnedBlock::size);
                block.add_products(one, sums[chunk]);
            }
            for (std::size_t row = first; rows.n_nominal > 0 && row < stop; ++row) {
                meter.add(rows.n_nominal * (rows.n_numbers + rows.n_nominal));
                add_slots(rows, row, factor_of(rows, row, factors), sums[chunk]);
            }
        }
    };
    run_tasks(chunks.n_chunks, pass.n_threads, chunk_sums, pass.check);
    WorkMeter meter(pass.check);
    for (std::size_t one = 0; one < n_terms; ++one) {
        meter.add((n_terms - one) * chunks.n_chunks);
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
