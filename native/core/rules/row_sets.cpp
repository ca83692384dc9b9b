#include "core/rules/row_sets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace treewright::rules {

namespace {

constexpr std::size_t block_size = 16;  // words whose bytes are added to the same eight lanes

constexpr std::size_t sets_between_checks = 64;

using Lanes = std::array<double, 8>;  // one for each byte of a word

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

// The weight of the rows of a byte, added one by one; a row that is not there adds 0.
double weight_of_byte(unsigned byte, const double* weights) {
    double sum = 0.0;
    for (std::size_t row = 0; row < 8; ++row) {
        sum += std::bit_cast<double>(std::bit_cast<Word>(weights[row]) & row_masks[byte][row]);
    }
    return sum;
}

// Writes the weight of the rows of each byte in which `changed` has a row; `weights` are those of
// the word.
void weigh_bytes(Word rows, Word changed, const double* weights, Lanes& sums) {
    while (changed != 0) {
        const auto shift = static_cast<unsigned>(std::countr_zero(changed)) & ~7U;
        changed &= ~(Word{255} << shift);
        const bool is_first_lowest = std::endian::native == std::endian::little;
        const std::size_t lane = is_first_lowest ? shift / 8 : 7 - shift / 8;
        const auto byte = static_cast<unsigned>(rows >> shift) & 255U;
        sums[lane] = weight_of_byte(byte, weights + 8 * lane);
    }
}

// The weights of all bits, or none: then rows are counted.
class Weigher {
public:
    explicit Weigher(std::span<const double> weights) : weights_(weights) {}

    // Brings the sums of the bytes of a word up to date, some rows of which are `changed`.
    void weigh(Word rows, Word changed, std::size_t word, Lanes& sums) const {
        if (weights_.empty()) {
            sums[0] = static_cast<double>(std::popcount(rows));
        } else {
            weigh_bytes(rows, changed, weights_.data() + word * rows_of_word, sums);
        }
    }
    Lanes weigh(Word rows, std::size_t word) const {
        Lanes sums{};
        if (rows != 0) weigh(rows, rows, word, sums);
        return sums;
    }

private:
    std::span<const double> weights_;
};

void add(const Lanes& some, Lanes& sums) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += some[j];
}

double total(const Lanes& of) {
    return ((of[0] + of[1]) + (of[2] + of[3])) + ((of[4] + of[5]) + (of[6] + of[7]));
}

// Several sums at once over words in blocks, which are added in pairs.
class PairedBlocks {
public:
    PairedBlocks(std::size_t n_words, std::size_t n_sums)
        : n_words_(n_words), n_sums_(n_sums), spare_(n_sums * std::bit_width(n_words)) {}

    // `sum_of_block(first, last, out)` writes the sums of these words.
    template <class SumOfBlock>
    void add_up(const SumOfBlock& sum_of_block, double* out) {
        add_up(0, n_words_, sum_of_block, out, spare_.data());
    }

private:
    template <class SumOfBlock>
    void add_up(std::size_t first, std::size_t last, const SumOfBlock& sum_of_block, double* out,
                double* spare) {
        if (last - first <= block_size) {
            sum_of_block(first, last, out);
            return;
        }
        const std::size_t middle = first + (last - first) / 2;
        add_up(first, middle, sum_of_block, out, spare);
        add_up(middle, last, sum_of_block, spare, spare + n_sums_);
        for (std::size_t i = 0; i < n_sums_; ++i) out[i] += spare[i];
    }

    std::size_t n_words_, n_sums_;
    std::vector<double> spare_;  // (levels, n_sums)
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

// The sums of one block of words of a rule: without each part, and with all of them.
class BlockOfRule {
public:
    BlockOfRule(const RowSets& parts, std::span<const Word> everything, std::size_t first,
                std::size_t last)
        : parts_(parts), first_(first), size_(last - first) {
        std::array<Word, block_size> failed{}, failed_twice{};
        for (std::size_t at = 0; at < parts.size(); ++at) {
            const Word* const part = parts.set(at) + first;
            for (std::size_t i = 0; i < size_; ++i) {
                failed_twice[i] |= failed[i] & ~part[i];
                failed[i] |= ~part[i];
            }
        }
        for (std::size_t i = 0; i < size_; ++i) {
            in_all_[i] = everything[first + i] & ~failed[i];
            in_all_but_one_[i] = everything[first + i] & failed[i] & ~failed_twice[i];
        }
    }

    // Only rows that are in `within`, if it is not null.
    void add_up(const Word* within, const Weigher& weigher, double* out) const {
        std::array<Word, block_size> all, gained;
        std::array<Lanes, block_size> base;
        Lanes whole{};
        for (std::size_t i = 0; i < size_; ++i) {
            all[i] = in_all_[i] & (within ? within[first_ + i] : ~Word{0});
            base[i] = weigher.weigh(all[i], first_ + i);
            add(base[i], whole);
        }
        out[parts_.size()] = total(whole);
        for (std::size_t at = 0; at < parts_.size(); ++at) {
            Word any = 0;
            for (std::size_t i = 0; i < size_; ++i) {
                gained[i] = in_all_but_one_[i] & ~parts_.set(at)[first_ + i] &
                            (within ? within[first_ + i] : ~Word{0});
                any |= gained[i];
            }
            if (any == 0) {
                out[at] = out[parts_.size()];
                continue;
            }
            Lanes sums{};
            for (std::size_t i = 0; i < size_; ++i) {
                Lanes more = base[i];
                if (gained[i] != 0) weigher.weigh(all[i] | gained[i], gained[i], first_ + i, more);
                add(more, sums);
            }
            out[at] = total(sums);
        }
    }

private:
    const RowSets& parts_;
    std::size_t first_, size_;
    std::array<Word, block_size> in_all_, in_all_but_one_;
};

}  // namespace

void fill_shared_weights(const RowSets& sets, const RowSets& within,
                         std::span<const double> weights, const std::function<void()>& check,
                         std::span<double> out) {
    const std::vector<std::size_t> words = words_with_rows(within);
    const std::size_t n_sets = sets.size(), n_within = within.size();
    const Weigher weigher(weights);
    std::vector<double> sums(n_within);
    PairedBlocks blocks(words.size(), n_within);
    for (std::size_t at = 0; at < n_sets; ++at) {
        if (at % sets_between_checks == 0) check();
        const Word* const set = sets.set(at);
        const auto sum_of_block = [&](std::size_t first, std::size_t last, double* block) {
            for (std::size_t i = 0; i < n_within; ++i) {
                Lanes lanes{};
                for (std::size_t w = first; w < last; ++w) {
                    const std::size_t word = words[w];
                    const Word rows = set[word] & within.set(i)[word];
                    if (rows != 0) add(weigher.weigh(rows, word), lanes);
                }
                block[i] = total(lanes);
            }
        };
        blocks.add_up(sum_of_block, sums.data());
        for (std::size_t i = 0; i < n_within; ++i) out[i * n_sets + at] = sums[i];
    }
}

void fill_weights_without_each(const RowSets& parts, std::span<const Word> everything,
                               std::span<const Word> wrong, std::span<const double> weights,
                               std::span<double> out) {
    const std::size_t n_sums = parts.size() + 1;
    const Weigher weigher(weights);
    const auto sum_of_block = [&](std::size_t first, std::size_t last, double* sums) {
        const BlockOfRule block(parts, everything, first, last);
        block.add_up(nullptr, weigher, sums);
        block.add_up(wrong.data(), weigher, sums + n_sums);
    };
    PairedBlocks(everything.size(), 2 * n_sums).add_up(sum_of_block, out.data());
}

}  // namespace treewright::rules
