#include "core/grow/taken_rows.hpp"

#include <utility>

#include "core/grow/workspace.hpp"

namespace treewright {

std::vector<WorkColumn<std::uint32_t>> take_rows(std::span<const WorkColumn<std::uint32_t>> from,
                                                 std::size_t n_rows,
                                                 std::span<const std::int64_t> rows) {
    const std::vector<std::uint32_t> members(rows.begin(), rows.end());
    std::vector<std::uint32_t> new_row(n_rows, not_a_member);
    for (std::size_t i = 0; i < members.size(); ++i) {
        new_row[members[i]] = static_cast<std::uint32_t>(i);
    }
    std::vector<WorkColumn<std::uint32_t>> taken;
    taken.reserve(from.size());
    for (const auto& column : from) {
        WorkColumn<std::uint32_t> some;
        some.column = column.column;
        some.sorted = LargeVector<Element<std::uint32_t>>(column.sorted.get_allocator());
        some.codes = LargeVector<std::uint8_t>(column.codes.get_allocator());
        if (column.counted) {
            extract_counted<std::uint32_t, std::uint32_t>(column, members, some);
        } else {
            extract_sorted<std::uint32_t, std::uint32_t>(column.sorted, new_row, members.size(),
                                                         some);
        }
        taken.push_back(std::move(some));
    }
    return taken;
}

}  // namespace treewright
