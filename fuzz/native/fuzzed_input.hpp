// Bytes of a fuzzer, taken as whatever is needed; after their end everything is 0.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

namespace treewright::fuzzing {

class FuzzedInput {
public:
    FuzzedInput(const std::uint8_t* data, std::size_t size) : left_(data, size) {}

    template <typename T>
    T take() {
        T value{};
        const std::size_t n = std::min(sizeof(T), left_.size());
        if (n > 0) std::memcpy(&value, left_.data(), n);
        left_ = left_.subspan(n);
        return value;
    }

    bool coin() { return take<std::uint8_t>() & 1; }

    // A whole number from `least` to `most`.
    std::size_t from_to(std::size_t least, std::size_t most) {
        return least + take<std::uint16_t>() % (most - least + 1);
    }

    // Small and round, or special, or any bits at all; NaN and infinities included.
    double number() {
        using Limits = std::numeric_limits<double>;
        static constexpr std::array special = {
            Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), Limits::max(),
            -Limits::max(),      Limits::min(),      Limits::denorm_min(), -0.0};
        const auto choice = take<std::uint8_t>();
        if (choice < 200) return take<std::int8_t>() / 4.0;
        if (choice < 230) return special[choice % special.size()];
        return take<double>();
    }

    // A finite number whose size lies between the limits, or 0.
    double moderate(double least, double most) {
        const double given = number();
        const double size = std::abs(given);
        return size >= least && size <= most ? given : 0.0;
    }

    std::string_view rest() const {
        return {reinterpret_cast<const char*>(left_.data()), left_.size()};
    }

private:
    std::span<const std::uint8_t> left_;
};

// What must hold whatever the input is.
inline void demand(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "ERROR: this does not hold: %s\n", what);
    std::abort();
}

}  // namespace treewright::fuzzing
