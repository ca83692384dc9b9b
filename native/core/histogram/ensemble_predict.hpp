// Prediction by all trees of an ensemble.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <span>
#include <vector>

#include "core/histogram/row_blocks.hpp"
#include "core/histogram/walking_tree.hpp"

namespace treewright::histogram {

struct PackedEnsemble;

// What a leaf adds to the answers of a row.
//   value   its one value, to output number (tree % n_outputs)
//   shares  its values, divided by their sum
//   vote    1 for the largest of its values, the first of equals
enum class LeafAnswer : std::uint8_t { value, shares, vote };

struct Combining {
    LeafAnswer answer = LeafAnswer::value;
    std::size_t n_outputs = 1;
    std::size_t first_tree = 0, last_tree = 0;  // the last one does not answer
};

// Trees arranged for prediction, each when it is first asked. Every row sums up the answers in the
// order of the trees, whatever the number of threads or of rows. Threads may share a predictor.
class EnsemblePredictor {
public:
    explicit EnsemblePredictor(const PackedEnsemble& ensemble);
    ~EnsemblePredictor();

    // Adds to `out`, n_outputs numbers per row. `check` may throw to give up.
    void add_answers(const BlockSource& source, const Combining& combining, int n_threads,
                     std::span<double> out, const std::function<void()>& check);

    // The nodes where rows end, numbered as in the unpacked trees: one per tree for each row.
    void find_leaves(const BlockSource& source, std::size_t first_tree, std::size_t last_tree,
                     int n_threads, std::span<std::int32_t> out,
                     const std::function<void()>& check);

    // The values of a tree have changed.
    void forget(std::size_t tree);

private:
    struct ArrangedTree;
    class Work;

    // Makes what is missing, then keeps others from making more until the lock is let go.
    std::shared_lock<std::shared_mutex> arranged(const Combining& combining);
    bool is_arranged(const Combining& combining) const;
    void arrange(const Combining& combining);
    template <class Use>
    void for_each_block(const BlockSource& source, int n_threads,
                        const std::function<void()>& check, Use use) const;

    const PackedEnsemble& ensemble_;
    std::shared_mutex mutex_;
    RowBlocks blocks_;
    std::vector<std::unique_ptr<ArrangedTree>> trees_;
};

}  // namespace treewright::histogram
