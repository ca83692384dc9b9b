// The thread pool: independent tasks, run by the caller and a few sleeping workers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace treewright {

// Calls task(i, worker) once for every i below n_tasks, on at most n_threads threads of which the
// caller is one. `worker` is below n_threads and belongs to one thread at a time, so it may index
// scratch space. Which thread runs which task is not defined: results must not depend on it.
//
// The first exception of a task is thrown again here, once no task runs any more. A caller whose
// tasks are long can be called now and then while it waits for those of others, and may throw.
void run_tasks(std::size_t n_tasks, int n_threads,
               const std::function<void(std::size_t task, int worker)>& task,
               const std::function<void()>& while_waiting = {});

// The number of threads worth starting if n_threads are wanted.
int usable_threads(int n_threads);

// Equal parts of n things for n_threads threads: none much smaller than `least`, because a task has
// a price, and a few for each thread, because threads are never equally fast. The size is a
// multiple of 64, so that parts of arrays share no cache line. Results must not depend on it.
inline std::size_t size_of_part(std::size_t n, std::size_t least, int n_threads) {
    const std::size_t wanted = n_threads > 1 ? 4 * static_cast<std::size_t>(n_threads) : 1;
    const std::size_t size = std::max(least, (n + wanted - 1) / wanted);
    return (size + 63) / 64 * 64;
}

// Calls work(begin, end, worker) for parts of 0 ... n of the given size.
template <class Work>
void run_parts(std::size_t n, std::size_t size, int n_threads, const Work& work,
               const std::function<void()>& while_waiting = {}) {
    run_tasks(
        (n + size - 1) / size, n_threads,
        [&](std::size_t part, int worker) {
            work(part * size, std::min(n, (part + 1) * size), worker);
        },
        while_waiting);
}

// For benchmarks: what run_tasks was asked to do. While a thread records, it runs all tasks of its
// calls itself, one after the other, and notes the processor time of each.
struct RecordedRegion {
    std::int64_t before = 0;  // nanoseconds of the caller since the last region
    int n_threads = 1;
    double n_bytes = 0;                // that its tasks said they read and wrote
    std::vector<std::int64_t> tasks;  // nanoseconds of each
};
void start_recording();
// Ends it. What follows the last region is the `before` of one without tasks.
std::vector<RecordedRegion> end_recording();
// A task says how many bytes of large arrays it reads and writes.
void note_bytes(double n_bytes);

}  // namespace treewright
