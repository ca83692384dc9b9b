#include "core/rules/row_sets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace treewright::rules {

namespace {

constexpr std::size_t block_size = 16;  // words that are compared with all parts of a rule in turn
constexpr std::size_t sets_between_checks = 64;
constexpr int few_rows = 12;  // of a word: read one by one

using Lanes = std::array<double, 8>;  // one for each row of a byte

// For each value of a byte: all bits or none for each of its eight rows.
constexpr auto row_masks = [] {
    std::array<std::array<Word, 8>, 256> masks{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        for (unsigned row = 0; row < 8; ++row) {
            masks[byte][row] = byte >> (7 - row) & 1 ? ~Word{0} : 0;
        }
    }
    return masks;
}();

constexpr bool first_byte_is_lowest = std::endian::native == std::endian::little;

double weight_of_few(Word rows, const double* weights) {
    double sum = 0.0;
    for (; rows != 0; rows &= rows - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(rows));
        sum += weights[first_byte_is_lowest ? bit ^ 7 : 63 - bit];
    }
    return sum;
}

double weight_of_many(Word rows, const double* weights) {
    Lanes sums{};
    for (std::size_t byte = 0; byte < 8; ++byte) {
        const std::size_t shift = 8 * (first_byte_is_lowest ? byte : 7 - byte);
        const auto& masks = row_masks[rows >> shift & 255];
        for (std::size_t row = 0; row < 8; ++row) {
            const auto weight = std::bit_cast<Word>(weights[8 * byte + row]);
            sums[row] += std::bit_cast<double>(weight & masks[row]);
        }
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// The weights of all bits, or none: then rows are counted.
class Weigher {
public:
    explicit Weigher(std::span<const double> weights) : weights_(weights) {}

    double weigh(Word rows, std::size_t word) const {
        const int n_rows = std::popcount(rows);
        if (weights_.empty()) return n_rows;
        const double* const weights = weights_.data() + word * rows_of_word;
        return n_rows <= few_rows ? weight_of_few(rows, weights) : weight_of_many(rows, weights);
    }

private:
    std::span<const double> weights_;
};

std::vector<std::size_t> words_with_rows(const RowSets& sets) {
    std::vector<std::size_t> found;
    for (std::size_t word = 0; word < sets.n_words; ++word) {
        Word any = 0;
        for (std::size_t at = 0; at < sets.size(); ++at) any |= sets.set(at)[word];
        if (any != 0) found.push_back(word);
    }
    return found;
}

// Some words of the rows that are in all parts of a rule, and of those that are in all but one.
struct BlockOfRule {
    std::array<Word, block_size> in_all{}, in_all_but_one{};

    BlockOfRule(const RowSets& parts, std::span<const Word> everything, std::size_t first,
                std::size_t size) {
        std::array<Word, block_size> failed{}, failed_twice{};
        for (std::size_t at = 0; at < parts.size(); ++at) {
            const Word* const part = parts.set(at) + first;
            for (std::size_t i = 0; i < size; ++i) {
                failed_twice[i] |= failed[i] & ~part[i];
                failed[i] |= ~part[i];
            }
        }
        for (std::size_t i = 0; i < size; ++i) {
            in_all[i] = everything[first + i] & ~failed[i];
            in_all_but_one[i] = everything[first + i] & failed[i] & ~failed_twice[i];
        }
    }
};

}  // namespace

void fill_shared_weights(const RowSets& sets, const RowSets& within,
                         std::span<const double> weights, const std::function<void()>& check,
                         std::span<double> out) {
    const std::vector<std::size_t> words = words_with_rows(within);
    const std::size_t n_sets = sets.size();
    const Weigher weigher(weights);
    for (std::size_t at = 0; at < n_sets; ++at) {
        if (at % sets_between_checks == 0) check();
        const Word* const set = sets.set(at);
        for (std::size_t i = 0; i < within.size(); ++i) {
            double sum = 0.0;
            for (const std::size_t word : words) {
                const Word rows = set[word] & within.set(i)[word];
                if (rows != 0) sum += weigher.weigh(rows, word);
            }
            out[i * n_sets + at] = sum;
        }
    }
}

void fill_weights_without_each(const RowSets& parts, std::span<const Word> everything,
                               std::span<const Word> wrong, std::span<const double> weights,
                               std::span<double> out) {
    const std::size_t n_parts = parts.size(), n_words = everything.size();
    const Weigher weigher(weights);
    double* const right_rows = out.data();  // until they are added to the wrong ones below
    double* const wrong_rows = out.data() + n_parts + 1;
    std::ranges::fill(out, 0.0);
    const auto add = [&](Word rows, std::size_t word, std::size_t at) {
        if (rows == 0) return;
        right_rows[at] += weigher.weigh(rows & ~wrong[word], word);
        wrong_rows[at] += weigher.weigh(rows & wrong[word], word);
    };
    for (std::size_t first = 0; first < n_words; first += block_size) {
        const std::size_t size = std::min(block_size, n_words - first);
        const BlockOfRule block(parts, everything, first, size);
        for (std::size_t i = 0; i < size; ++i) {
            add(block.in_all[i], first + i, n_parts);
            if (block.in_all_but_one[i] == 0) continue;
            for (std::size_t at = 0; at < n_parts; ++at) {
                add(block.in_all_but_one[i] & ~parts.set(at)[first + i], first + i, at);
            }
        }
    }
    for (std::size_t at = 0; at < n_parts; ++at) {  // a rule without a part covers more
        right_rows[at] += right_rows[n_parts];
        wrong_rows[at] += wrong_rows[n_parts];
    }
    for (std::size_t at = 0; at <= n_parts; ++at) right_rows[at] += wrong_rows[at];
}

}  // namespace treewright::rules
