// What must hold for every kernel: memory that runs out, a caller who cancels, any number of
// threads, a forked child.
#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <utility>

#include "core/parallel/cancellation.hpp"
#include "tests/allocations.hpp"
#include "tests/kernels.hpp"
#include "tests/testing.hpp"

namespace treewright::testing {
namespace {

const std::function<void()> go_on = [] {};

// Fails the first, the second, ... allocation until there are no more: each time std::bad_alloc
// comes out (or the result is right all the same: sorting can do without its buffer) and nothing
// stays behind. Unless the tests are thorough, ever more of the later allocations are passed over.
void run_out_of_memory(const Kernel& kernel, int n_threads, Shortage shortage) {
    const std::uint64_t expected = kernel.run(n_threads, go_on);
    kernel.run(n_threads, go_on);  // what stays allocated for good is there now
    const std::size_t n_before = n_live_blocks();
    for (std::size_t n = 1;; n += is_thorough() ? 1 : 1 + n / 50) {
        bool has_failed = false, is_right = false;
        {
            const FailingAllocation failing(n, shortage);
            try {
                is_right = kernel.run(n_threads, go_on) == expected;
            } catch (const std::bad_alloc&) {
                is_right = true;
            }
            has_failed = failing.has_failed();
        }
        const std::size_t n_after = n_live_blocks();
        const std::string where = std::string(kernel.name) + ", allocation " + std::to_string(n);
        expect(is_right, where + ": neither bad_alloc nor the right result came out");
        expect(n_after == n_before, where + ": blocks before and after: " +
                                        std::to_string(n_before) + ", " + std::to_string(n_after));
        if (!has_failed) break;
    }
    expect_equal(kernel.run(n_threads, go_on), expected);
}

const Test t1("T33: the n-th allocation fails: bad_alloc comes out, nothing leaks", [] {
    for (const Kernel& kernel : every_kernel()) run_out_of_memory(kernel, 1, Shortage::once);
});

const Test t2("T33: from the n-th on all allocations fail: bad_alloc comes out, nothing leaks", [] {
    for (const Kernel& kernel : every_kernel()) run_out_of_memory(kernel, 1, Shortage::for_good);
});

const Test t3("T45: allocations fail on threads of the pool", [] {
    for (const Kernel& kernel : every_kernel()) {
        for (const Shortage shortage : {Shortage::once, Shortage::for_good}) {
            run_out_of_memory(kernel, 3, shortage);
        }
    }
});

const Test t4("the result of every kernel is the same on any number of threads", [] {
    for (const Kernel& kernel : every_kernel()) {
        const std::uint64_t expected = kernel.run(1, go_on);
        for (const int n_threads : {2, 3, 8, 100}) {
            expect(kernel.run(n_threads, go_on) == expected, kernel.name);
        }
    }
});

struct GaveUp {};

// Kernels that would ask after a moment ask at once: on small tables they have no moment.
struct Impatience {
    std::chrono::milliseconds before = std::exchange(Watch::pause, std::chrono::milliseconds(0));
    ~Impatience() { Watch::pause = before; }
};

const Test t5("every long kernel asks, and what the check throws comes out", [] {
    const Impatience impatience;
    for (const Kernel& kernel : every_kernel()) {
        for (const int n_threads : {1, 3}) {
            std::atomic<bool> asked{false};
            bool gave_up = false;
            try {
                kernel.run(n_threads, [&] {
                    asked = true;
                    throw GaveUp{};
                });
            } catch (const GaveUp&) {
                gave_up = true;
            }
            // Others may do all of the work before the thread that asks has begun.
            expect(asked || n_threads > 1 || kernel.is_short,
                   std::string(kernel.name) + ": does not ask");
            expect(gave_up == asked, kernel.name);
        }
    }
});

const Test t6("T42: a forked child has every kernel at work again", [] {
    if (!can_follow_forks) return;
    for (const Kernel& kernel : every_kernel()) kernel.run(3, go_on);  // the pool has threads
    for (const Kernel& kernel : every_kernel()) {
        const std::uint64_t expected = kernel.run(3, go_on);
        expect(holds_in_a_child([&] { return kernel.run(3, go_on) == expected; }), kernel.name);
    }
});

}  // namespace
}  // namespace treewright::testing
