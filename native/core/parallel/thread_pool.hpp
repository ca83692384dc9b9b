// The thread pool: independent tasks, run by the caller and a few sleeping workers.
#pragma once

#include <cstddef>
#include <functional>

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

}  // namespace treewright
