#include "core/optimal/node_rows.hpp"

#include <numeric>

#include "core/arithmetic/as_index.hpp"

namespace treewright::optimal {

Weight NodeRows::weight() const {
    Weight sum = 0;
    for (const Row& row : rows) sum += row.weight;
    return sum;
}

Weight NodeRows::least_loss() const {
    return std::accumulate(sure_loss.begin(), sure_loss.end(), Weight{0});
}

std::int64_t NodeRows::n_table_rows() const {
    std::int64_t n = 0;
    for (const Row& row : rows) n += row.n_rows;
    return n;
}

std::vector<Weight> NodeRows::class_weights(std::uint32_t n_classes) const {
    std::vector<Weight> totals(n_classes, 0);
    for (const Row& row : rows) totals[row.label] += row.weight;
    return totals;
}

namespace {

// Rows by rising code, and the codes in that order: codes are small, so they are counted.
void sort_by_code(const Column& column, std::vector<std::uint32_t>& order,
                  std::vector<std::uint32_t>& sorted_codes) {
    std::vector<std::uint32_t> next(static_cast<std::size_t>(column.n_values) + 2, 0);
    for (const std::uint32_t code : column.codes) ++next[code + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    order.resize(column.codes.size());
    sorted_codes.resize(column.codes.size());
    for (std::size_t row = 0; row < column.codes.size(); ++row) {
        const std::uint32_t code = column.codes[row], place = next[code]++;
        order[place] = static_cast<std::uint32_t>(row);
        sorted_codes[place] = code;
    }
}

}  // namespace

bool take_all(const Problem& problem, const Stops& stops, NodeRows& out) {
    out.rows.reserve(problem.size());
    for (std::size_t i = 0; i < problem.size(); ++i) {
        out.rows.push_back({problem.weights[i], problem.classes[i], problem.n_rows[i]});
    }
    out.sure_loss.assign(problem.sure_loss.begin(), problem.sure_loss.end());
    const std::size_t n_columns = problem.columns.size();
    out.codes.resize(n_columns);
    out.order.resize(n_columns);
    out.sorted_codes.resize(n_columns);
    for (std::size_t at = 0; at < n_columns; ++at) {
        if (stops()) return false;
        const Column& column = problem.columns[at];
        if (is_counted(column)) {
            out.codes[at].assign(column.codes.begin(), column.codes.end());
        } else {
            sort_by_code(column, out.order[at], out.sorted_codes[at]);
        }
    }
    return true;
}

void part(const Problem& problem, const NodeRows& node, std::int32_t feature, std::uint32_t cut,
          std::vector<std::uint8_t>& side) {
    const Feature& asked = problem.features[as_index(feature)];
    const std::size_t column = as_index(asked.column);
    const Positions positions(problem, asked);
    const auto& codes = node.codes[column];
    const auto& order = node.order[column];
    const auto& sorted_codes = node.sorted_codes[column];
    side.resize(node.size());
    for (std::size_t row = 0; row < codes.size(); ++row) side[row] = positions.of(codes[row]) > cut;
    for (std::size_t i = 0; i < order.size(); ++i) {
        side[order[i]] = positions.of(sorted_codes[i]) > cut;
    }
}

void take_side(const NodeRows& node, std::span<const std::uint8_t> side, std::uint8_t which,
               std::vector<std::uint32_t>& new_number, NodeRows& out) {
    out.rows.clear();
    out.sure_loss.clear();
    new_number.resize(node.size());
    for (std::size_t row = 0; row < node.size(); ++row) {
        new_number[row] = static_cast<std::uint32_t>(out.rows.size());
        if (side[row] != which) continue;
        out.rows.push_back(node.rows[row]);
        out.sure_loss.push_back(node.sure_loss[row]);
    }
    out.codes.resize(node.codes.size());
    out.order.resize(node.order.size());
    out.sorted_codes.resize(node.order.size());
    for (std::size_t column = 0; column < node.codes.size(); ++column) {
        auto& codes = out.codes[column];
        auto& order = out.order[column];
        auto& sorted_codes = out.sorted_codes[column];
        codes.clear();
        order.clear();
        sorted_codes.clear();
        for (std::size_t row = 0; row < node.codes[column].size(); ++row) {
            if (side[row] == which) codes.push_back(node.codes[column][row]);
        }
        for (std::size_t i = 0; i < node.order[column].size(); ++i) {
            const std::uint32_t row = node.order[column][i];
            if (side[row] != which) continue;
            order.push_back(new_number[row]);
            sorted_codes.push_back(node.sorted_codes[column][i]);
        }
    }
}

}  // namespace treewright::optimal
