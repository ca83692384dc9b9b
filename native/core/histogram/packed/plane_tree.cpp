#include "core/histogram/packed/plane_tree.hpp"

#include <algorithm>
#include <cstring>

#include "core/short_cuts.hpp"

namespace treewright::histogram {
namespace {

// Every processor of the two common families compares 16 bytes at once; newer x86 ones, found when
// the program runs, 32.
typedef std::uint8_t Bytes16 __attribute__((vector_size(16)));
typedef std::uint8_t Bytes32 __attribute__((vector_size(32)));

}  // namespace

// ---------------------------------------------------------------------------- building

class PlaneTree::Builder {
public:
    Builder(const PackedTree& tree, std::span<const BinnedColumn> columns, RowBlocks& blocks,
            PlaneTree& out)
        : tree_(tree), columns_(columns), blocks_(blocks), out_(out) {}

    void build() {
        count_leaves();
        place_leaves();
        std::vector<Loss> above[max_planes], not_above[max_planes];
        for (std::size_t slot = 0; slot < tree_.nodes.size(); ++slot) {
            if (n_leaves_[slot] > 1) add_losses(slot, above, not_above);
        }
        for (std::size_t plane = 0; plane < (out_.leaves_.size() + 7) / 8; ++plane) {
            auto& all = out_.losses_;
            const auto first = static_cast<std::uint32_t>(all.size());
            all.insert(all.end(), above[plane].begin(), above[plane].end());
            const auto second = static_cast<std::uint32_t>(all.size());
            all.insert(all.end(), not_above[plane].begin(), not_above[plane].end());
            out_.planes_.push_back({first, second, static_cast<std::uint32_t>(all.size())});
        }
    }

private:
    static constexpr std::size_t max_planes = max_leaves / 8;

    bool is_nominal(const PackedNode& node) const { return columns_[node.column()].nominal; }

    // Of every node; 0 for the places of sets. Children come after their parents.
    void count_leaves() {
        const std::size_t n = tree_.nodes.size();
        n_leaves_.assign(n, 1);
        for (std::size_t slot = 0; slot < n; ++slot) {
            const PackedNode& node = tree_.nodes[slot];
            if (n_leaves_[slot] == 0 || node.is_leaf()) continue;
            if (is_nominal(node)) n_leaves_[node.child - 1] = 0;
        }
        for (std::size_t slot = n; slot-- > 0;) {
            const PackedNode& node = tree_.nodes[slot];
            if (n_leaves_[slot] == 0 || node.is_leaf()) continue;
            n_leaves_[slot] = n_leaves_[node.child] + n_leaves_[node.child + 1];
        }
    }

    bool right_comes_first(const PackedNode& node) const {
        return n_leaves_[node.child + 1] < n_leaves_[node.child];
    }

    void place_leaves() {
        out_.leaves_.resize(n_leaves_[0]);
        first_place_.assign(tree_.nodes.size(), 0);
        for (std::size_t slot = 0; slot < tree_.nodes.size(); ++slot) {
            const PackedNode& node = tree_.nodes[slot];
            const std::uint32_t place = first_place_[slot];
            if (n_leaves_[slot] == 0) continue;
            if (node.is_leaf()) {
                out_.leaves_[place] = node.child;
                continue;
            }
            const bool right_first = right_comes_first(node);
            first_place_[node.child + right_first] = place;
            first_place_[node.child + !right_first] = place + n_leaves_[node.child + right_first];
        }
    }

    void add_losses(std::size_t slot, std::vector<Loss>* above, std::vector<Loss>* not_above) {
        const PackedNode& node = tree_.nodes[slot];
        Loss loss{0, node.last_left(), 0};
        if (is_nominal(node)) {
            loss = {out_.sets_.add(tree_, node, columns_[node.column()], blocks_), 0, 0};
        } else {
            loss.stream = blocks_.use(node.column(), node.missing_left());
        }
        const bool right_first = right_comes_first(node);
        const std::uint32_t first = first_place_[slot];
        const std::uint32_t end = first + n_leaves_[node.child + right_first];
        for (std::uint32_t plane = first / 8; plane * 8 < end; ++plane) {
            loss.lost = 0;
            for (std::uint32_t place = std::max(first, plane * 8);
                 place < std::min(end, plane * 8 + 8); ++place) {
                loss.lost |= static_cast<std::uint8_t>(1 << (place - plane * 8));
            }
            (right_first ? not_above : above)[plane].push_back(loss);
        }
    }

    const PackedTree& tree_;
    std::span<const BinnedColumn> columns_;
    RowBlocks& blocks_;
    PlaneTree& out_;
    std::vector<std::uint32_t> n_leaves_, first_place_;
};

bool PlaneTree::fits(const PackedTree& tree, std::span<const BinnedColumn> columns) {
    if (tree.n_leaves() > max_leaves) return false;
    std::vector<bool> is_set(tree.nodes.size(), false);
    for (std::size_t slot = 0; slot < tree.nodes.size(); ++slot) {
        const PackedNode& node = tree.nodes[slot];
        if (is_set[slot] || node.is_leaf() || !columns[node.column()].nominal) continue;
        if (columns[node.column()].is_wide()) return false;
        is_set[node.child - 1] = true;
    }
    return true;
}

PlaneTree::PlaneTree(const PackedTree& tree, std::span<const BinnedColumn> columns,
                     RowBlocks& blocks) {
    Builder(tree, columns, blocks, *this).build();
}

// ---------------------------------------------------------------------------- finding

template <class Vector>
[[gnu::always_inline]] inline void PlaneTree::find_places(const RowBlock& block, std::size_t first,
                                                          std::uint8_t* places) const {
    constexpr std::size_t n = rows_at_once / sizeof(Vector);
    const std::uint8_t* const bytes = block.bytes.data() + first;
    Vector left[n], place[n];  // the leaves left in the lowest plane that has any, and its place
    for (std::size_t k = 0; k < n; ++k) left[k] = place[k] = Vector{};
    for (std::size_t p = planes_.size(); p-- > 0;) {
        const Plane& plane = planes_[p];
        Vector lost[n];
        for (std::size_t k = 0; k < n; ++k) lost[k] = Vector{};
        for (std::uint32_t i = plane.above; i < plane.not_above; ++i) {
            const Loss loss = losses_[i];
            const std::uint8_t* const stream = bytes + loss.stream * block.stride;
            for (std::size_t k = 0; k < n; ++k) {
                Vector bins;
                std::memcpy(&bins, stream + k * sizeof(Vector), sizeof(Vector));
                lost[k] |= reinterpret_cast<Vector>(bins > loss.bin) & loss.lost;
            }
        }
        for (std::uint32_t i = plane.not_above; i < plane.end; ++i) {
            const Loss loss = losses_[i];
            const std::uint8_t* const stream = bytes + loss.stream * block.stride;
            for (std::size_t k = 0; k < n; ++k) {
                Vector bins;
                std::memcpy(&bins, stream + k * sizeof(Vector), sizeof(Vector));
                lost[k] |= reinterpret_cast<Vector>(bins <= loss.bin) & loss.lost;
            }
        }
        const auto start = static_cast<std::uint8_t>(8 * p);
        for (std::size_t k = 0; k < n; ++k) {
            const Vector none = reinterpret_cast<Vector>(lost[k] == 255);
            left[k] = (left[k] & none) | (~lost[k] & ~none);
            place[k] = (place[k] & none) | (start & ~none);
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        const Vector lowest = left[k] & -left[k];
        Vector at = place[k];
        at += reinterpret_cast<Vector>((lowest & 0xAA) != 0) & 1;
        at += reinterpret_cast<Vector>((lowest & 0xCC) != 0) & 2;
        at += reinterpret_cast<Vector>((lowest & 0xF0) != 0) & 4;
        std::memcpy(places + first + k * sizeof(Vector), &at, sizeof(Vector));
    }
}

void PlaneTree::find_by_16(const RowBlock& block, std::uint8_t* places) const {
    for (std::size_t first = 0; first < block.n_rows; first += rows_at_once) {
        find_places<Bytes16>(block, first, places);
    }
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void PlaneTree::find_by_32(const RowBlock& block,
                                                   std::uint8_t* places) const {
    for (std::size_t first = 0; first < block.n_rows; first += rows_at_once) {
        find_places<Bytes32>(block, first, places);
    }
}
#endif

void PlaneTree::find(RowBlock& block, std::uint8_t* places) const {
    sets_.fill(block);
#ifdef __x86_64__
    static const bool has_avx2 = __builtin_cpu_supports("avx2");
    if (has_avx2 && takes(ShortCut::wide_lanes)) return find_by_32(block, places);
#endif
    find_by_16(block, places);
}

}  // namespace treewright::histogram
