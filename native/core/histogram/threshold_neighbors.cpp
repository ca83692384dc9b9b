#include "core/histogram/threshold_neighbors.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/bins.hpp"
#include "core/parallel/row_shares.hpp"
#include "core/parallel/thread_pool.hpp"

namespace treewright::histogram {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t least_rows = GatheredRows::most_rows;  // that are worth a task
constexpr std::size_t columns_at_once = 16;

// The least and the largest number of a bin.
struct Ends {
    double low = infinity, high = -infinity;

    void add(const Ends& other) {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
};

// Few thresholds have a guide that stays in the cache.
using Guide = std::variant<BinGuide<double>, BinGuide<double, std::uint16_t>>;

Guide guide_for(std::span<const double> thresholds) {
    if (std::cmp_less_equal(thresholds.size(), BinGuide<double>::most_cuts)) {
        return Guide(std::in_place_index<0>, thresholds);
    }
    return Guide(std::in_place_index<1>, thresholds);
}

template <class Bin>
void add_rows(std::span<const double> numbers, const BinGuide<double, Bin>& guide,
              std::vector<Ends>& of_bin) {
    std::array<Bin, GatheredRows::most_rows> bins;
    guide(numbers, bins.data());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (bins[i] == guide.missing) continue;
        of_bin[bins[i]].add({numbers[i], numbers[i]});
    }
}

std::span<const double> as_doubles(const ColumnView& column, std::size_t n,
                                   std::span<double, GatheredRows::most_rows> room) {
    if (column.type != ValueType::float32) return numbers_of<double>(column, 0, n, room);
    for (std::size_t i = 0; i < n; ++i) room[i] = column.number(i);
    return room.first(n);
}

void find_some(std::span<const ThresholdNeighbors> wanted, std::size_t n_rows, int n_threads,
               const std::function<void()>& check) {
    std::vector<ColumnView> views;
    std::vector<Guide> guides;
    std::vector<std::vector<Ends>> empty;
    for (const ThresholdNeighbors& one : wanted) {
        views.push_back(one.column);
        guides.push_back(guide_for(one.thresholds));
        empty.emplace_back(one.thresholds.size() + 1);
    }
    struct Worker {
        GatheredRows gathered;
        std::vector<std::vector<Ends>> of_bin;  // by column
    };
    std::vector<Worker> workers(as_index(n_threads));
    const RowShares shares = share_rows(n_rows, n_threads, least_rows);
    run_tasks(shares.size(), n_threads, [&](std::size_t share, int number) {
        Worker& worker = workers[as_index(number)];
        if (worker.of_bin.empty()) worker.of_bin = empty;
        std::array<double, GatheredRows::most_rows> room;
        for (std::size_t row = shares.begin(share); row < shares.end(share);) {
            check();
            const std::size_t end = std::min(shares.end(share), row + GatheredRows::most_rows);
            const std::span<const ColumnView> rows = worker.gathered(views, row, end);
            for (std::size_t c = 0; c < rows.size(); ++c) {
                const auto numbers = as_doubles(rows[c], end - row, room);
                std::visit([&](const auto& guide) { add_rows(numbers, guide, worker.of_bin[c]); },
                           guides[c]);
            }
            row = end;
        }
    });
    for (std::size_t c = 0; c < wanted.size(); ++c) {
        std::vector<Ends>& all = empty[c];
        for (const Worker& worker : workers) {
            if (worker.of_bin.empty()) continue;
            for (std::size_t bin = 0; bin < all.size(); ++bin) all[bin].add(worker.of_bin[c][bin]);
        }
        const std::size_t n = wanted[c].thresholds.size();
        double highest = -infinity, lowest = infinity;
        for (std::size_t i = 0; i < n; ++i) {
            wanted[c].below[i] = highest = std::max(highest, all[i].high);
            wanted[c].above[n - 1 - i] = lowest = std::min(lowest, all[n - i].low);
        }
    }
}

}  // namespace

void find_neighbors(std::span<const ThresholdNeighbors> wanted, std::size_t n_rows, int n_threads,
                    const std::function<void()>& check) {
    n_threads = usable_threads(n_threads);
    for (std::size_t first = 0; first < wanted.size(); first += columns_at_once) {
        const std::size_t n = std::min(columns_at_once, wanted.size() - first);
        find_some(wanted.subspan(first, n), n_rows, n_threads, check);
    }
}

}  // namespace treewright::histogram
