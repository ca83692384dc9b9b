#include "core/optimal/cut_lines.hpp"

#include <algorithm>

#include "core/arithmetic/as_index.hpp"

namespace treewright::optimal {
namespace {

// The rows of each code that the node has, by rising code, so what is missing comes last.
struct Groups {
    std::size_t n_classes = 0;
    std::vector<std::uint32_t> code;
    std::vector<std::int64_t> n_rows;
    std::vector<Weight> by_class;  // (groups, classes)

    std::size_t size() const { return code.size(); }
    std::span<const Weight> classes(std::size_t group) const {
        return {by_class.data() + group * n_classes, n_classes};
    }
    void reserve(std::size_t n_groups) {
        code.reserve(n_groups);
        n_rows.reserve(n_groups);
        by_class.reserve(n_groups * n_classes);
    }
    void open(std::uint32_t of_code) {
        code.push_back(of_code);
        n_rows.push_back(0);
        by_class.resize(by_class.size() + n_classes, 0);
    }
    void add(std::size_t group, const Row& row) {
        n_rows[group] += row.n_rows;
        by_class[group * n_classes + row.label] += row.weight;
    }
    void drop_empty() {
        std::size_t kept = 0;
        for (std::size_t group = 0; group < size(); ++group) {
            if (n_rows[group] == 0) continue;
            code[kept] = code[group];
            n_rows[kept] = n_rows[group];
            std::ranges::copy(classes(group), by_class.data() + kept * n_classes);
            ++kept;
        }
        code.resize(kept);
        n_rows.resize(kept);
        by_class.resize(kept * n_classes);
    }
};

Groups groups_of(const Problem& problem, const NodeRows& node, std::int32_t column) {
    Groups groups;
    groups.n_classes = problem.n_classes;
    const Column& described = problem.columns[as_index(column)];
    if (is_counted(described)) {
        for (std::uint32_t c = 0; c <= described.n_values; ++c) groups.open(c);
        const auto& codes = node.codes[as_index(column)];
        for (std::size_t row = 0; row < codes.size(); ++row) groups.add(codes[row], node.rows[row]);
        groups.drop_empty();
        return groups;
    }
    const auto& order = node.order[as_index(column)];
    const auto& codes = node.sorted_codes[as_index(column)];
    std::size_t n_groups = 1;
    for (std::size_t i = 1; i < codes.size(); ++i) n_groups += codes[i] != codes[i - 1];
    groups.reserve(n_groups);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i == 0 || codes[i] != codes[i - 1]) groups.open(codes[i]);
        groups.add(groups.size() - 1, node.rows[order[i]]);
    }
    return groups;
}

// Both sides of a cut that moves from left to right, and the best place it has been at.
class Sweep {
public:
    Sweep(const Groups& groups, const LeafLimits& leaf)
        : groups_(groups), left_(groups.n_classes, 0), right_(groups.n_classes, 0), leaf_(leaf) {
        for (std::size_t group = 0; group < groups.size(); ++group) {
            n_right_ += groups.n_rows[group];
            const auto of_classes = groups.classes(group);
            for (std::size_t k = 0; k < right_.size(); ++k) right_[k] += of_classes[k];
        }
        for (const Weight of_class : right_) weight_ += of_class;
    }
    void move_left(std::size_t group) {
        const auto of_classes = groups_.classes(group);
        for (std::size_t k = 0; k < left_.size(); ++k) {
            left_[k] += of_classes[k];
            right_[k] -= of_classes[k];
            left_weight_ += of_classes[k];
        }
        n_left_ += groups_.n_rows[group];
        n_right_ -= groups_.n_rows[group];
    }
    void cut_at(std::uint32_t position, CutLine& line, Stump& stump) {
        line.cut.push_back(position);
        line.left_weight.push_back(left_weight_);
        const Weight hits = *std::ranges::max_element(left_) + *std::ranges::max_element(right_);
        if (hits > line.best_hits) {
            line.best_hits = hits;
            line.best = line.cut.size() - 1;
        }
        const bool allowed =
            leaf_.allow(n_left_, left_weight_) && leaf_.allow(n_right_, weight_ - left_weight_);
        if (allowed && hits > stump.hits) stump = {line.feature, position, hits};
    }
    Weight weight() const { return weight_; }

private:
    const Groups& groups_;
    std::vector<Weight> left_, right_;
    Weight weight_ = 0, left_weight_ = 0;
    std::int64_t n_left_ = 0, n_right_ = 0;
    LeafLimits leaf_;
};

void cut_by_set(const Feature& asked, const Groups& groups, bool has_missing, Sweep& sweep,
                CutLine& line, Stump& stump) {
    std::size_t n_moved = 0;
    for (const std::uint32_t level : asked.set) {
        const auto at = std::ranges::lower_bound(groups.code, level);
        if (at == groups.code.end() || *at != level) continue;
        sweep.move_left(static_cast<std::size_t>(at - groups.code.begin()));
        ++n_moved;
    }
    if (asked.kind == Feature::Kind::set_with_missing && has_missing) {
        sweep.move_left(groups.size() - 1);
        ++n_moved;
    }
    if (n_moved > 0 && n_moved < groups.size()) sweep.cut_at(0, line, stump);
}

void cut_in_order(const Feature& asked, const Groups& groups, Sweep& sweep, CutLine& line,
                  Stump& stump) {
    const bool missing_first = asked.kind == Feature::Kind::missing_first;
    line.cut.reserve(groups.size());
    line.left_weight.reserve(groups.size());
    if (missing_first) sweep.move_left(groups.size() - 1);
    const std::size_t n_moving = groups.size() - (missing_first ? 2 : 1);
    for (std::size_t group = 0; group < n_moving; ++group) {
        sweep.move_left(group);
        sweep.cut_at(groups.code[group] + (missing_first ? 1 : 0), line, stump);
    }
}

}  // namespace

NodeCuts cuts_of(const Problem& problem, const NodeRows& node, const LeafLimits& leaf,
                 const Stops& stops) {
    NodeCuts out;
    for (std::size_t first = 0; first < problem.features.size();) {
        if (node.is_long() && stops()) {
            out.complete = false;
            break;
        }
        const std::int32_t column = problem.features[first].column;
        const Groups groups = groups_of(problem, node, column);
        const bool has_missing = groups.code.back() == problem.columns[as_index(column)].n_values;
        const Sweep start(groups, leaf);
        std::size_t feature = first;
        for (; feature < problem.features.size(); ++feature) {
            const Feature& asked = problem.features[feature];
            if (asked.column != column) break;
            // Without missing values, a test that sends them left splits the rows as its twin does.
            if (groups.size() < 2 || (asked.takes_missing_left() && !has_missing)) continue;
            CutLine line;
            line.feature = static_cast<std::int32_t>(feature);
            line.weight = start.weight();
            Sweep sweep = start;
            if (asked.is_set()) {
                cut_by_set(asked, groups, has_missing, sweep, line, out.stump);
            } else {
                cut_in_order(asked, groups, sweep, line, out.stump);
            }
            if (line.cut.empty()) continue;
            out.free_hits = std::max(out.free_hits, line.best_hits);
            out.lines.push_back(std::move(line));
        }
        first = feature;
    }
    return out;
}

}  // namespace treewright::optimal
