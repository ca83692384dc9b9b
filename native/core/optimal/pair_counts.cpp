#include "core/optimal/pair_counts.hpp"

#include <algorithm>
#include <array>

#if defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace treewright::optimal {
namespace {

using Block [[gnu::vector_size(16)]] = std::uint8_t;

constexpr std::size_t side_by_side = 4;  // columns that are counted together
constexpr std::size_t rows_of_block = 128;
constexpr std::size_t most_summed = 31;  // blocks whose counts of bits fit a byte

// The number of ones in each byte.
inline Block ones_of_bytes(Block bits) {
#if defined(__ARM_NEON)
    return (Block)vcntq_u8((uint8x16_t)bits);
#else
    bits = bits - ((bits >> 1) & 0x55);
    bits = (bits & 0x33) + ((bits >> 2) & 0x33);
    return (bits + (bits >> 4)) & 0x0f;
#endif
}

inline Units sum_of_bytes(Block bytes) {
#if defined(__ARM_NEON)
    return vaddlvq_u8((uint8x16_t)bytes);
#else
    using Halves [[gnu::vector_size(16)]] = std::uint64_t;
    constexpr std::uint64_t even = 0x00ff00ff00ff00ff;
    Halves sums = (Halves)bytes;
    sums = (sums & even) + ((sums >> 8) & even);
    return static_cast<Units>((sums[0] + sums[1]) * 0x0001000100010001 >> 48);
#endif
}

// Ones that a column shares with each of several columns next to each other.
std::array<Units, side_by_side> common_ones(const Block* one, const Block* others,
                                            std::size_t n_blocks, std::size_t first,
                                            std::size_t end) {
    std::array<Units, side_by_side> sums{};
    while (first < end) {
        const std::size_t stop = std::min(end, first + most_summed);
        Block a{}, b{}, c{}, d{};
        for (; first < stop; ++first) {
            const Block x = one[first];
            const Block* y = others + first;
            a += ones_of_bytes(x & y[0]);
            b += ones_of_bytes(x & y[n_blocks]);
            c += ones_of_bytes(x & y[2 * n_blocks]);
            d += ones_of_bytes(x & y[3 * n_blocks]);
        }
        sums[0] += sum_of_bytes(a);
        sums[1] += sum_of_bytes(b);
        sums[2] += sum_of_bytes(c);
        sums[3] += sum_of_bytes(d);
    }
    return sums;
}

// Bit j of word i becomes bit i of word j.
void transpose(std::array<std::uint64_t, 64>& words) {
    std::uint64_t mask = 0x00000000ffffffff;
    for (std::size_t step = 32; step > 0; step /= 2, mask ^= mask << step) {
        for (std::size_t start = 0; start < 64; start += 2 * step) {
            for (std::size_t i = start; i < start + step; ++i) {
                const std::uint64_t swapped = ((words[i] >> step) ^ words[i + step]) & mask;
                words[i] ^= swapped << step;
                words[i + step] ^= swapped;
            }
        }
    }
}

std::size_t rounded_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

}  // namespace

// From bits by row to bits by column.
void PairCounter::turn(std::span<const std::uint32_t> rows) {
    constexpr std::size_t rows_of_word = 64;
    stretches_.clear();
    n_blocks_ = 0;
    std::vector<std::span<const std::uint32_t>> rows_of;
    for (const QuestionBits::Segment& segment : table_.segments) {
        const auto end = std::ranges::lower_bound(rows, segment.end);
        const auto here = rows.first(static_cast<std::size_t>(end - rows.begin()));
        rows = rows.subspan(here.size());
        if (here.empty()) continue;
        const std::size_t n = rounded_up(here.size(), rows_of_block) / rows_of_block;
        stretches_.push_back({segment.label, segment.units, n_blocks_, n_blocks_ + n});
        rows_of.push_back(here);
        n_blocks_ += n;
    }
    blocks_.resize(table_.n_words * 64 * n_blocks_);
    const std::size_t width = 2 * n_blocks_;  // of a column, in words
    auto* columns = reinterpret_cast<std::uint64_t*>(blocks_.data());
    std::array<std::uint64_t, 64> square;
    for (std::size_t s = 0; s < stretches_.size(); ++s) {
        const auto here = rows_of[s];
        for (std::size_t at = 2 * stretches_[s].first; at < 2 * stretches_[s].end; ++at) {
            const std::size_t first = (at - 2 * stretches_[s].first) * rows_of_word;
            const std::size_t n =
                first < here.size() ? std::min(here.size() - first, rows_of_word) : 0;
            for (std::size_t word = 0; word < table_.n_words; ++word) {
                for (std::size_t i = 0; i < n; ++i) {
                    square[i] = table_.words[here[first + i] * table_.n_words + word];
                }
                std::fill(square.begin() + static_cast<std::ptrdiff_t>(n), square.end(), 0);
                if (n > 0) transpose(square);
                std::uint64_t* out = columns + word * 64 * width + at;
                for (std::size_t i = 0; i < 64; ++i) out[i * width] = square[i];
            }
        }
    }
}

void PairCounter::count_singles(std::span<const std::uint32_t> rows, PairCounts& out) {
    turn(rows);
    out.n_questions = table_.questions.size();
    out.width = rounded_up(out.n_questions, side_by_side);
    out.n_classes = table_.n_classes;
    out.total.assign(out.n_classes, 0);
    out.single.assign(out.n_classes * out.width, 0);
    for (const QuestionBits::Segment& segment : table_.segments) {
        const auto first = std::ranges::lower_bound(rows, segment.first);
        const auto end = std::ranges::lower_bound(rows, segment.end);
        out.total[segment.label] += segment.units * static_cast<Units>(end - first);
    }
    for (const Stretch& stretch : stretches_) {
        Units* line = out.single.data() + stretch.label * out.width;
        for (std::size_t i = 0; i < out.n_questions; ++i) {
            const Block* bits = column(i);
            Units sum = 0;
            for (std::size_t at = stretch.first; at < stretch.end; ++at) {
                sum += sum_of_bytes(ones_of_bytes(bits[at]));
            }
            line[i] += stretch.units * sum;
        }
    }
}

bool PairCounter::count_pairs(const Stops& stops, PairCounts& out) {
    out.pair.resize(out.n_classes * out.n_questions * out.width);
    const bool is_long = n_blocks_ * out.width > 4096;
    for (std::size_t i = 0; i < out.n_questions; ++i) {
        if (is_long && stops()) return false;
        const std::size_t start = i / side_by_side * side_by_side;
        for (std::uint32_t label = 0; label < out.n_classes; ++label) {
            Units* line = out.pair.data() + (label * out.n_questions + i) * out.width;
            std::fill(line + start, line + out.width, 0);
        }
        for (const Stretch& stretch : stretches_) {
            Units* line = out.pair.data() + (stretch.label * out.n_questions + i) * out.width;
            for (std::size_t j = start; j < out.width; j += side_by_side) {
                const auto sums =
                    common_ones(column(i), column(j), n_blocks_, stretch.first, stretch.end);
                for (std::size_t k = 0; k < side_by_side; ++k)
                    line[j + k] += stretch.units * sums[k];
            }
        }
    }
    return true;
}

const Units* CountsView::singles(std::uint32_t label, Units* buffer) const {
    const Units* all = all_->singles(label);
    if (!without_) return all;
    const Units* without = without_->singles(label);
    for (std::size_t j = 0; j < width(); ++j) buffer[j] = all[j] - without[j];
    return buffer;
}

const Units* CountsView::pairs(std::uint32_t label, std::size_t question, std::size_t first,
                               Units* buffer) const {
    const Units* all = all_->pairs(label, question);
    if (!without_) return all;
    const Units* without = without_->pairs(label, question);
    for (std::size_t j = first; j < width(); ++j) buffer[j] = all[j] - without[j];
    return buffer;
}

void CountsView::copy_to(PairCounts& out) const {
    out.n_questions = n_questions();
    out.width = width();
    out.n_classes = n_classes();
    out.total.resize(n_classes());
    out.single.resize(n_classes() * width());
    out.pair.resize(n_classes() * n_questions() * width());
    for (std::uint32_t label = 0; label < n_classes(); ++label) {
        out.total[label] = total(label);
        singles(label, out.single.data() + label * width());
        for (std::size_t i = 0; i < n_questions(); ++i) {
            pairs(label, i, i / side_by_side * side_by_side,
                  out.pair.data() + (label * n_questions() + i) * width());
        }
    }
}

namespace {

// What one question i has in common with all later questions j, of one class.
struct Line {
    const Units* both;    // rows that go left by i and by j
    const Units* single;  // by j
    Units left, right;    // by i: left and right
};

using Four [[gnu::vector_size(16), gnu::aligned(4)]] = Units;
static_assert(sizeof(Four) == side_by_side * sizeof(Units));

inline Four four_at(const Units* line) { return *reinterpret_cast<const Four*>(line); }
inline Four most_of(Four x, Four y) { return x > y ? x : y; }
inline void raise(Units* line, Four to) {
    *reinterpret_cast<Four*>(line) = most_of(four_at(line), to);
}
inline void raise(Units& most, Four to) {
    for (std::size_t k = 0; k < side_by_side; ++k) most = std::max(most, Units{to[k]});
}

// Two classes, and leaves may be small: four questions at a time, in registers.
void meet_two_classes(const Line& a, const Line& b, std::size_t first, std::size_t width,
                      std::size_t i, StumpHits& out) {
    Four most_left{}, most_right{};
    for (std::size_t j = first; j < width; j += side_by_side) {
        const Four a_both = four_at(a.both + j), b_both = four_at(b.both + j);
        const Four a_only_j = four_at(a.single + j) - a_both;
        const Four b_only_j = four_at(b.single + j) - b_both;
        const Four both = most_of(a_both, b_both);
        const Four only_i = most_of(a.left - a_both, b.left - b_both);
        const Four only_j = most_of(a_only_j, b_only_j);
        const Four neither = most_of(a.right - a_only_j, b.right - b_only_j);
        most_left = most_of(most_left, both + only_i);
        most_right = most_of(most_right, only_j + neither);
        raise(out.left.data() + j, both + only_j);
        raise(out.right.data() + j, only_i + neither);
    }
    raise(out.left[i], most_left);
    raise(out.right[i], most_right);
}

// Any number of classes, and leaves that need some weight.
void meet(std::span<const Line> lines, std::size_t first, std::size_t width, std::size_t i,
          Units least_leaf, StumpHits& out) {
    struct Part {  // of the rows, by both questions
        Four most{}, weight{};
        void add(Four of_class) {
            most = most_of(most, of_class);
            weight += of_class;
        }
    };
    const Four none = Four{} - 1;
    Four left = none, right = none, free_left = none, free_right = none;
    for (std::size_t j = first; j < width; j += side_by_side) {
        Part both, only_i, only_j, neither;
        for (const Line& line : lines) {
            const Four here = four_at(line.both + j), of_j = four_at(line.single + j) - here;
            both.add(here);
            only_i.add(line.left - here);
            only_j.add(of_j);
            neither.add(line.right - of_j);
        }
        const auto if_allowed = [&](const Part& a, const Part& b) {
            return ((a.weight >= least_leaf) & (b.weight >= least_leaf)) ? a.most + b.most : none;
        };
        left = most_of(left, if_allowed(both, only_i));
        right = most_of(right, if_allowed(only_j, neither));
        free_left = most_of(free_left, both.most + only_i.most);
        free_right = most_of(free_right, only_j.most + neither.most);
        raise(out.left.data() + j, if_allowed(both, only_j));
        raise(out.right.data() + j, if_allowed(only_i, neither));
        raise(out.free_left.data() + j, both.most + only_j.most);
        raise(out.free_right.data() + j, only_i.most + neither.most);
    }
    raise(out.left[i], left);
    raise(out.right[i], right);
    raise(out.free_left[i], free_left);
    raise(out.free_right[i], free_right);
}

}  // namespace

void best_stumps(const CountsView& counts, Units least_leaf, StumpHits& out) {
    const std::size_t width = counts.width();
    const std::uint32_t n_classes = counts.n_classes();
    for (auto* hits : {&out.left, &out.right, &out.free_left, &out.free_right}) {
        hits->assign(width, -1);
    }
    std::vector<Units> singles(n_classes * width), pairs(n_classes * width);
    std::vector<Line> lines(n_classes);
    for (std::uint32_t label = 0; label < n_classes; ++label) {
        lines[label].single = counts.singles(label, singles.data() + label * width);
    }
    const bool in_registers = n_classes == 2 && least_leaf <= 0;
    for (std::size_t i = 0; i < counts.n_questions(); ++i) {
        const std::size_t first = i / side_by_side * side_by_side;
        for (std::uint32_t label = 0; label < n_classes; ++label) {
            Line& line = lines[label];
            line.both = counts.pairs(label, i, first, pairs.data() + label * width);
            line.left = line.single[i];
            line.right = counts.total(label) - line.left;
        }
        if (in_registers) {
            meet_two_classes(lines[0], lines[1], first, width, i, out);
        } else {
            meet(lines, first, width, i, least_leaf, out);
        }
    }
    if (in_registers) {
        out.free_left = out.left;
        out.free_right = out.right;
    }
}

}  // namespace treewright::optimal
