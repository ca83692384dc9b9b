// Level maps: which child of a node a level goes to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

// Finds the child of a level in constant time where codes are dense, else by bisection.
// Never larger than a few times the levels listed.
class LevelMaps {
public:
    static constexpr std::int32_t unlisted = -1;

    struct Map {
        std::size_t start = 0;
        std::int32_t size = 0;
        std::int32_t lowest = 0;  // the code of the first entry, when dense
        bool dense = true;
    };

    Map add(std::span<const std::int32_t> codes, std::span<const std::int32_t> children);
    std::int32_t child(const Map& map, std::int32_t code) const;

private:
    std::vector<std::int32_t> children_;
    std::vector<std::int32_t> codes_;  // of children_; meaningful in maps that are not dense
};

}  // namespace treewright
