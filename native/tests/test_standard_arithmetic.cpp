// Modes of the processor that other code has set: the core has its own, and gives theirs back.
#include <atomic>
#include <cfenv>
#include <thread>

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "core/arithmetic/standard_arithmetic.hpp"
#include "core/parallel/thread_pool.hpp"
#include "tests/testing.hpp"

namespace treewright::testing {
namespace {

// Makes this thread take numbers below 2.2e-308 for 0, as code built by -ffast-math does.
void flush_to_zero() {
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040);
#elif defined(__aarch64__)
    unsigned long modes = 0;
    asm volatile("mrs %0, fpcr" : "=r"(modes));
    asm volatile("msr fpcr, %0" : : "r"(modes | 1UL << 24));
#endif
}

// Not inlined: a compiler may move arithmetic past what sets the modes, of which it knows nothing.
[[gnu::noinline]] bool keeps_small_numbers() {
    const volatile double smallest = 5e-324;
    return smallest * 1.0 > 0;
}

// Asked of the arithmetic itself: std::fegetround reports what another unit of the processor does.
[[gnu::noinline]] bool rounds_up() {
    const volatile double one = 1.0, little = 1e-20;
    return one + little > 1.0;
}

const Test t1("arithmetic is the standard's within, and what it was before afterwards", [] {
    expect(holds_in_a_child([] {
        std::fesetround(FE_UPWARD);
        flush_to_zero();
        const bool kept_before = keeps_small_numbers();
        {
            const StandardArithmetic arithmetic;
            if (!keeps_small_numbers() || rounds_up()) return false;
        }
        return keeps_small_numbers() == kept_before && rounds_up();
    }));
});

const Test t2("threads of the pool keep small numbers, whichever thread has started them", [] {
    if (!can_follow_forks) return;
    expect(holds_in_a_child([] {
        flush_to_zero();
        const auto caller = std::this_thread::get_id();
        std::atomic<int> n_waiting{0}, n_right{0};
        run_tasks(3, 3, [&](std::size_t, int) {
            ++n_waiting;
            while (n_waiting < 3) std::this_thread::yield();  // one task for each thread
            if (std::this_thread::get_id() != caller && keeps_small_numbers()) ++n_right;
        });
        return n_right == 2;
    }));
});

}  // namespace
}  // namespace treewright::testing
