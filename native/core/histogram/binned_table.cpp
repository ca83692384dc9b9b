#include "core/histogram/binned_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/histogram/bins.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t rows_at_once = 2048;

// No row of up to 64 columns lies across two cache lines; half of them would, and cost twice.
std::size_t row_stride(std::size_t n_columns) {
    if (n_columns > 64) return (n_columns + 63) / 64 * 64;
    return std::max<std::size_t>(8, std::bit_ceil(n_columns));
}

template <class T>
void bin_numbers(const ColumnView& view, const BinFinder& finder, std::size_t first,
                 std::size_t end, std::uint8_t* out) {
    const auto number = [&](std::size_t row) -> double {
        return *reinterpret_cast<const T*>(view.at(row));
    };
    std::size_t row = first;
    for (; row + BinFinder::at_once <= end; row += BinFinder::at_once) {
        double values[BinFinder::at_once];
        for (std::size_t i = 0; i < BinFinder::at_once; ++i) values[i] = number(row + i);
        finder(values, out + row);
        for (std::size_t i = 0; i < BinFinder::at_once; ++i) {
            if (values[i] != values[i]) out[row + i] = missing_bin;
        }
    }
    for (; row < end; ++row)
        out[row] = number(row) == number(row) ? finder(number(row)) : missing_bin;
}

void bin_levels(const ColumnView& view, std::size_t first, std::size_t end, std::uint8_t* out) {
    for (std::size_t row = first; row < end; ++row) {
        const std::int32_t code = view.code(row);
        out[row] = code < 0 ? missing_bin : static_cast<std::uint8_t>(code);
    }
}

void cut_levels(const ColumnView& view, const BinFinder& finder, std::size_t first, std::size_t end,
                std::uint8_t* out) {
    for (std::size_t row = first; row < end; ++row) {
        const std::int32_t code = view.code(row);
        out[row] = code < 0 ? missing_bin : finder(code);
    }
}

void keep_levels(const ColumnView& view, std::size_t first, std::size_t end, std::uint32_t* out) {
    for (std::size_t row = first; row < end; ++row) {
        const std::int32_t code = view.code(row);
        out[row] = code < 0 ? missing_wide : static_cast<std::uint32_t>(code);
    }
}

// Levels beyond 255 that have an order are cut as numbers are.
bool is_cut(const ColumnView& view) {
    return view.kind == ColumnKind::numeric || (!view.is_nominal() && view.n_levels > max_bins);
}

BinnedColumn plan_column(const ColumnView& view, std::size_t n_rows, std::span<const double> weight,
                         int n_bins) {
    BinnedColumn column;
    column.coded = view.kind != ColumnKind::numeric;
    if (is_cut(view)) {
        column.cuts = find_cuts(view, n_rows, weight, n_bins);
        column.n_bins = static_cast<int>(column.cuts.size()) + 1;
        return column;
    }
    column.nominal = view.is_nominal();
    column.n_bins = view.n_levels;
    for (int level = 0; level < view.n_levels; ++level) {
        column.levels.push_back(level);
        if (!column.nominal && level + 1 < view.n_levels) column.cuts.push_back(level);
    }
    return column;
}

// Copies bytes from columns to rows, a few rows at a time so that both stay in the cache.
void turn_rows(BinnedTable& table, std::size_t first, std::size_t end) {
    for (std::size_t begin = first; begin < end; begin += 256) {
        const std::size_t stop = std::min(end, begin + 256);
        for (std::size_t c = 0; c < table.n_columns; ++c) {
            const std::uint8_t* from = table.column(c);
            std::uint8_t* to = table.by_row.data() + c;
            for (std::size_t row = begin; row < stop; ++row) to[row * table.stride] = from[row];
        }
    }
}

void bin_rows(std::span<const ColumnView> views, std::span<const BinFinder> finders,
              std::size_t first, std::size_t end, BinnedTable& table) {
    for (std::size_t c = 0; c < views.size(); ++c) {
        std::uint8_t* out = table.by_column.data() + c * table.n_rows;
        if (table.columns[c].is_wide()) {
            keep_levels(views[c], first, end, table.wide[c].data());
        } else if (views[c].kind != ColumnKind::numeric) {
            if (is_cut(views[c])) {
                cut_levels(views[c], finders[c], first, end, out);
            } else {
                bin_levels(views[c], first, end, out);
            }
        } else if (views[c].type == ValueType::float32) {
            bin_numbers<float>(views[c], finders[c], first, end, out);
        } else {
            bin_numbers<double>(views[c], finders[c], first, end, out);
        }
    }
    turn_rows(table, first, end);
}

void note_missing(BinnedTable& table, std::size_t c) {
    const std::uint8_t* bins = table.column(c);
    const auto& wide = table.wide[c];
    table.columns[c].has_missing =
        table.columns[c].is_wide()
            ? std::ranges::find(wide, missing_wide) != wide.end()
            : std::find(bins, bins + table.n_rows, missing_bin) != bins + table.n_rows;
}

}  // namespace

std::vector<BinnedColumn> plan_columns(std::span<const ColumnView> views, std::size_t n_rows,
                                       std::span<const double> weight, int n_bins, int n_threads,
                                       const std::function<void()>& check) {
    std::vector<BinnedColumn> columns(views.size());
    run_tasks(views.size(), n_threads, [&](std::size_t c, int) {
        check();
        columns[c] = plan_column(views[c], n_rows, weight, n_bins);
    });
    return columns;
}

BinnedTable bin_table(std::span<const ColumnView> views, std::size_t n_rows,
                      std::vector<BinnedColumn> columns, int n_threads,
                      const std::function<void()>& check) {
    BinnedTable table;
    table.n_rows = n_rows;
    table.n_columns = views.size();
    table.stride = row_stride(views.size());
    table.columns = std::move(columns);
    table.by_row.resize(n_rows * table.stride + sizeof(std::uint64_t));  // words may end there
    table.by_column.resize(n_rows * views.size());
    table.wide.resize(views.size());
    std::vector<BinFinder> finders;
    for (std::size_t c = 0; c < views.size(); ++c) {
        finders.emplace_back(table.columns[c].cuts);
        if (table.columns[c].is_wide()) table.wide[c].resize(n_rows);
    }
    const std::size_t n_blocks = (n_rows + rows_at_once - 1) / rows_at_once;
    run_tasks(n_blocks, n_threads, [&](std::size_t block, int) {
        check();
        const std::size_t first = block * rows_at_once;
        bin_rows(views, finders, first, std::min(n_rows, first + rows_at_once), table);
    });
    run_tasks(views.size(), n_threads, [&](std::size_t c, int) { note_missing(table, c); });
    return table;
}

std::size_t BinnedTable::n_bytes() const {
    std::size_t n = by_row.size() + by_column.size();
    for (const auto& codes : wide) n += codes.size() * sizeof(std::uint32_t);
    return n;
}

}  // namespace treewright::histogram
