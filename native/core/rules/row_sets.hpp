// Sets of training rows as bits, and what their rows weigh: what C4.5rules asks again and again.
//
// A set is a line of words. Each byte stands for eight rows, the first in its highest bit, as
// NumPy packs them, whatever the order of bytes in this machine. Weights are multiples of one power
// of two, with a total below 2^53 of them: so all sums are exact, and their order does not matter.
// Where every row weighs one, rows are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace treewright::rules {

using Word = std::uint64_t;
inline constexpr std::size_t rows_of_word = 64;

struct RowSets {
    std::span<const Word> words;  // (n, n_words)
    std::size_t n_words;

    std::size_t size() const { return n_words == 0 ? 0 : words.size() / n_words; }
    const Word* set(std::size_t at) const { return words.data() + at * n_words; }
};

// (within.size(), sets.size()): the weight of the rows that each set shares with each of `within`.
// Words in which none of `within` has a row are not read. `weights` has an entry for every bit, or
// is empty. `check` is called now and then, and may throw to cancel.
void fill_shared_weights(const RowSets& sets, const RowSets& within,
                         std::span<const double> weights, const std::function<void()>& check,
                         std::span<double> out);

// (2, parts.size() + 1): the weight of the rows of `everything` that are in all sets but the first,
// in all but the second ..., and at last in all sets; below, the part of it that is in `wrong`.
void fill_weights_without_each(const RowSets& parts, std::span<const Word> everything,
                               std::span<const Word> wrong, std::span<const double> weights,
                               std::span<double> out);

}  // namespace treewright::rules
