// A set of byte codes, one bit each.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace treewright {

class CodeSet {
public:
    void add(std::size_t code) { words_[code / 64] |= std::uint64_t{1} << (code % 64); }

    // Visits the codes in rising order.
    template <class Visit>
    void each(Visit visit) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (auto word = words_[w]; word != 0; word &= word - 1) {
                visit(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
            }
        }
    }

private:
    std::array<std::uint64_t, 4> words_{};
};

}  // namespace treewright
