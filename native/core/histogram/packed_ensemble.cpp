#include "core/histogram/packed_ensemble.hpp"

namespace treewright::histogram {
namespace {

template <class T>
std::size_t bytes_of(const std::vector<T>& values) {
    return values.size() * sizeof(T);
}

}  // namespace

std::size_t PackedEnsemble::n_bytes() const {
    std::size_t n = 0;
    for (const PackedTree& tree : trees) {
        n += bytes_of(tree.nodes) + bytes_of(tree.gain) + bytes_of(tree.value) +
             bytes_of(tree.weight) + bytes_of(tree.n_rows) + bytes_of(tree.set_words);
    }
    for (const BinnedColumn& column : columns) n += bytes_of(column.cuts) + bytes_of(column.levels);
    return n;
}

}  // namespace treewright::histogram
