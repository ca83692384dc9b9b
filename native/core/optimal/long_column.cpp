#include "core/optimal/long_column.hpp"

#include <algorithm>
#include <cstdlib>

namespace treewright::optimal {
namespace {

// Rows of the first class count as plus, those of the second as minus. Then a leaf with the sum s
// gets half of its weight and of |s| right.
using Four [[gnu::vector_size(16), gnu::aligned(4)]] = Units;
constexpr std::size_t width_of_four = 4;

inline Four size_of(Four x) { return x < 0 ? -x : x; }
inline Four most_of(Four x, Four y) { return x > y ? x : y; }
inline Four& four_at(std::vector<Units>& line, std::size_t at) {
    return *reinterpret_cast<Four*>(line.data() + at);
}

// Sums of the rows on the left that each question sends left.
class Sums {
public:
    Sums(const CountsView& counts)
        : left_(counts.width()),
          total_(counts.width()),
          below_left_(counts.width()),
          below_right_(counts.width()) {
        for (std::size_t j = 0; j < counts.n_questions(); ++j) {
            total_[j] = counts.single(0, j) - counts.single(1, j);
        }
    }
    // One more row on the left.
    void add(const std::uint64_t* words, Units units) {
        constexpr Four lanes{1, 2, 4, 8};
        for (std::size_t j = 0; j < left_.size(); j += width_of_four) {
            const auto bits = static_cast<Units>(words[j / 64] >> j % 64 & 15);
            four_at(left_, j) += ((lanes & bits) != 0) & units;
        }
    }
    // The best questions on the left and on the right of the cut, and the best cut so far below
    // each question: the sizes of two sums together.
    std::array<Units, 2> judge(Units sum_left, Units sum_right) {
        Four best_left{}, best_right{};
        for (std::size_t j = 0; j < left_.size(); j += width_of_four) {
            const Four left = four_at(left_, j), right = four_at(total_, j) - left;
            const Four left_yes = size_of(left), left_no = size_of(sum_left - left);
            const Four right_yes = size_of(right), right_no = size_of(sum_right - right);
            best_left = most_of(best_left, left_yes + left_no);
            best_right = most_of(best_right, right_yes + right_no);
            four_at(below_left_, j) = most_of(four_at(below_left_, j), left_yes + right_yes);
            four_at(below_right_, j) = most_of(four_at(below_right_, j), left_no + right_no);
        }
        std::array<Units, 2> best{};
        for (std::size_t k = 0; k < width_of_four; ++k) {
            best[0] = std::max(best[0], Units{best_left[k]});
            best[1] = std::max(best[1], Units{best_right[k]});
        }
        return best;
    }
    void raise(const CountsView& counts, StumpHits& stumps) const {
        for (std::size_t j = 0; j < counts.n_questions(); ++j) {
            const Units weight = counts.total(0) + counts.total(1);
            const Units left = counts.single(0, j) + counts.single(1, j);
            raise(stumps.left[j], stumps.free_left[j], (left + below_left_[j]) / 2);
            raise(stumps.right[j], stumps.free_right[j], (weight - left + below_right_[j]) / 2);
        }
    }

private:
    static void raise(Units& hits, Units& free_hits, Units to) {
        hits = std::max(hits, to);
        free_hits = std::max(free_hits, to);
    }
    std::vector<Units> left_, total_, below_left_, below_right_;
};

struct Cut {
    std::uint32_t code;
    Units weight, sum;           // of the left side
    std::array<Units, 2> sizes;  // of the sums below the best question on each side
};

// The best second cut of the column on the left side of each cut: with a sum s of the left side and
// r of its first part, |r| + |s - r| is |s|, 2r - s or s - 2r.
void raise_by_second_cuts(std::vector<Cut>& cuts, Units sum) {
    Units most = 0, least = 0;
    for (Cut& cut : cuts) {
        cut.sizes[0] = std::max({cut.sizes[0], 2 * most - cut.sum, cut.sum - 2 * least});
        most = std::max(most, cut.sum);
        least = std::min(least, cut.sum);
    }
    most = least = sum;
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
        // On the right: the part up to the second cut, and the rest.
        cut->sizes[1] =
            std::max({cut->sizes[1], 2 * most - cut->sum - sum, sum + cut->sum - 2 * least});
        most = std::max(most, cut->sum);
        least = std::min(least, cut->sum);
    }
}

}  // namespace

bool sweep_long_column(const QuestionBits& table, std::span<const std::uint32_t> rows,
                       const CountsView& counts, const Stops& stops, StumpHits& stumps,
                       const std::function<void(const LongCut&)>& see) {
    constexpr std::size_t rows_between_stops = 1024;
    const Units weight = counts.total(0) + counts.total(1);
    const Units sum = counts.total(0) - counts.total(1);
    Sums sums(counts);
    std::vector<Cut> cuts;
    Units left_weight = 0, left_sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i % rows_between_stops == 0 && stops()) return false;
        const std::uint32_t row = rows[i];
        const Units units = table.signed_units[row];
        sums.add(table.words.data() + row * table.n_words, units);
        left_weight += std::abs(units);
        left_sum += units;
        if (i + 1 == rows.size()) break;
        const std::uint32_t code = table.long_codes[row];
        if (table.long_codes[rows[i + 1]] == code) continue;
        cuts.push_back({code, left_weight, left_sum, sums.judge(left_sum, sum - left_sum)});
    }
    sums.raise(counts, stumps);
    raise_by_second_cuts(cuts, sum);
    for (const Cut& cut : cuts) {
        const Units right_weight = weight - cut.weight;
        see({cut.code,
             {cut.weight, right_weight},
             {(cut.weight + std::abs(cut.sum)) / 2, (right_weight + std::abs(sum - cut.sum)) / 2},
             {(cut.weight + cut.sizes[0]) / 2, (right_weight + cut.sizes[1]) / 2}});
    }
    return true;
}

}  // namespace treewright::optimal
