#include "core/prune/cost_complexity.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/arithmetic/as_index.hpp"

namespace treewright {

namespace {

using Node = std::size_t;

constexpr Node NO_NODE = std::numeric_limits<Node>::max();
constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double ROUNDING = 1e-12;  // share of a node's own risk below which savings are equal

// Inner nodes by price, the highest on top: pairing heaps that share their arrays. Two heaps
// merge in one step, so a chain of nodes costs no more than a balanced tree.
class PriceHeaps {
public:
    explicit PriceHeaps(std::span<const double> prices)
        : prices_(prices), first_(prices.size(), NO_NODE), next_(prices.size(), NO_NODE) {}

    Node merged(Node left, Node right) {
        if (left == NO_NODE) return right;
        if (right == NO_NODE) return left;
        if (prices_[left] < prices_[right]) std::swap(left, right);
        next_[right] = first_[left];
        first_[left] = right;
        return left;
    }

    Node without_top(Node top) {
        pairs_.clear();
        for (Node heap = first_[top]; heap != NO_NODE;) {
            const Node second = next_[heap];
            const Node rest = second == NO_NODE ? NO_NODE : next_[second];
            next_[heap] = NO_NODE;
            if (second != NO_NODE) next_[second] = NO_NODE;
            pairs_.push_back(merged(heap, second));
            heap = rest;
        }
        Node all = NO_NODE;
        for (; !pairs_.empty(); pairs_.pop_back()) all = merged(pairs_.back(), all);
        return all;
    }

private:
    std::span<const double> prices_;
    std::vector<Node> first_;  // of the heaps below a node
    std::vector<Node> next_;   // sibling of a node
    std::vector<Node> pairs_;
};

// What a subtree costs just before its top becomes a leaf.
struct Subtree {
    double risk;
    double n_leaves;
};

// Nodes that follow each other. (std::views::iota would do, but clang 14 cannot read GCC's.)
struct Children {
    Node first, end;
};

// A leaf has none.
Children children_of(const SubtreeRisks& tree, Node node) {
    const auto n = as_index(tree.n_children[node]);
    const Node first = n ? as_index(tree.first_child[node]) : 0;
    return {first, first + n};
}

// A node is gone as soon as one above it is cut.
void lower_to_price_above(const SubtreeRisks& tree, std::span<double> prices) {
    for (Node node = 0; node < tree.n_nodes(); ++node) {
        const auto [first, end] = children_of(tree, node);
        for (Node child = first; child < end; ++child) {
            if (tree.n_children[child]) prices[child] = std::min(prices[child], prices[node]);
        }
    }
}

}  // namespace

// Seen from a high price down, every child is a leaf first; the cut below that ends at the
// highest price is undone first. So each cut is undone once, for the first ancestor that is cut
// before it, and never looked at again: n log n in all.
void weakest_link_prices(const SubtreeRisks& tree, std::span<double> prices) {
    std::ranges::fill(prices, INFINITE);
    PriceHeaps heaps(prices);
    std::vector<Node> cuts(tree.n_nodes(), NO_NODE);  // the heap of the cuts in each subtree
    std::vector<Subtree> kept(tree.n_nodes());
    for (Node node = tree.n_nodes(); node-- > 0;) {
        if (tree.n_children[node] == 0) continue;
        Subtree subtree{tree.stopped[node], static_cast<double>(tree.n_children[node])};
        Node below = NO_NODE;
        const auto [first, end] = children_of(tree, node);
        for (Node child = first; child < end; ++child) {
            subtree.risk += tree.as_leaf[child];
            below = heaps.merged(below, cuts[child]);
        }
        const auto price = [&] {
            return (tree.as_leaf[node] - subtree.risk) / (subtree.n_leaves - 1.0);
        };
        while (below != NO_NODE && prices[below] > price()) {
            subtree.risk -= tree.as_leaf[below] - kept[below].risk;
            subtree.n_leaves += kept[below].n_leaves - 1.0;
            below = heaps.without_top(below);
        }
        prices[node] = price();
        kept[node] = subtree;
        cuts[node] = heaps.merged(node, below);
    }
    lower_to_price_above(tree, prices);
}

void saving_per_leaf_prices(const SubtreeRisks& tree, double least, std::span<double> prices) {
    std::ranges::fill(prices, INFINITE);
    std::vector<double> as_subtree(tree.as_leaf.begin(), tree.as_leaf.end());
    std::vector<double> more_leaves(tree.n_nodes(), 0.0);  // than one
    std::vector<double> saving(tree.n_nodes(), 0.0);       // for each of these
    std::vector<Node> children;
    for (Node node = tree.n_nodes(); node-- > 0;) {
        if (tree.n_children[node] == 0) continue;
        double risk = tree.stopped[node];
        double more = tree.n_children[node] - 1.0;
        children.clear();
        const auto [first, end] = children_of(tree, node);
        for (Node child = first; child < end; ++child) {
            children.push_back(child);
            risk += as_subtree[child];
            more += more_leaves[child];
        }
        std::ranges::stable_sort(children, {}, [&](Node child) { return saving[child]; });
        const double own = tree.as_leaf[node];
        const double rounding = ROUNDING * own;
        for (const Node child : children) {
            if ((own - risk) / more <= saving[child] + rounding) break;
            risk += tree.as_leaf[child] - as_subtree[child];
            more -= more_leaves[child];
        }
        prices[node] = (own - risk) / more;
        if (prices[node] <= least + rounding) {
            prices[node] = std::min(prices[node], least);
            continue;
        }
        as_subtree[node] = risk;
        more_leaves[node] = more;
        saving[node] = prices[node];
    }
    lower_to_price_above(tree, prices);
}

}  // namespace treewright
