// Vectors for random access: they begin at a cache line, and large ones use large pages. Numbers
// that are added to them have no value until they are written: the thread that writes first decides
// which memory of a large machine holds them.
//
// A vector with a folder is in a file instead, if it is large: the system reads and writes its pages
// as it needs, so that vectors can be larger than memory. The file has no name, and is gone with
// the vector.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace treewright {

// Straight from the system and back to it: an allocator would hold on to what one fit frees, in
// pieces that the next cannot use.
void* large_memory(std::size_t n_bytes);
void give_back(void* memory, std::size_t n_bytes);

using Folder = std::shared_ptr<const std::string>;  // none: memory

// A folder that has no room for a file.
struct NoRoomInFolder : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Memory that is a file. Where the system has no such thing, it is memory like any other.
void* file_memory(const std::string& folder, std::size_t n_bytes);
void close_file_memory(void* memory, std::size_t n_bytes);

// How the memory of a file will be used. Usually the system reads megabytes around the page that is
// asked for, and forgets others for them.
enum class FileUse { in_order, scattered };
void expect_use(void* file_memory, std::size_t n_bytes, FileUse use);

// Gives back what an allocator holds on to after many small blocks were freed, where it can be asked.
void give_back_freed();

template <class T>
struct LargeAllocator {
    using value_type = T;
    static constexpr std::size_t large = std::size_t{2} << 20;

    using propagate_on_container_copy_assignment = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;

    Folder folder;

    LargeAllocator() = default;
    explicit LargeAllocator(Folder given) : folder(std::move(given)) {}
    template <class U>
    LargeAllocator(const LargeAllocator<U>& other) : folder(other.folder) {}

    static constexpr std::align_val_t cache_line{64};
    static bool is_large(std::size_t n) { return n >= large / sizeof(T); }
    bool is_in_file(std::size_t n) const { return is_large(n) && folder; }

    T* allocate(std::size_t n) {
        if (is_in_file(n)) return static_cast<T*>(file_memory(*folder, n * sizeof(T)));
        if (is_large(n)) return static_cast<T*>(large_memory(n * sizeof(T)));
        return static_cast<T*>(::operator new(n * sizeof(T), cache_line));
    }
    void deallocate(T* memory, std::size_t n) {
        if (is_in_file(n)) return close_file_memory(memory, n * sizeof(T));
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
    friend bool operator==(const LargeAllocator& a, const LargeAllocator& b) {
        return a.folder == b.folder;
    }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

// An empty vector that will be in a folder.
template <class T>
LargeVector<T> vector_in(const Folder& folder) {
    return LargeVector<T>(LargeAllocator<T>(folder));
}

}  // namespace treewright
