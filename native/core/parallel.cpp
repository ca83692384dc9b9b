#include "core/parallel.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace treewright {
namespace {

using Task = std::function<void(std::size_t, int)>;

// To wake a thread takes as long as a small job. Growers give such jobs one after the other, so for
// a moment threads look for the next before they sleep.
constexpr auto moment = std::chrono::microseconds(40);

void rest_a_little() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
}

template <class Condition>
void look_out_for(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + moment;
    while (!condition()) {
        for (int i = 0; i < 16 && !condition(); ++i) rest_a_little();
        if (std::chrono::steady_clock::now() > end) return;
    }
}

// One call of run_tasks. Guarded by the pool's mutex except what is atomic.
struct Job {
    Job(std::size_t n_tasks, int n_threads, const Task& task)
        : task(task), n_tasks(n_tasks), open_seats(n_threads) {}

    const Task& task;
    const std::size_t n_tasks;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;
    int open_seats;  // threads that may still join
    int next_worker = 0;
    std::atomic<int> n_running{0};

    bool wants_help() const { return open_seats > 0 && next.load() < n_tasks; }

    std::exception_ptr work(int worker) {
        try {
            for (std::size_t i; !failed && (i = next.fetch_add(1)) < n_tasks;) task(i, worker);
        } catch (...) {
            failed = true;
            return std::current_exception();
        }
        return nullptr;
    }
};

class Pool {
public:
    void run(Job& job, int n_threads) {
        std::unique_lock lock(mutex_);
        start_threads(n_threads - 1);
        jobs_.push_back(&job);
        ++n_given_;
        if (n_asleep_ > 0) wake_.notify_all();
        take_part(job, lock);
        std::erase(jobs_, &job);
        if (job.n_running > 0) {
            lock.unlock();
            look_out_for([&] { return job.n_running == 0; });
            lock.lock();
        }
        done_.wait(lock, [&] { return job.n_running == 0; });
    }

private:
    // Workers live as long as the process: they sleep, they are detached, and the pool is never
    // destroyed, so nothing has to be joined while the interpreter shuts down.
    void start_threads(int wanted) {
        for (; n_started_ < wanted; ++n_started_) std::thread([this] { serve(); }).detach();
    }

    void serve() {
        std::unique_lock lock(mutex_);
        while (true) {
            const auto job = std::ranges::find_if(jobs_, [](Job* j) { return j->wants_help(); });
            if (job != jobs_.end()) {
                take_part(**job, lock);
                continue;
            }
            const std::size_t seen = n_given_;
            lock.unlock();
            look_out_for([&] { return n_given_ != seen; });
            lock.lock();
            if (n_given_ != seen) continue;
            ++n_asleep_;
            wake_.wait(lock);
            --n_asleep_;
        }
    }

    // Called and left with the lock held.
    void take_part(Job& job, std::unique_lock<std::mutex>& lock) {
        const int worker = job.next_worker++;
        --job.open_seats;
        ++job.n_running;
        lock.unlock();
        const auto error = job.work(worker);
        lock.lock();
        if (error && !job.error) job.error = error;
        if (--job.n_running == 0) done_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::deque<Job*> jobs_;
    std::atomic<std::size_t> n_given_{0};  // jobs so far
    int n_started_ = 0;
    int n_asleep_ = 0;
};

std::atomic<Pool*> the_pool{nullptr};

// A forked child inherits the pool's memory but none of its threads, and perhaps a locked mutex.
// It forgets the old pool (a few hundred bytes) and starts its own on first use.
void forget_pool() { the_pool = nullptr; }

Pool& pool() {
    Pool* found = the_pool;
    if (found) return *found;
    static std::once_flag registered;
    std::call_once(registered, [] { pthread_atfork(nullptr, nullptr, forget_pool); });
    auto fresh = std::make_unique<Pool>();
    if (the_pool.compare_exchange_strong(found, fresh.get())) return *fresh.release();
    return *found;
}

}  // namespace

int usable_threads(int n_threads) {
    // Asked once: each question opens a file, which costs more than predicting a few rows.
    static const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return std::clamp(n_threads, 1, std::max(8, 2 * cores));
}

void run_tasks(std::size_t n_tasks, int n_threads, const Task& task) {
    n_threads = std::min<std::size_t>(usable_threads(n_threads), n_tasks);
    if (n_threads <= 1) {
        for (std::size_t i = 0; i < n_tasks; ++i) task(i, 0);
        return;
    }
    Job job(n_tasks, n_threads, task);
    pool().run(job, n_threads);
    if (job.error) std::rethrow_exception(job.error);
}

}  // namespace treewright
