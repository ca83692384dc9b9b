#include "core/histogram/binned_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <variant>

#include "core/arithmetic/as_index.hpp"
#include "core/arithmetic/random.hpp"
#include "core/histogram/bins.hpp"
#include "core/histogram/cut_search.hpp"
#include "core/histogram/packed/bin_guide.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr std::size_t rows_at_once = GatheredRows::most_rows;
constexpr std::size_t columns_at_once = 64;  // whose guides and rows are in the cache

// No row of up to 64 columns lies across two cache lines; half of them would, and cost twice.
std::size_t row_stride(std::size_t n_columns) {
    if (n_columns > 64) return (n_columns + 63) / 64 * 64;
    return std::max<std::size_t>(8, std::bit_ceil(n_columns));
}

using ColumnGuide = std::variant<std::monostate, BinGuide<float>, BinGuide<double>>;

template <class T>
void bin_numbers(const ColumnView& view, const BinGuide<T>& guide, std::size_t n_rows,
                 std::uint8_t* out) {
    std::array<T, GatheredRows::most_rows> room;
    guide(numbers_of<T>(view, 0, n_rows, room), out);
}

void bin_levels(const ColumnView& view, std::size_t n_rows, std::uint8_t* out) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::int32_t code = view.code(row);
        out[row] = code < 0 ? missing_bin : static_cast<std::uint8_t>(code);
    }
}

void keep_levels(const ColumnView& view, std::size_t n_rows, std::uint32_t* out) {
    for (std::size_t row = 0; row < n_rows; ++row) {
        const std::int32_t code = view.code(row);
        out[row] = code < 0 ? missing_wide : static_cast<std::uint32_t>(code);
    }
}

// Levels beyond 255 that have an order are cut as numbers are.
bool is_cut(const ColumnView& view) {
    return view.kind == ColumnKind::numeric || (!view.is_nominal() && view.n_levels > max_bins);
}

void set_cuts(BinnedColumn& column, std::vector<double> cuts) {
    column.n_bins = static_cast<int>(cuts.size()) + 1;
    column.cuts = std::move(cuts);
}

BinnedColumn plan_cuts(const ColumnView& view, std::vector<double> cuts) {
    BinnedColumn column;
    column.coded = view.kind != ColumnKind::numeric;
    set_cuts(column, std::move(cuts));
    return column;
}

BinnedColumn plan_levels(const ColumnView& view) {
    BinnedColumn column;
    column.coded = true;
    column.nominal = view.is_nominal();
    column.n_bins = view.n_levels;
    for (int level = 0; level < view.n_levels; ++level) {
        column.levels.push_back(level);
        if (!column.nominal && level + 1 < view.n_levels) column.cuts.push_back(level);
    }
    return column;
}

std::vector<std::size_t> cut_columns(std::span<const ColumnView> views) {
    std::vector<std::size_t> cut;
    for (std::size_t c = 0; c < views.size(); ++c) {
        if (is_cut(views[c])) cut.push_back(c);
    }
    return cut;
}

std::vector<ColumnView> chosen(std::span<const ColumnView> views,
                               std::span<const std::size_t> columns) {
    std::vector<ColumnView> found;
    for (const std::size_t c : columns) found.push_back(views[c]);
    return found;
}

// `cut` are the columns that have `cuts`.
std::vector<BinnedColumn> plan_with(std::span<const ColumnView> views,
                                    std::span<const std::size_t> cut,
                                    std::vector<std::vector<double>> cuts) {
    std::vector<BinnedColumn> columns;
    std::size_t next = 0;
    for (std::size_t c = 0; c < views.size(); ++c) {
        const bool is_next = next < cut.size() && cut[next] == c;
        columns.push_back(is_next ? plan_cuts(views[c], std::move(cuts[next]))
                                  : plan_levels(views[c]));
        next += is_next;
    }
    return columns;
}

std::vector<std::vector<double>> samples_of(std::span<const ColumnView> views, std::size_t n_rows) {
    std::vector<std::vector<double>> samples(views.size());
    for (std::size_t c = 0; c < views.size(); ++c) {
        for (std::size_t row = 0; row < n_rows; ++row) {
            const double value = views[c].number(row);
            const bool is_known =
                views[c].kind == ColumnKind::numeric ? value == value : value >= 0;
            if (is_known) samples[c].push_back(value);
        }
    }
    return samples;
}

std::vector<ValueType> types_of(std::span<const ColumnView> views) {
    std::vector<ValueType> types;
    for (const ColumnView& view : views) types.push_back(view.type);
    return types;
}

// Copies bytes from columns to rows, a few rows at a time so that both stay in the cache.
void turn_rows(BinnedTable& table, std::size_t first_column, std::size_t end_column,
               std::size_t first, std::size_t end) {
    const std::size_t stride = table.stride;  // a copy: bytes written might alias it
    for (std::size_t begin = first; begin < end; begin += 256) {
        const std::size_t stop = std::min(end, begin + 256);
        for (std::size_t c = first_column; c < end_column; ++c) {
            const std::uint8_t* from = table.column(c);
            std::uint8_t* to = table.by_row.data() + c;
            for (std::size_t row = begin; row < stop; ++row) to[row * stride] = from[row];
        }
    }
}

// Zeros between the last column of a row and the next row.
void fill_up_rows(BinnedTable& table, std::size_t first, std::size_t end) {
    const std::size_t stride = table.stride, n_columns = table.n_columns;
    if (stride == n_columns) return;
    for (std::size_t row = first; row < end; ++row) {
        std::uint8_t* const bytes = table.by_row.data() + row * stride;
        std::fill(bytes + n_columns, bytes + stride, std::uint8_t{0});
    }
}

// Rows `first` and after of column c; `view` begins with them.
void bin_column(const ColumnView& view, const ColumnGuide& guide, std::size_t first,
                std::size_t n_rows, BinnedTable& table, std::size_t c) {
    std::uint8_t* const out = table.by_column.data() + c * table.n_rows + first;
    if (const auto* of_floats = std::get_if<BinGuide<float>>(&guide)) {
        bin_numbers(view, *of_floats, n_rows, out);
    } else if (const auto* of_doubles = std::get_if<BinGuide<double>>(&guide)) {
        bin_numbers(view, *of_doubles, n_rows, out);
    } else if (table.columns[c].is_wide()) {
        keep_levels(view, n_rows, table.wide[c].data() + first);
        std::fill_n(out, n_rows, std::uint8_t{0});
    } else {
        bin_levels(view, n_rows, out);
    }
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
    const std::vector<std::size_t> cut = cut_columns(views);
    const std::vector<ColumnView> numbers = chosen(views, cut);
    return plan_with(
        views, cut, find_all_cuts(numbers, n_rows, RowWeights(weight), n_bins, n_threads, check));
}

ColumnPlan::ColumnPlan(std::span<const ColumnView> views, std::size_t n_sampled,
                       CutSearch::Size size, const std::function<void()>& check)
    : cut_(cut_columns(views)),
      columns_(plan_with(views, cut_, std::vector<std::vector<double>>(cut_.size()))),
      search_(samples_of(chosen(views, cut_), n_sampled), types_of(chosen(views, cut_)), size,
              check) {}

void ColumnPlan::read(std::span<const ColumnView> views, std::size_t n_rows,
                      const RowWeights& weights, const std::function<void()>& check) {
    search_.read(chosen(views, cut_), n_rows, weights, check);
}

bool ColumnPlan::end_pass(const std::function<void()>& check) {
    if (!search_.end_pass(check)) return false;
    auto cuts = search_.take_cuts();
    for (std::size_t i = 0; i < cut_.size(); ++i) set_cuts(columns_[cut_[i]], std::move(cuts[i]));
    return true;
}

std::array<std::size_t, 2> bytes_of_table(std::size_t n_rows, std::size_t n_columns) {
    return {n_rows * row_stride(n_columns) + sizeof(std::uint64_t),  // words may end there
            n_rows * n_columns};
}

BinnedTable start_table(std::size_t n_rows, std::vector<BinnedColumn> columns, TableBytes by_row,
                        TableBytes by_column) {
    BinnedTable table;
    table.n_rows = n_rows;
    table.n_columns = columns.size();
    table.stride = row_stride(columns.size());
    table.columns = std::move(columns);
    table.by_row = std::move(by_row);
    std::fill_n(table.by_row.data() + table.by_row.size() - sizeof(std::uint64_t),
                sizeof(std::uint64_t), std::uint8_t{0});
    table.by_column = std::move(by_column);
    table.wide.resize(table.n_columns);
    for (std::size_t c = 0; c < table.n_columns; ++c) {
        if (table.columns[c].is_wide()) table.wide[c].resize(n_rows);
    }
    return table;
}

void bin_rows(std::span<const ColumnView> views, std::size_t n_rows, BinnedTable& table,
              std::size_t first, int n_threads, const std::function<void()>& check) {
    const std::size_t n_blocks = (n_rows + rows_at_once - 1) / rows_at_once;
    std::vector<GatheredRows> gathered(as_index(std::max(n_threads, 1)));  // by worker
    for (std::size_t start = 0; start < views.size(); start += columns_at_once) {
        const std::size_t n = std::min(columns_at_once, views.size() - start);
        std::vector<ColumnGuide> guides(n);
        run_tasks(n, n_threads, [&](std::size_t i, int) {
            const std::vector<double>& cuts = table.columns[start + i].cuts;
            if (!is_cut(views[start + i])) return;
            if (views[start + i].type == ValueType::float32) {
                guides[i].emplace<BinGuide<float>>(cuts);
            } else {
                guides[i].emplace<BinGuide<double>>(cuts);
            }
        });
        run_tasks(n_blocks, n_threads, [&](std::size_t block, int worker) {
            check();
            const std::size_t begin = block * rows_at_once;
            const std::size_t end = std::min(n_rows, begin + rows_at_once);
            const auto rows = gathered[as_index(worker)](views.subspan(start, n), begin, end);
            for (std::size_t i = 0; i < n; ++i) {
                bin_column(rows[i], guides[i], first + begin, end - begin, table, start + i);
            }
            turn_rows(table, start, start + n, first + begin, first + end);
            if (start + n == table.n_columns) fill_up_rows(table, first + begin, first + end);
        });
    }
}

void finish_table(BinnedTable& table, int n_threads) {
    run_tasks(table.n_columns, n_threads, [&](std::size_t c, int) { note_missing(table, c); });
}

BinnedTable bin_table(std::span<const ColumnView> views, std::size_t n_rows,
                      std::vector<BinnedColumn> columns, int n_threads,
                      const std::function<void()>& check) {
    const auto [by_row, by_column] = bytes_of_table(n_rows, views.size());
    BinnedTable table =
        start_table(n_rows, std::move(columns), TableBytes(by_row), TableBytes(by_column));
    bin_rows(views, n_rows, table, 0, n_threads, check);
    finish_table(table, n_threads);
    return table;
}

std::uint64_t digest_of_cells(const BinnedTable& table, std::size_t first_row,
                              const std::function<void()>& check) {
    constexpr std::size_t rows_per_check = 1 << 16;
    const auto mixed = [](std::uint64_t a, std::uint64_t b) { return Random(a ^ b).next(); };
    std::uint64_t total = 0;
    for (std::size_t row = 0; row < table.n_rows; ++row) {
        if (row % rows_per_check == 0) check();
        std::uint64_t of_row = first_row + row;
        const std::uint8_t* const cells = table.row(row);
        for (std::size_t c = 0; c < table.n_columns; c += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, cells + c, std::min(sizeof(word), table.n_columns - c));
            of_row = mixed(of_row, word);
        }
        for (const auto& codes : table.wide) {
            if (!codes.empty()) of_row = mixed(of_row, codes[row]);
        }
        total += mixed(of_row, 0);
    }
    return total;
}

std::size_t BinnedTable::n_bytes() const {
    std::size_t n = by_row.size() + by_column.size();
    for (const auto& codes : wide) n += codes.size() * sizeof(std::uint32_t);
    return n;
}

}  // namespace treewright::histogram
