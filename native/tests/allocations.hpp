// Memory that runs out when a test says so: `operator new` of this program is our own.
#pragma once

#include <cstddef>

namespace treewright::testing {

enum class Shortage { once, for_good };

// While one lives, allocation number `n` (counted from 1, on all threads together) fails, and so do
// all that follow if the shortage is for good.
class FailingAllocation {
public:
    FailingAllocation(std::size_t n, Shortage shortage);
    ~FailingAllocation();
    FailingAllocation(const FailingAllocation&) = delete;
    FailingAllocation& operator=(const FailingAllocation&) = delete;

    bool has_failed() const;
};

// Blocks that were allocated and not freed.
std::size_t n_live_blocks();

}  // namespace treewright::testing
