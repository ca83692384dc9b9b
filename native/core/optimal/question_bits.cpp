#include "core/optimal/question_bits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <set>

#include "core/arithmetic/as_index.hpp"

namespace treewright::optimal {
namespace {

// Counts of all pairs of questions take 4 MB. Bounds along columns need fewer questions beyond.
constexpr std::size_t most_counts = std::size_t{1} << 20;
// Before equal ones are left out.
constexpr std::size_t most_listed = std::size_t{1} << 13;
// A column of so many values, if there is one only, is taken in order.
constexpr std::uint32_t fewest_in_order = 500;
// Sums of units stay within 32 bits.
constexpr Weight most_units = Weight{1} << 30;

using Bits = std::vector<std::uint64_t>;

std::uint32_t n_positions(const Problem& problem, const Feature& feature) {
    return feature.is_set() ? 2 : problem.columns[as_index(feature.column)].n_values + 1;
}

// The rows that a question sends left.
struct LeftRows {
    Bits bits;
    std::size_t n_left = 0;
};

LeftRows left_rows(const Problem& problem, PlannedNode question) {
    const Feature& feature = problem.features[as_index(question.feature)];
    const Column& column = problem.columns[as_index(feature.column)];
    const Positions positions(problem, feature);
    std::vector<std::uint8_t> goes_left(std::size_t{column.n_values} + 1);
    for (std::uint32_t code = 0; code <= column.n_values; ++code) {
        goes_left[code] = positions.of(code) <= question.cut;
    }
    LeftRows left{Bits((column.codes.size() + 63) / 64, 0)};
    for (std::size_t row = 0; row < column.codes.size(); ++row) {
        const std::uint8_t is_left = goes_left[column.codes[row]];
        left.bits[row / 64] |= std::uint64_t{is_left} << row % 64;
        left.n_left += is_left;
    }
    return left;
}

// The same for a question and its opposite: the first row is in.
Bits without_direction(Bits bits, std::size_t n_rows) {
    if (bits[0] & 1) return bits;
    for (std::uint64_t& word : bits) word = ~word;
    if (n_rows % 64 > 0) bits.back() &= (std::uint64_t{1} << n_rows % 64) - 1;
    return bits;
}

// Questions and the rows that they send left; false if they are too many or if it was stopped.
bool list_questions(const Problem& problem, const Stops& stops, QuestionBits& out,
                    std::vector<Bits>& columns) {
    std::size_t n_listed = 0;
    for (std::size_t feature = 0; feature < problem.features.size(); ++feature) {
        if (static_cast<std::int32_t>(feature) == out.long_feature) continue;
        n_listed += n_positions(problem, problem.features[feature]) - 1;
    }
    if (n_listed > most_listed) return false;
    std::set<Bits> seen;
    for (std::size_t feature = 0; feature < problem.features.size(); ++feature) {
        if (static_cast<std::int32_t>(feature) == out.long_feature) continue;
        const std::uint32_t end = n_positions(problem, problem.features[feature]) - 1;
        for (std::uint32_t cut = 0; cut < end; ++cut) {
            if (stops()) return false;
            const PlannedNode question{static_cast<std::int32_t>(feature), cut};
            LeftRows left = left_rows(problem, question);
            if (left.n_left == 0 || left.n_left == problem.size()) continue;
            if (!seen.insert(without_direction(left.bits, problem.size())).second) continue;
            out.questions.push_back(question);
            columns.push_back(std::move(left.bits));
            const std::size_t n = columns.size();
            if (n * n * problem.n_classes > most_counts) return false;
        }
    }
    return true;
}

// The column of most values, if it is to be taken in order.
std::int32_t long_feature_of(const Problem& problem, const LeafLimits& leaf) {
    const auto longest = std::ranges::max_element(
        problem.features, {},
        [&](const Feature& feature) { return n_positions(problem, feature); });
    if (problem.n_classes != 2 || !leaf.allow_all() || longest == problem.features.end()) return -1;
    const Column& column = problem.columns[as_index(longest->column)];
    const bool is_long = column.n_values >= fewest_in_order;
    if (!is_long || longest->is_set() || std::ranges::count(column.codes, column.n_values) > 0) {
        return -1;
    }
    return static_cast<std::int32_t>(longest - problem.features.begin());
}

// The unit of weights, and how many units each row weighs; false if they are too many, or if the
// limits of a leaf count anything but units.
bool count_units(const Problem& problem, const LeafLimits& leaf, QuestionBits& out,
                 std::vector<std::uint32_t>& units) {
    Weight unit = 0, sum = 0;
    for (const Weight weight : problem.weights) {
        unit = std::gcd(unit, weight);
        sum += weight;
    }
    if (unit == 0 || sum / unit >= most_units) return false;
    out.unit = unit;
    std::size_t n_bits = 0;
    bool counts_rows = true;
    for (std::size_t row = 0; row < problem.size(); ++row) {
        units.push_back(static_cast<std::uint32_t>(problem.weights[row] / unit));
        n_bits += static_cast<std::size_t>(std::popcount(units.back()));
        counts_rows = counts_rows && units.back() == problem.n_rows[row];
    }
    if (leaf.min_rows > 1 && !counts_rows) return false;
    const Weight least = std::max<Weight>(leaf.min_rows, (leaf.min_weight + unit - 1) / unit);
    out.least_leaf = leaf.allow_all() ? 0 : static_cast<std::int32_t>(std::min(least, most_units));
    return n_bits <= 4 * problem.size();
}

// Rows by class and by the digits of their units.
std::vector<std::uint32_t> rows_in_segments(const Problem& problem,
                                            const std::vector<std::uint32_t>& units,
                                            QuestionBits& out) {
    std::vector<std::uint32_t> rows;
    const auto n_digits = static_cast<int>(std::bit_width(*std::ranges::max_element(units)));
    for (std::uint32_t label = 0; label < problem.n_classes; ++label) {
        for (int digit = 0; digit < n_digits; ++digit) {
            const auto first = static_cast<std::uint32_t>(rows.size());
            for (std::uint32_t row = 0; row < problem.size(); ++row) {
                if (problem.classes[row] != label || !(units[row] >> digit & 1)) continue;
                rows.push_back(row);
                const bool is_lowest = std::countr_zero(units[row]) == digit;
                out.sure_loss.push_back(is_lowest ? problem.sure_loss[row] : 0);
            }
            const auto end = static_cast<std::uint32_t>(rows.size());
            if (end > first) out.segments.push_back({label, 1 << digit, first, end});
        }
    }
    return rows;
}

}  // namespace

std::optional<QuestionBits> question_bits(const Problem& problem, const LeafLimits& leaf,
                                          const Stops& stops) {
    QuestionBits out;
    std::vector<std::uint32_t> units;
    std::vector<Bits> columns;
    if (!count_units(problem, leaf, out, units)) return std::nullopt;
    out.long_feature = long_feature_of(problem, leaf);
    if (!list_questions(problem, stops, out, columns)) return std::nullopt;
    out.n_classes = problem.n_classes;
    out.n_words = (columns.size() + 63) / 64;
    const std::vector<std::uint32_t> rows = rows_in_segments(problem, units, out);
    if (out.has_long_column()) {
        const Feature& feature = problem.features[as_index(out.long_feature)];
        for (const std::uint32_t row : rows) {
            out.long_codes.push_back(problem.columns[as_index(feature.column)].codes[row]);
        }
        for (const QuestionBits::Segment& segment : out.segments) {
            const std::int32_t units = segment.label == 0 ? segment.units : -segment.units;
            out.signed_units.insert(out.signed_units.end(), segment.end - segment.first, units);
        }
    }
    out.words.assign(rows.size() * out.n_words, 0);
    for (std::size_t question = 0; question < columns.size(); ++question) {
        if (stops()) return std::nullopt;
        std::uint64_t* word = out.words.data() + question / 64;
        for (const std::uint32_t row : rows) {
            *word |= (columns[question][row / 64] >> row % 64 & 1) << question % 64;
            word += out.n_words;
        }
    }
    return out;
}

}  // namespace treewright::optimal
