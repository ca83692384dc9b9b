#include "core/optimal/node_rows.hpp"

#include <numeric>

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

NodeRows all_rows(const Problem& problem) {
    NodeRows node;
    const std::size_t n = problem.size();
    node.rows.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        node.rows.push_back({problem.weights[i], problem.classes[i], problem.n_rows[i]});
    }
    node.sure_loss.assign(problem.sure_loss.begin(), problem.sure_loss.end());
    for (const Column& column : problem.columns) {
        node.codes.emplace_back(column.codes.begin(), column.codes.end());
        auto& order = node.order.emplace_back();
        auto& sorted_codes = node.sorted_codes.emplace_back();
        if (is_counted(column)) continue;
        order.resize(n);
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return column.codes[row]; });
        for (const std::uint32_t row : order) sorted_codes.push_back(column.codes[row]);
    }
    return node;
}

void part(const Problem& problem, const NodeRows& node, std::int32_t feature, std::uint32_t cut,
          std::vector<std::uint8_t>& side) {
    const Feature& asked = problem.features[feature];
    const Positions positions(problem, asked);
    const auto& codes = node.codes[asked.column];
    side.resize(node.size());
    for (std::size_t row = 0; row < codes.size(); ++row) side[row] = positions.of(codes[row]) > cut;
}

void take_side(const NodeRows& node, std::span<const std::uint8_t> side, std::uint8_t which,
               NodeRows& out) {
    out.rows.clear();
    out.sure_loss.clear();
    std::vector<std::uint32_t> new_number(node.size());
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
        for (std::size_t row = 0; row < node.size(); ++row) {
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
