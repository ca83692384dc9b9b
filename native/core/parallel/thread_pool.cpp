#include "core/parallel/thread_pool.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/arithmetic/as_index.hpp"
#include "core/arithmetic/standard_arithmetic.hpp"
#include "core/short_cuts.hpp"

namespace treewright {
namespace {

using Task = std::function<void(std::size_t, int)>;
using WhileWaiting = std::function<void()>;
using Clock = std::chrono::steady_clock;

// To wake a thread takes as long as a small job. Growers give such jobs one after the other, so for
// a moment threads look for the next before they sleep.
constexpr auto moment = std::chrono::microseconds(40);

// How long a caller waits between two interrupt checks.
constexpr auto check_interval = std::chrono::milliseconds(50);

void rest_a_little() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
}

template <class Condition>
void look_out_for(const Condition& condition) {
    const auto end = Clock::now() + moment;
    while (!condition()) {
        for (int i = 0; i < 16 && !condition(); ++i) rest_a_little();
        if (Clock::now() > end) return;
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
        return stopped_by([&] {
            for (std::size_t i; !failed && (i = next.fetch_add(1)) < n_tasks;) task(i, worker);
        });
    }

    // What is thrown fails the job.
    template <class Step>
    std::exception_ptr stopped_by(const Step& step) {
        try {
            step();
        } catch (...) {
            failed = true;
            return std::current_exception();
        }
        return nullptr;
    }
};

class Pool {
public:
    void run(Job& job, int n_threads, const WhileWaiting& while_waiting) {
        std::unique_lock lock(mutex_);
        start_threads(n_threads - 1);
        jobs_.push_back(&job);
        ++n_given_;
        wake(n_threads - 1 - std::exchange(n_looking_, 0));
        take_part(job, lock);
        std::erase(jobs_, &job);
        if (job.n_running > 0) {
            lock.unlock();
            look_out_for([&] { return job.n_running == 0; });
            lock.lock();
        }
        while (!done_.wait_for(lock, check_interval, [&] { return job.n_running == 0; })) {
            if (!while_waiting || job.failed) continue;
            lock.unlock();
            const auto error = job.stopped_by(while_waiting);
            lock.lock();
            if (error && !job.error) job.error = error;
        }
    }

private:
    // Workers live as long as the process: they sleep, they are detached, and the pool is never
    // destroyed, so nothing has to be joined while the interpreter shuts down. Where the system
    // refuses a thread, those there are do the work.
    void start_threads(int wanted) {
        if (n_started_ >= wanted || Clock::now() < not_before_) return;
        try {
            for (; n_started_ < wanted; ++n_started_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
            not_before_ = Clock::now() + std::chrono::seconds(1);
        }
    }

    void wake(int n) {
        for (n = std::min(n, n_asleep_); n > 0; --n) wake_.notify_one();
    }

    void serve() {
        const StandardArithmetic arithmetic;  // a thread begins with the modes of who started it
        std::unique_lock lock(mutex_);
        while (true) {
            bool helped = false;
            for (Job* job; (job = wanting_help()) != nullptr; helped = true) take_part(*job, lock);
            if (helped && look_out(lock)) continue;
            ++n_asleep_;
            wake_.wait(lock);
            --n_asleep_;
        }
    }

    Job* wanting_help() const {
        const auto job = std::ranges::find_if(jobs_, [](Job* j) { return j->wants_help(); });
        return job == jobs_.end() ? nullptr : *job;
    }

    // Whether there is a new job, which counts those who look out for it as awake.
    bool look_out(std::unique_lock<std::mutex>& lock) {
        const std::size_t seen = n_given_;
        ++n_looking_;
        lock.unlock();
        look_out_for([&] { return n_given_ != seen; });
        lock.lock();
        if (n_given_ != seen) return true;
        --n_looking_;
        return false;
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
    std::vector<Job*> jobs_;
    std::atomic<std::size_t> n_given_{0};  // jobs so far
    int n_started_ = 0;
    int n_asleep_ = 0;
    int n_looking_ = 0;             // for a job after the last
    Clock::time_point not_before_;  // threads are started
};

// Asked once: each question opens a file, which costs more than predicting a few rows. And asked
// when the module is loaded: a fork during a first question could leave the child waiting for it.
const int n_cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));

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

int usable_threads(int n_threads) { return std::clamp(n_threads, 1, std::max(8, 2 * n_cores)); }

void run_tasks(std::size_t n_tasks, int n_threads, const Task& task,
               const WhileWaiting& while_waiting) {
    n_threads = usable_threads(n_threads);
    if (n_tasks < as_index(n_threads)) n_threads = static_cast<int>(n_tasks);
    if (n_threads <= 1 || !takes(ShortCut::threads)) {
        for (std::size_t i = 0; i < n_tasks; ++i) task(i, 0);
        return;
    }
    Job job(n_tasks, n_threads, task);
    pool().run(job, n_threads, while_waiting);
    if (job.error) std::rethrow_exception(job.error);
}

}  // namespace treewright
