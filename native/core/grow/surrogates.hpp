// Surrogate splits: other columns that imitate a two-way split, for rows whose value is missing.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/grow/search/candidate.hpp"
#include "core/grow/search/class_tables.hpp"
#include "core/grow/search/code_set.hpp"
#include "core/grow/workspace.hpp"

namespace treewright {

inline constexpr std::uint8_t side_unknown = 2;

// Below this many rows a column is too short to need an interrupt check.
inline constexpr std::size_t rows_worth_a_check = 1000;

// How the rows of one value fell under the primary split: left, right, not known.
struct SidesOfValue {
    std::uint32_t code = 0;
    std::uint32_t a_row = 0;
    std::int64_t rows[3] = {0, 0, 0};
    double weight[3] = {0, 0, 0};  // the same as rows if every row counts once

    std::int64_t known_rows() const { return rows[0] + rows[1]; }
    void count_weights() {
        for (std::size_t s = 0; s < 3; ++s) weight[s] = static_cast<double>(rows[s]);
    }
};

// The rows that know a column, added up.
struct SideTotals {
    std::int64_t rows = 0;  // of those that know the primary column too
    double weight[2] = {0, 0};

    void add(const SidesOfValue& value) {
        rows += value.known_rows();
        weight[0] += value.weight[0];
        weight[1] += value.weight[1];
    }
};

// A surrogate threshold must send at least two rows each way.
inline constexpr std::int64_t min_surrogate_rows = 2;

// The cut that agrees best with the primary split; values pass in rising order.
class SurrogateCut {
public:
    explicit SurrogateCut(const SideTotals& total)
        : total_(total), slack_(1e-12 * (total.weight[0] + total.weight[1])) {}

    void pass(const SidesOfValue& value) {
        if (left_.rows >= min_surrogate_rows && total_.rows - left_.rows >= min_surrogate_rows) {
            const double* const left = left_.weight;
            offer(left[0] + (total_.weight[1] - left[1]), false, value);
            offer(left[1] + (total_.weight[0] - left[0]), true, value);
        }
        left_.add(value);
        last_code_ = value.code;
        last_row_ = value.a_row;
    }

    double agreement = 0;  // weight sent to the same side
    bool flip = false;
    std::uint32_t code_below = 0, code_above = 0;
    std::uint32_t row_below = 0, row_above = 0;

private:
    void offer(double agreeing, bool flipped, const SidesOfValue& above) {
        if (!(agreeing > agreement + slack_)) return;
        agreement = agreeing;
        flip = flipped;
        code_below = last_code_;
        row_below = last_row_;
        code_above = above.code;
        row_above = above.a_row;
    }

    const SideTotals total_;
    const double slack_;
    SideTotals left_;
    std::uint32_t last_code_ = 0, last_row_ = 0;
};

// Each level goes where most of its rows went; a tied one where most rows of the column went, and
// if these tie too to the side of the larger mean target.
class SurrogateLevels {
public:
    SurrogateLevels(std::span<const SidesOfValue> values, int heavier_side)
        : heavier_side_(heavier_side) {
        for (const auto& value : values) {
            const int child = child_of(value);
            agreement += value.weight[child];
            disagreeing_rows += value.rows[1 - child];
        }
    }
    int child_of(const SidesOfValue& value) const {
        if (value.weight[0] == value.weight[1]) return heavier_side_;
        return value.weight[0] > value.weight[1] ? 0 : 1;
    }

    double agreement = 0;
    std::int64_t disagreeing_rows = 0;

private:
    int heavier_side_;
};

// Space that is used again for every split.
struct SurrogateScratch {
    std::vector<std::uint32_t> side_counts;  // by code and side; zero between two columns
    std::vector<SidesOfValue> by_code;
    std::vector<SidesOfValue> values;
};

template <class Index>
class SurrogateSearch {
public:
    // `side`, by row: the child that the primary split sends the row to, or side_unknown.
    // `side_weight`: of the rows whose side is known. `tables`: of both sides, if they are there.
    SurrogateSearch(const Context& context, const Workspace<Index>& workspace, const NodeView& node,
                    std::span<const std::uint8_t> side, const std::vector<double>& side_weight,
                    const std::array<ClassTable, 2>& tables, SurrogateScratch& scratch)
        : context_(context),
          workspace_(workspace),
          targets_(workspace.targets),
          node_(node),
          side_(side),
          tables_(tables),
          scratch_(scratch) {
        add_up_node(side_weight);
    }

    // The surrogates of a split, best first: those that beat sending every row to the heavier side.
    std::vector<Surrogate> find(std::uint32_t primary, std::span<const std::uint32_t> active) {
        std::vector<Surrogate> found;
        for (const auto place : active) {
            if (place == primary) continue;
            if (node_.size() >= rows_worth_a_check) context_.check();
            column_ = &workspace_.columns[place];
            view_ = &context_.views[static_cast<std::size_t>(column_->column)];
            if (view_->is_nominal()) {
                try_levels(found);
            } else if (!one_row_differs_) {
                try_cut(found);
            }
        }
        return found;
    }

private:
    bool weighted() const { return !targets_.weight.empty(); }

    void add_up_node(const std::vector<double>& side_weight) {
        if (weighted()) {
            SidesOfValue all;
            for (std::size_t i = node_.begin; i < node_.end; ++i) add(all, workspace_.rows[i]);
            total_.add(all);
        } else {
            std::copy_n(side_weight.begin(), 2, total_.weight);
            total_.rows = static_cast<std::int64_t>(side_weight[0] + side_weight[1]);
        }
        const auto& weight = total_.weight;
        known_ = weight[0] + weight[1];
        by_majority_ = std::max(weight[0], weight[1]) + 1e-9 * known_;
        // A threshold that sends two rows each way then sends another row wrong for this one.
        one_row_differs_ = !weighted() && std::min(weight[0], weight[1]) < min_surrogate_rows;
    }

    int heavier_side(const SideTotals& total) {
        if (total.weight[0] != total.weight[1]) return total.weight[0] > total.weight[1] ? 0 : 1;
        if (larger_mean_ < 0) larger_mean_ = side_of_larger_mean();
        return larger_mean_;
    }

    int side_of_larger_mean() const {
        double sum[3] = {0, 0, 0};
        for (std::size_t i = node_.begin; i < node_.end; ++i) {
            const auto row = workspace_.rows[i];
            sum[side_[row]] +=
                targets_.weight_of(row) *
                (targets_.is_classification() ? targets_.classes[row] : targets_.y[row]);
        }
        return sum[0] * total_.weight[1] > sum[1] * total_.weight[0] ? 0 : 1;
    }

    void add(SidesOfValue& value, std::size_t row) const {
        const auto side = side_[row];
        const double weight = weighted() ? targets_.weight[row] : 1.0;
        value.rows[side] +=
            context_.settings.weights_are_counts ? static_cast<std::int64_t>(weight) : 1;
        if (weighted()) value.weight[side] += weight;
    }

    // ---------------------------------------------------------------- the values of a column

    // Visits the values of a sorted column in order. Thresholds may lie between any two values,
    // also of rows whose primary value is missing.
    template <class Visit>
    void each_sorted(Visit visit) const {
        const auto* const end = column_->sorted.data() + node_.end;
        for (const auto* at = column_->sorted.data() + node_.begin;
             at != end && at->rank != missing_rank<Index>;) {
            SidesOfValue value;
            value.code = at->rank;
            value.a_row = at->row;
            do {
                add(value, at->row);
                ++at;
            } while (at != end && at->rank == value.code);
            if (!weighted()) value.count_weights();
            visit(value);
        }
    }

    // Fills the scratch's values.
    SideTotals list_values() {
        scratch_.values.clear();
        if (!column_->counted) {
            each_sorted([&](const SidesOfValue& value) { scratch_.values.push_back(value); });
        } else if (tables_[0] && column_->first_line >= 0) {
            read_tables();
        } else if (weighted()) {
            sum_codes();
        } else {
            count_codes();
        }
        SideTotals total;
        for (const auto& value : scratch_.values) total.add(value);
        return total;
    }

    void read_tables() {
        const std::size_t k = targets_.n_classes;
        for (std::size_t code = 0; code < column_->n_codes(); ++code) {
            const std::size_t line = (static_cast<std::size_t>(column_->first_line) + code) * k;
            SidesOfValue value;
            for (std::size_t s = 0; s < 2; ++s) {
                const std::uint32_t* const classes = tables_[s]->data() + line;
                value.rows[s] = std::accumulate(classes, classes + k, std::int64_t{0});
            }
            if (value.known_rows() == 0) continue;
            value.code = static_cast<std::uint32_t>(code);
            value.count_weights();
            scratch_.values.push_back(value);
        }
    }

    void count_codes() {
        const std::size_t n_codes = column_->n_codes();
        auto& counts = scratch_.side_counts;
        counts.resize(4 * (max_codes + 1), 0);
        CodeSet present;
        const bool mark = node_.size() < n_codes;
        for (std::size_t i = node_.begin; i < node_.end; ++i) {
            const auto row = workspace_.rows[i];
            const std::size_t code = column_->codes[row];
            ++counts[4 * code + side_[row]];
            if (mark) present.add(code);
        }
        const auto take = [&](std::size_t code) {
            std::uint32_t* const of_code = counts.data() + 4 * code;
            if (code < n_codes && (of_code[0] | of_code[1] | of_code[2]) != 0) {
                auto& value = scratch_.values.emplace_back();
                value.code = static_cast<std::uint32_t>(code);
                std::copy_n(of_code, 3, value.rows);
                value.count_weights();
            }
            std::fill_n(of_code, 3, 0u);
        };
        if (mark) {
            present.each(take);
        } else {
            for (std::size_t code = 0; code < n_codes; ++code) take(code);
            take(missing_code);
        }
    }

    void sum_codes() {
        auto& by_code = scratch_.by_code;
        by_code.assign(column_->n_codes(), {});
        for (std::size_t i = node_.begin; i < node_.end; ++i) {
            const auto row = workspace_.rows[i];
            if (column_->codes[row] != missing_code) add(by_code[column_->codes[row]], row);
        }
        for (std::size_t code = 0; code < by_code.size(); ++code) {
            by_code[code].code = static_cast<std::uint32_t>(code);
            if (by_code[code].known_rows() + by_code[code].rows[side_unknown] > 0) {
                scratch_.values.push_back(by_code[code]);
            }
        }
    }

    // ---------------------------------------------------------------- what a column offers

    void try_cut(std::vector<Surrogate>& found) {
        SideTotals total;
        if (column_->counted) {
            total = list_values();
        } else {
            total = total_of_sorted();
        }
        SurrogateCut cut(total);
        if (column_->counted) {
            for (const auto& value : scratch_.values) cut.pass(value);
        } else {
            each_sorted([&](const SidesOfValue& value) { cut.pass(value); });
        }
        if (!is_wanted(cut.agreement, found)) return;
        const auto value_of = [&](std::uint32_t code, std::uint32_t row) {
            return column_->counted ? column_->values[code] : view_->number(workspace_.origin[row]);
        };
        Surrogate surrogate;
        surrogate.threshold = threshold_between(value_of(cut.code_below, cut.row_below),
                                                value_of(cut.code_above, cut.row_above));
        surrogate.flip = cut.flip;
        enter(std::move(surrogate), cut.agreement, found);
    }

    SideTotals total_of_sorted() const {
        const bool all_know = column_->sorted[node_.end - 1].rank != missing_rank<Index>;
        if (all_know && !weighted()) return total_;
        SideTotals total;
        each_sorted([&](const SidesOfValue& value) { total.add(value); });
        return total;
    }

    void try_levels(std::vector<Surrogate>& found) {
        const SideTotals total = list_values();
        const SurrogateLevels levels(scratch_.values, heavier_side(total));
        if (levels.disagreeing_rows < context_.settings.min_surrogate_disagreement) return;
        if (!is_wanted(levels.agreement, found)) return;
        Surrogate surrogate;
        surrogate.kind = SplitKind::subset;
        surrogate.level_code.reserve(scratch_.values.size());
        surrogate.level_child.reserve(scratch_.values.size());
        for (const auto& value : scratch_.values) {
            if (value.known_rows() == 0) continue;
            surrogate.level_code.push_back(column_->counted
                                               ? column_->levels[value.code]
                                               : view_->code(workspace_.origin[value.a_row]));
            surrogate.level_child.push_back(levels.child_of(value));
        }
        enter(std::move(surrogate), levels.agreement, found);
    }

    bool is_full(const std::vector<Surrogate>& found) const {
        return found.size() >= static_cast<std::size_t>(context_.settings.max_surrogates);
    }

    bool is_wanted(double agreement, const std::vector<Surrogate>& found) const {
        if (agreement <= by_majority_) return false;
        return !is_full(found) || agreement / known_ > found.back().agreement;
    }

    // Best first, earlier columns before equal ones.
    void enter(Surrogate surrogate, double agreement, std::vector<Surrogate>& found) const {
        surrogate.feature = column_->column;
        surrogate.agreement = agreement / known_;
        if (is_full(found)) found.pop_back();
        const auto place = std::ranges::upper_bound(found, surrogate.agreement,
                                                    std::ranges::greater{}, &Surrogate::agreement);
        found.insert(place, std::move(surrogate));
    }

    const Context& context_;
    const Workspace<Index>& workspace_;
    const Targets& targets_;
    const NodeView& node_;
    std::span<const std::uint8_t> side_;
    const std::array<ClassTable, 2>& tables_;
    SurrogateScratch& scratch_;
    SideTotals total_;
    double known_ = 0, by_majority_ = 0;
    int larger_mean_ = -1;  // not computed yet
    bool one_row_differs_ = false;
    const WorkColumn<Index>* column_ = nullptr;
    const ColumnView* view_ = nullptr;
};

}  // namespace treewright
