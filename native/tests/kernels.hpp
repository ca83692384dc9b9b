// Every kernel of the core, called once on a small table: for tests of what must hold for all.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

namespace treewright::testing {

// What came out, in eight bytes (FNV-1a).
class Digest {
public:
    template <class T>
    void add(std::span<const T> values) {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        for (const T& value : values) {
            auto bytes = std::bit_cast<std::array<unsigned char, sizeof(T)>>(value);
            // The low byte first, whatever the order of the machine.
            if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(bytes);
            for (const auto byte : bytes) state_ = (state_ ^ byte) * 1'099'511'628'211ULL;
        }
    }
    template <class T>
    void add(const std::vector<T>& values) {
        add(std::span<const T>(values));
    }
    std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_ = 14'695'981'039'346'656'037ULL;
};

struct Kernel {
    const char* name;
    // Runs on so many threads; `check` may throw to cancel it.
    std::function<std::uint64_t(int n_threads, const std::function<void()>& check)> run;
    bool is_short = false;  // takes less than a moment on any table, so it need not ask
};

const std::vector<Kernel>& every_kernel();

// Parts of that list, one for each file of kernels.
std::vector<Kernel> tree_kernels();
std::vector<Kernel> ensemble_kernels();
std::vector<Kernel> other_kernels();

}  // namespace treewright::testing
