// Loaded before everything else, this makes the n-th `operator new` of a process fail on request.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> until_failure{0};  // the number of the one that fails, from now; 0: none

void fail_if_due() {
    if (until_failure.load(std::memory_order_relaxed) > 0 && until_failure.fetch_sub(1) == 1) {
        throw std::bad_alloc();
    }
}

void* checked(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

extern "C" void fail_allocation(long n) { until_failure = n; }

// Whether it has failed; from now on none does.
extern "C" int has_failed() { return until_failure.exchange(0) <= 0; }

void* operator new(std::size_t size) {
    fail_if_due();
    return checked(std::malloc(size > 0 ? size : 1));
}

void* operator new(std::size_t size, std::align_val_t alignment) {
    fail_if_due();
    const auto step = static_cast<std::size_t>(alignment);
    return checked(std::aligned_alloc(step, (size + step) / step * step));
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
