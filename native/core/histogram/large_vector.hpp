// Vectors that are read in leaps: they begin with a cache line, and large ones ask for large pages.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace treewright::histogram {

void ask_for_large_pages(void* memory, std::size_t n_bytes);

template <class T>
struct LargeAllocator {
    using value_type = T;
    static constexpr std::size_t large = std::size_t{4} << 20;

    LargeAllocator() = default;
    template <class U>
    LargeAllocator(const LargeAllocator<U>&) {}

    static std::align_val_t alignment(std::size_t n) {
        return std::align_val_t{n * sizeof(T) < large ? 64 : large / 2};
    }
    T* allocate(std::size_t n) {
        void* memory = ::operator new(n * sizeof(T), alignment(n));
        if (n * sizeof(T) >= large) ask_for_large_pages(memory, n * sizeof(T));
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t n) { ::operator delete(memory, alignment(n)); }
    friend bool operator==(LargeAllocator, LargeAllocator) { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace treewright::histogram
