// The thread pool: independent tasks, run by the caller and a few sleeping workers.
#pragma once

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
