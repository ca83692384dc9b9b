#include "tests/allocations.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> n_live{0};
std::atomic<bool> is_counting{false};
std::atomic<bool> is_for_good{false};
std::atomic<std::int64_t> until_failure{0};  // the number of the first that fails, from now

void* checked(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    ++n_live;
    return memory;
}

void fail_if_due() {
    if (!is_counting.load(std::memory_order_relaxed)) return;
    const std::int64_t number = until_failure.fetch_sub(1);
    if (number == 1 || (number < 1 && is_for_good)) throw std::bad_alloc();
}

void free_block(void* memory) {
    if (memory == nullptr) return;
    --n_live;
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
    fail_if_due();
    return checked(std::malloc(size > 0 ? size : 1));
}

void* operator new(std::size_t size, std::align_val_t alignment) {
    fail_if_due();
    const auto step = static_cast<std::size_t>(alignment);
    return checked(std::aligned_alloc(step, (size + step) / step * step));
}

// A sanitizer has one of its own, which would not fit the others.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    try {
        return operator new(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void operator delete(void* memory) noexcept { free_block(memory); }
void operator delete(void* memory, std::size_t) noexcept { free_block(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { free_block(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { free_block(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { free_block(memory); }

namespace treewright::testing {

FailingAllocation::FailingAllocation(std::size_t n, Shortage shortage) {
    until_failure = static_cast<std::int64_t>(n);
    is_for_good = shortage == Shortage::for_good;
    is_counting = true;
}

FailingAllocation::~FailingAllocation() { is_counting = false; }

bool FailingAllocation::has_failed() const { return until_failure <= 0; }

std::size_t n_live_blocks() { return n_live; }

}  // namespace treewright::testing
