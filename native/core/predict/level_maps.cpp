#include "core/predict/level_maps.hpp"

#include <algorithm>

#include "core/arithmetic/as_index.hpp"

namespace treewright {

LevelMaps::Map LevelMaps::add(std::span<const std::int32_t> codes,
                              std::span<const std::int32_t> children) {
    if (codes.empty()) return {};
    const std::int64_t range = std::int64_t{codes.back()} - codes.front() + 1;
    const bool dense = range <= 4 * static_cast<std::int64_t>(codes.size()) + 16;
    const std::size_t size = dense ? as_index(range) : codes.size();
    const Map map{children_.size(), static_cast<std::int32_t>(size), codes.front(), dense};
    children_.resize(map.start + size, unlisted);
    codes_.resize(children_.size(), 0);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const std::size_t entry = map.start + (dense ? as_index(codes[i] - map.lowest) : i);
        children_[entry] = children[i];
        codes_[entry] = codes[i];
    }
    return map;
}

std::int32_t LevelMaps::child(const Map& map, std::int32_t code) const {
    if (map.dense) {
        const std::int64_t entry = std::int64_t{code} - map.lowest;
        return entry >= 0 && entry < map.size ? children_[map.start + as_index(entry)] : unlisted;
    }
    const auto first = codes_.begin() + static_cast<std::ptrdiff_t>(map.start);
    const auto found = std::lower_bound(first, first + map.size, code);
    if (found == first + map.size || *found != code) return unlisted;
    return children_[static_cast<std::size_t>(found - codes_.begin())];
}

}  // namespace treewright
