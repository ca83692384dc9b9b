// Large vectors, whose memory comes from the system itself.
#include <sys/resource.h>

#include <cstdint>
#include <new>
#include <numeric>

#include "core/large_vector.hpp"
#include "tests/testing.hpp"

namespace treewright::testing {
namespace {

constexpr std::size_t n_large = std::size_t{1} << 20;  // 8 MB

const Test t1("a large vector begins with a cache line and holds what is written", [] {
    LargeVector<double> numbers(n_large);
    expect_equal(reinterpret_cast<std::uintptr_t>(numbers.data()) % 64, 0U);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    numbers.resize(n_large + 1, 0.0);
    expect_equal(numbers[n_large - 1], static_cast<double>(n_large));
});

const Test t2("T33: a large vector without memory is bad_alloc", [] {
    if (!can_limit_memory) return;
    expect(holds_in_a_child([] {
        const rlimit nothing{1, RLIM_INFINITY};
        setrlimit(RLIMIT_AS, &nothing);
        thrown_by<std::bad_alloc>([] { LargeVector<double> numbers(n_large); });
        return true;
    }));
});

const Folder temporary = std::make_shared<const std::string>("/tmp");

const Test t3("a large vector in a folder holds what is written, and leaves nothing behind", [] {
    auto numbers = vector_in<double>(temporary);
    numbers.resize(n_large, 1.0);
    numbers.push_back(2.0);
    const auto copy = numbers;
    LargeVector<double> moved;
    moved = std::move(numbers);
    expect_equal(std::accumulate(moved.begin(), moved.end(), 0.0), static_cast<double>(n_large + 2));
    expect(copy == moved);
    expect(copy.get_allocator() == moved.get_allocator());
});

const Test t4("a folder without room says so", [] {
    const auto nowhere = std::make_shared<const std::string>("/tmp/there/is/no/such/folder");
    thrown_by<NoRoomInFolder>([&] { vector_in<double>(nowhere).resize(n_large); });
});

}  // namespace
}  // namespace treewright::testing
