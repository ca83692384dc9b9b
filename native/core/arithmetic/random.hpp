// Seeded random numbers: the same on every machine.
#pragma once

#include <cstdint>

namespace treewright {

// SplitMix64 by Steele, Lea and Flood: one addition and a mix.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    // A separate stream for each part of some work, whichever thread does it.
    static Random stream(std::uint64_t seed, std::uint64_t part) {
        return Random(Random(seed ^ Random(part).next()).next());
    }

    std::uint64_t next() {
        std::uint64_t mixed = state_ += 0x9E3779B97F4A7C15ULL;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
        return mixed ^ (mixed >> 31);
    }

    // Below n, each about equally often: off by less than n / 2^32.
    std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
    }

    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // in [0, 1)

private:
    std::uint64_t state_;
};

}  // namespace treewright
