#include "core/grow/tree_builder.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/parallel/row_shares.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/parallel/work_meter.hpp"

namespace treewright {
namespace {

constexpr std::size_t work_of_a_node = 100;
constexpr std::size_t nodes_worth_a_task = 2048;

struct Place {
    std::uint32_t builder, record;
};

void reserve_nodes(GrownTree& tree, std::size_t n) {
    tree.kind.resize(n);
    tree.feature.resize(n);
    tree.threshold.resize(n);
    tree.first_child.resize(n);
    tree.n_children.resize(n);
    tree.missing_child.resize(n);
    tree.value.resize(n * tree.n_values);
    tree.weight.resize(n);
    tree.n_rows.resize(n);
    tree.impurity.resize(n);
    tree.gain.resize(n);
    tree.score.resize(n);
    tree.stop_reason.resize(n);
    tree.split_order.resize(n);
}

// Where every node stands: depth first, with the children of a node side by side.
std::vector<Place> final_order(const std::vector<TreeBuilder>& builders, WorkMeter& meter,
                               std::vector<std::int32_t>& first_child) {
    const auto resolve = [&](Place place) {
        const auto subtree = builders[place.builder].records[place.record].subtree;
        return subtree < 0 ? place : Place{static_cast<std::uint32_t>(subtree), 0};
    };
    std::vector<Place> order{resolve({0, 0})};
    first_child.assign(1, 0);
    std::vector<std::uint32_t> open{0};
    while (!open.empty()) {
        meter.add(work_of_a_node);
        const auto node = open.back();
        open.pop_back();
        const Place place = order[node];
        const auto& record = builders[place.builder].records[place.record];
        if (record.n_children == 0) continue;
        const auto first = static_cast<std::uint32_t>(order.size());
        first_child[node] = static_cast<std::int32_t>(first);
        for (std::uint32_t c = 0; c < record.n_children; ++c) {
            order.push_back(resolve({place.builder, record.first_child + c}));
            first_child.push_back(0);
        }
        for (std::uint32_t c = record.n_children; c-- > 0;) open.push_back(first + c);
    }
    return order;
}

// Writes where the details of each node begin, and makes room for them.
void reserve_details(GrownTree& tree, const std::vector<TreeBuilder>& builders,
                     const std::vector<Place>& order, WorkMeter& meter) {
    std::array<std::int64_t, 4> end{};
    const std::array start{&tree.level_start, &tree.cut_start, &tree.surrogate_start,
                           &tree.competitor_start};
    for (auto* of_nodes : start) of_nodes->resize(order.size() + 1);
    for (std::size_t node = 0; node < order.size(); ++node) {
        meter.add(work_of_a_node);
        const auto& record = builders[order[node].builder].records[order[node].record];
        if (record.details) {
            end[0] += std::ssize(record.details->level_code);
            end[1] += std::ssize(record.details->cuts);
            end[2] += std::ssize(record.details->surrogates);
        }
        end[3] += record.n_competitors;
        for (std::size_t i = 0; i < end.size(); ++i) (*start[i])[node + 1] = end[i];
    }
    tree.level_code.resize(as_index(end[0]));
    tree.level_child.resize(as_index(end[0]));
    tree.cut.resize(as_index(end[1]));
    tree.surrogates.resize(as_index(end[2]));
    tree.competitors.resize(as_index(end[3]));
}

template <class T>
void move_to(std::vector<T>& to, std::int64_t start, std::vector<T>& from) {
    std::ranges::move(from, to.begin() + start);
}

void write_node(GrownTree& tree, std::size_t node, TreeBuilder& builder, std::uint32_t place) {
    NodeRecord& record = builder.records[place];
    tree.kind[node] = static_cast<std::uint8_t>(record.kind);
    tree.feature[node] = record.feature;
    tree.threshold[node] = record.threshold;
    tree.n_children[node] = static_cast<std::int32_t>(record.n_children);
    tree.missing_child[node] = record.missing_child;
    std::copy_n(builder.value(place), tree.n_values, tree.value.data() + node * tree.n_values);
    tree.weight[node] = record.weight;
    tree.n_rows[node] = record.n_rows;
    tree.impurity[node] = record.impurity;
    tree.gain[node] = record.gain;
    tree.score[node] = record.score;
    tree.stop_reason[node] = static_cast<std::uint8_t>(record.stop_reason);
    tree.split_order[node] = record.split_order;
    std::copy_n(builder.competitors.begin() + static_cast<std::ptrdiff_t>(record.first_competitor),
                record.n_competitors, tree.competitors.begin() + tree.competitor_start[node]);
    if (!record.details) return;
    move_to(tree.level_code, tree.level_start[node], record.details->level_code);
    move_to(tree.level_child, tree.level_start[node], record.details->level_child);
    move_to(tree.cut, tree.cut_start[node], record.details->cuts);
    move_to(tree.surrogates, tree.surrogate_start[node], record.details->surrogates);
    record.details.reset();
}

// Depth-first growth splits the nodes in the order in which a reader meets them.
void number_splits(GrownTree& tree, WorkMeter& meter) {
    std::int32_t next = 0;
    std::vector<std::int32_t> open{0};
    while (!open.empty()) {
        meter.add(work_of_a_node);
        const auto node = static_cast<std::size_t>(open.back());
        open.pop_back();
        if (tree.n_children[node] == 0) continue;
        if (tree.split_order[node] < 0) tree.split_order[node] = next++;
        for (auto c = tree.n_children[node]; c-- > 0;) open.push_back(tree.first_child[node] + c);
    }
}

}  // namespace

GrownTree assemble(std::vector<TreeBuilder>& builders, int n_threads, const Check& check) {
    WorkMeter meter(check);
    GrownTree tree;
    tree.n_values = builders[0].n_values;
    std::vector<std::int32_t> first_child;
    const auto order = final_order(builders, meter, first_child);
    reserve_nodes(tree, order.size());
    tree.first_child = std::move(first_child);
    reserve_details(tree, builders, order, meter);
    const RowShares shares = share_rows(order.size(), n_threads, nodes_worth_a_task);
    const auto write = [&](std::size_t share, int) {
        WorkMeter own_meter(check);
        for (std::size_t node = shares.begin(share); node < shares.end(share); ++node) {
            own_meter.add(work_of_a_node);
            write_node(tree, node, builders[order[node].builder], order[node].record);
        }
    };
    run_tasks(shares.size(), n_threads, write, check);
    number_splits(tree, meter);
    for (auto& builder : builders) {
        check();
        std::vector<NodeRecord>().swap(builder.records);
        std::vector<Competitor>().swap(builder.competitors);
    }
    return tree;
}

}  // namespace treewright
