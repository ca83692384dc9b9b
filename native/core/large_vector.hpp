// Vectors for random access: they begin at a cache line, and large ones use large pages. Numbers
// that are added to them have no value until they are written: the thread that writes first decides
// which memory of a large machine holds them.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace treewright {

// Straight from the system and back to it: an allocator would hold on to what one fit frees, in
// pieces that the next cannot use.
void* large_memory(std::size_t n_bytes);
void give_back(void* memory, std::size_t n_bytes);

// Gives back what an allocator holds on to after many small blocks were freed, where it can be asked.
void give_back_freed();

template <class T>
struct LargeAllocator {
    using value_type = T;
    static constexpr std::size_t large = std::size_t{2} << 20;

    LargeAllocator() = default;
    template <class U>
    LargeAllocator(const LargeAllocator<U>&) {}

    static constexpr std::align_val_t cache_line{64};
    static bool is_large(std::size_t n) { return n >= large / sizeof(T); }

    T* allocate(std::size_t n) {
        if (is_large(n)) return static_cast<T*>(large_memory(n * sizeof(T)));
        return static_cast<T*>(::operator new(n * sizeof(T), cache_line));
    }
    void deallocate(T* memory, std::size_t n) {
        if (is_large(n)) return give_back(memory, n * sizeof(T));
        ::operator delete(memory, cache_line);
    }
    template <class U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Given>
    void construct(U* at, Given&&... given) {
        ::new (static_cast<void*>(at)) U(std::forward<Given>(given)...);
    }
    friend bool operator==(LargeAllocator, LargeAllocator) { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace treewright
