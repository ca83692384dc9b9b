#include "core/histogram/boosting/leaf_search.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <utility>

#include "core/arithmetic/as_index.hpp"
#include "core/histogram/boosting/split_writing.hpp"
#include "core/parallel/row_shares.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/short_cuts.hpp"

namespace treewright::histogram {
namespace {

// A column is searched in the time in which so many of its cells are counted.
constexpr std::size_t cells_of_search = 3'000;
// A task of fewer cells costs less than to share it.
constexpr std::size_t least_cells = 20'000;
// So many cells for each thread are worth the few starts of threads that a batch of leaves needs.
constexpr std::size_t enough_cells = 100'000;
// Rows of a node in parts: to send fewer takes too little time for a task.
constexpr std::size_t least_sent = 512;
// Columns that are searched by one task.
constexpr std::size_t least_columns = 4;
// Bytes for the sums that all workers have of their own.
constexpr std::size_t most_partial_sums = std::size_t{32} << 20;

// Leaves of fewer rows take too little time to be interrupted.
constexpr std::size_t rows_worth_a_check = 10'000;

std::vector<Sum> taken_from(std::vector<std::vector<Sum>>& sums) {
    std::vector<Sum> last = std::move(sums.back());
    sums.pop_back();
    return last;
}

// Columns in blocks of about equal size, none larger than `most`.
struct ColumnBlocks {
    ColumnBlocks(std::size_t n_columns, std::size_t most)
        : n_columns(n_columns),
          n((n_columns + most - 1) / most),
          width(n == 0 ? 0 : (n_columns + n - 1) / n) {}

    std::size_t first(std::size_t block) const { return std::min(n_columns, block * width); }
    std::size_t end(std::size_t block) const { return first(block + 1); }

    std::size_t n_columns, n, width;
};

}  // namespace

// A division in progress. Its smaller child is counted; the other is what is left of the parent.
struct LeafSearch::Work {
    Division* division = nullptr;
    std::vector<std::uint8_t> sides;  // of a wide column
    Leaf* small = nullptr;
    Leaf* large = nullptr;
    ColumnChoice::Marks for_small, for_large;
    std::vector<std::vector<Sum>> parts;  // more sums of the smaller child's rows
    std::mutex mutex;  // of the children's best splits

    const RowOrder::Range& rows() const {
        return (division->parent != nullptr ? division->parent : small)->range;
    }
};

// Rows of a node that one task divides.
struct LeafSearch::Part {
    std::size_t work;  // its number
    RowOrder::Range rows;
    std::size_t n_left = 0;  // that go left
    std::size_t before = 0;  // rows of earlier parts that go left
};

std::size_t LeafSearch::work_of(const Leaf& leaf) const {
    return (leaf.range.size() + cells_of_search) * std::max<std::size_t>(1, table_.n_columns);
}

std::size_t LeafSearch::enough_work() const {
    return task_.n_threads > 1 ? as_index(task_.n_threads) * enough_cells : 0;
}

std::size_t LeafSearch::enough_leaves() const { return enough_work() / work_of(Leaf{}) + 1; }

// Asks whether to go on, where what comes next takes long enough.
void LeafSearch::ask_before(const Leaf& leaf) const {
    if (leaf.range.size() >= rows_worth_a_check) task_.check();
}

// Adds rows to the sums of some columns.
void LeafSearch::add(const RowOrder::Range& rows, std::size_t first, std::size_t end, Sum* sums) {
    add_rows(table_, first, end - first, order_.rows(rows), sums + first * n_slots);
    note_bytes(static_cast<double>(rows.size() * (sizeof(Traveler) + end - first)));
}

void LeafSearch::count(const RowOrder::Range& rows, std::size_t first, std::size_t end, Sum* sums) {
    std::fill(sums + first * n_slots, sums + end * n_slots, 0);
    add(rows, first, end, sums);
}

// Like the counting of a child, and its search, but that there is no parent.
void LeafSearch::start(Leaf& root, bool searches) {
    Division division;
    division.searches = searches;
    Work work;
    work.division = &division;
    work.small = &root;
    work.for_small = columns_for(root);
    Work* const only = &work;
    std::vector<Part> parts = in_parts({&only, 1});
    count_together({&only, 1}, parts);
    root.total = total_of(root.sums);
    for (const std::vector<Sum>& sums : work.parts) root.total += total_of(sums);
    settle_together({&only, 1});
    for (std::vector<Sum>& sums : work.parts) put_away(sums);
}

void LeafSearch::divide(std::span<Division> divisions) {
    std::vector<Work> works(divisions.size());
    std::size_t all = 0, largest = 0;
    for (std::size_t i = 0; i < works.size(); ++i) {
        const GradientSplit& split = *divisions[i].split;
        works[i].division = &divisions[i];
        works[i].sides = wide_sides(table_.columns[as_index(split.column)], split);
        const std::size_t work = work_of(*divisions[i].parent);
        all += work;
        largest = std::max(largest, work);
    }
    // Small leaves of about the same size are a task each. Otherwise only what is a small part of
    // the batch is one task, and all the rest is shared.
    const std::size_t n_threads = as_index(task_.n_threads);
    const bool are_even = all <= 2 * enough_work() && 2 * n_threads * largest <= 3 * all;
    const std::size_t small = are_even ? all : std::max(least_cells, all / (4 * n_threads));
    std::vector<Work*> alone, together;
    for (Work& work : works) {
        const bool is_alone = n_threads == 1 || work_of(*work.division->parent) <= small;
        (is_alone ? alone : together).push_back(&work);
        if (is_alone && work.division->counts) work.parts.push_back(fresh_sums());
    }
    divide_together(together, alone);
    for (Work& work : works) finish(work);
}

std::size_t LeafSearch::mark(const Work& work, const RowOrder::Range& part) {
    const GradientSplit& split = *work.division->split;
    const std::size_t column = as_index(split.column);
    note_bytes(static_cast<double>(part.size() * (sizeof(Traveler) + 2)));
    if (work.sides.empty()) return order_.mark(part, table_.column(column), split.goes_left);
    return order_.mark(part, table_.wide[column].data(), work.sides);
}

void LeafSearch::make_children(Work& work, std::size_t n_left) {
    Division& division = *work.division;
    Leaf& parent = *division.parent;
    LeafWork::make_children(division, n_left, order_.after(parent.range.copy));
    const bool left_is_small = division.left.range.size() <= division.right.range.size();
    work.small = left_is_small ? &division.left : &division.right;
    work.large = left_is_small ? &division.right : &division.left;
    if (division.searches) {
        work.for_small = columns_for(*work.small);
        work.for_large = columns_for(*work.large);
    }
    if (division.counts) work.large->sums = std::move(parent.sums);
}

void LeafSearch::divide_alone(Work& work, int worker) {
    const Leaf& parent = *work.division->parent;
    ask_before(parent);
    const RowOrder::Range range = parent.range;
    const std::size_t n_left = mark(work, range);
    order_.send(range, range.begin, range.begin + n_left);
    make_children(work, n_left);
    if (!work.division->counts) return;
    work.small->sums = taken_from(work.parts);
    // Sums of few columns are searched while they are in the cache.
    const ColumnBlocks blocks(table_.n_columns, columns_at_once);
    for (std::size_t block = 0; block < blocks.n; ++block) {
        const std::size_t first = blocks.first(block), end = blocks.end(block);
        count(work.small->range, first, end, work.small->sums.data());
        settle_columns(work, first, end, worker);
    }
}

// Parts of all nodes of about the same size, a few for each thread.
std::vector<LeafSearch::Part> LeafSearch::in_parts(std::span<Work* const> works) const {
    std::size_t n_rows = 0;
    for (const Work* work : works) n_rows += work->rows().size();
    const RowShares all = share_rows(n_rows, task_.n_threads, least_sent);
    const std::size_t size = std::max<std::size_t>(1, all.rows_of_block());
    std::vector<Part> parts;
    parts.reserve(all.size() + works.size());
    for (std::size_t work = 0; work < works.size(); ++work) {
        const auto& [begin, end, copy] = works[work]->rows();
        const RowShares shares{end - begin, std::max<std::size_t>(1, (end - begin + size - 1) / size)};
        for (std::size_t i = 0; i < shares.size(); ++i) {
            parts.push_back({work, {begin + shares.begin(i), begin + shares.end(i), copy}});
        }
    }
    return parts;
}

// First some leaves are divided by one task each, while the rows of the others are marked in parts.
// Then all threads send rows and add up those of the smaller children, and last search columns.
void LeafSearch::divide_together(std::span<Work* const> works, std::span<Work* const> alone) {
    std::vector<Part> parts = in_parts(works);
    run_tasks(alone.size() + parts.size(), task_.n_threads, [&](std::size_t i, int worker) {
        if (i < alone.size()) return divide_alone(*alone[i], worker);
        Part& part = parts[i - alone.size()];
        part.n_left = mark(*works[part.work], part.rows);
    });
    if (works.empty()) return;
    task_.check();

    std::size_t n_left = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].before = n_left;
        n_left += parts[i].n_left;
        if (i + 1 == parts.size() || parts[i + 1].work != parts[i].work) {
            make_children(*works[parts[i].work], std::exchange(n_left, 0));
        }
    }
    count_together(works, parts);
    std::vector<Work*> counted;
    for (Work* work : works) {
        if (work->division->counts) counted.push_back(work);
    }
    if (counted.empty()) return;
    task_.check();
    settle_together(counted);
}

// Moves the rows of a part to their children, and makes those of the smaller child the part.
void LeafSearch::send(const Work& work, Part& part) {
    const Leaf &left = work.division->left, &right = work.division->right;
    const std::size_t to_left = left.range.begin + part.before;
    const std::size_t to_right =
        right.range.begin + part.rows.begin - left.range.begin - part.before;
    order_.send(part.rows, to_left, to_right);
    note_bytes(static_cast<double>(part.rows.size() * (2 * sizeof(Traveler) + 1)));
    const std::size_t n_right = part.rows.size() - part.n_left;
    part.rows = work.small == &left
                    ? RowOrder::Range{to_left, to_left + part.n_left, left.range.copy}
                    : RowOrder::Range{to_right, to_right + n_right, left.range.copy};
}

// Sends the rows of divided leaves, and adds up those of the smaller children. Each worker has sums
// of its own, whatever parts it takes; they are put together later. The sums of wide tables would
// take too much memory: there, workers share the columns.
void LeafSearch::count_together(std::span<Work* const> works, std::span<Part> parts) {
    const std::size_t n_sums = std::min(parts.size(), works.size() * as_index(task_.n_threads));
    if (n_sums * table_.n_columns * n_slots * sizeof(Sum) <= most_partial_sums) {
        count_by_rows(works, parts, n_sums);
    } else {
        count_by_columns(works, parts);
    }
}

void LeafSearch::count_by_rows(std::span<Work* const> works, std::span<Part> parts,
                               std::size_t n_sums) {
    const std::size_t n_workers = as_index(task_.n_threads);
    std::vector<std::vector<Sum>> sums(n_sums);
    std::ranges::generate(sums, [this] { return fresh_sums(); });
    constexpr std::size_t none = SIZE_MAX;
    std::vector<std::size_t> used(works.size() * n_workers, none);  // sums, by work and worker
    std::atomic<std::size_t> n_used = 0;
    run_tasks(parts.size(), task_.n_threads, [&](std::size_t i, int worker) {
        Part& part = parts[i];
        const Work& work = *works[part.work];
        if (work.division->parent != nullptr) send(work, part);
        if (!work.division->counts) return;
        std::size_t& mine = used[part.work * n_workers + as_index(worker)];
        if (mine == none) {
            mine = n_used.fetch_add(1);
            std::ranges::fill(sums[mine], 0);
        }
        add(part.rows, 0, table_.n_columns, sums[mine].data());  // rows that are in the cache
    });
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i] != none) works[i / n_workers]->parts.push_back(std::move(sums[used[i]]));
    }
    for (Work* work : works) {
        if (work->division->counts) work->small->sums = taken_from(work->parts);
    }
    for (std::size_t i = n_used; i < sums.size(); ++i) put_away(sums[i]);
}

void LeafSearch::count_by_columns(std::span<Work* const> works, std::span<Part> parts) {
    if (works.front()->division->parent != nullptr) {
        run_tasks(parts.size(), task_.n_threads,
                  [&](std::size_t i, int) { send(*works[parts[i].work], parts[i]); });
    }
    for (Work* work : works) {
        if (work->division->counts) work->small->sums = fresh_sums();
    }
    const ColumnBlocks blocks(table_.n_columns, columns_at_once);
    run_tasks(works.size() * blocks.n, task_.n_threads, [&](std::size_t i, int) {
        Work& work = *works[i / blocks.n];
        const std::size_t block = i % blocks.n;
        if (!work.division->counts) return;
        count(work.small->range, blocks.first(block), blocks.end(block), work.small->sums.data());
    });
}

void LeafSearch::settle_together(std::span<Work* const> works) {
    const std::size_t wanted = 2 * as_index(task_.n_threads) / works.size() + 1;
    const ColumnBlocks blocks(
        table_.n_columns, std::clamp(table_.n_columns / wanted, least_columns, columns_at_once));
    run_tasks(works.size() * blocks.n, task_.n_threads, [&](std::size_t i, int worker) {
        const std::size_t block = i % blocks.n;
        settle_columns(*works[i / blocks.n], blocks.first(block), blocks.end(block), worker);
    });
}

// The sums of columns, and the best splits by them.
void LeafSearch::settle_columns(Work& work, std::size_t first, std::size_t end, int worker) {
    Sum* const sums = work.small->sums.data();
    for (const std::vector<Sum>& part : work.parts) {
        for (std::size_t i = first * n_slots; i < end * n_slots; ++i) sums[i] += part[i];
    }
    if (work.large != nullptr && takes(ShortCut::smaller_side)) {
        Sum* const rest = work.large->sums.data();
        for (std::size_t i = first * n_slots; i < end * n_slots; ++i) rest[i] -= sums[i];
    } else if (work.large != nullptr) {
        count(work.large->range, first, end, work.large->sums.data());
    }
    if (!work.division->searches) return;
    search_columns(work, *work.small, work.for_small, first, end, worker);
    if (work.large == nullptr) return;
    search_columns(work, *work.large, work.for_large, first, end, worker);
}

// Takes the best split by some columns, if it is better than what was found by others.
void LeafSearch::search_columns(Work& work, Leaf& leaf, const ColumnChoice::Marks& may_ask,
                                std::size_t first, std::size_t end, int worker) {
    if (!may_split(leaf)) return;
    ask_before(leaf);
    std::unique_lock lock(work.mutex);
    GradientSplit best = leaf.split;  // what is worse need not be looked at closely
    lock.unlock();
    best = better_split(leaf, std::move(best), may_ask, first, end, worker);
    lock.lock();
    take_better(leaf.split, best);
}

void LeafSearch::count_rows(const Leaf& leaf, int column,
                            std::span<std::uint32_t, n_slots> counts) const {
    const std::uint8_t* bins = table_.column(as_index(column));
    for (const Traveler row : order_.rows(leaf.range)) ++counts[bins[row_of(row)]];
}

WideSums LeafSearch::wide_sums(const Leaf& leaf, std::size_t column, WideScratch& scratch) const {
    const auto n_levels = static_cast<std::size_t>(table_.columns[column].n_bins);
    return add_wide_rows(table_.wide[column], n_levels, order_.rows(leaf.range), scratch);
}

void LeafSearch::finish(Work& work) {
    for (std::vector<Sum>& sums : work.parts) put_away(sums);
    close(*work.division);
}

}  // namespace treewright::histogram
