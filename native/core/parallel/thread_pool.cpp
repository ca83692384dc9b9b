#include "core/parallel/thread_pool.hpp"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
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

// To wake a thread takes as long as a small job. Growers give such jobs one after the other, so
// threads look for the next before they sleep: first without a pause, then letting other threads
// of the machine go first.
constexpr auto alert_time = std::chrono::microseconds(10);
constexpr auto patient_time = std::chrono::microseconds(60);

// How long a caller waits between two interrupt checks.
constexpr auto check_interval = std::chrono::milliseconds(50);

void rest_a_little() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");
#endif
}

// Whether the condition came true within a moment.
template <class Condition>
bool look_out_for(const Condition& condition) {
    if (condition()) return true;
    const auto start = Clock::now();
    for (auto now = start; now < start + patient_time; now = Clock::now()) {
        for (int i = 0; i < 16; ++i) {
            if (condition()) return true;
            rest_a_little();
        }
        if (now > start + alert_time) std::this_thread::yield();
    }
    return condition();
}

// One call of run_tasks.
struct Job {
    Job(const Task& task, std::size_t n_tasks) : task(task), n_tasks(n_tasks) {}

    const Task& task;
    const std::size_t n_tasks;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;  // guarded by the mutex
    std::mutex mutex;

    void work(int worker) {
        stopped_by([&] {
            for (std::size_t i; !failed && (i = next.fetch_add(1)) < n_tasks;) task(i, worker);
        });
    }

    // What is thrown first fails the job.
    template <class Step>
    void stopped_by(const Step& step) {
        try {
            step();
        } catch (...) {
            failed = true;
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
        }
    }
};

// Where a job is offered. The job itself is gone as soon as its caller returns, so threads touch it
// only while they are counted here. One word says it all:
//   bits 0-15   threads at work on the job
//   bit 16      the caller sleeps until there are none
//   bits 17-32  seats: numbers of workers that may still join, from 1 to this
struct alignas(64) Desk {
    static constexpr std::uint64_t one_at_work = 1, caller_sleeps = std::uint64_t{1} << 16,
                                   one_seat = std::uint64_t{1} << 17, at_work = 0xFFFF,
                                   all_but_seats = one_seat - 1;

    std::atomic<bool> is_taken{false};
    std::atomic<std::uint64_t> state{0};
    Job* job = nullptr;

    // The number of a worker that may now touch the job; 0 if no seat is free.
    int join() {
        std::uint64_t seen = state.load();
        while (seen >= one_seat) {
            if (state.compare_exchange_weak(seen, seen - one_seat + one_at_work)) {
                return static_cast<int>(seen / one_seat);
            }
        }
        return 0;
    }
    void close() { state.fetch_and(all_but_seats); }
    bool is_left() const { return (state.load() & at_work) == 0; }
};

class Pool {
public:
    void run(Job& job, int n_threads, const WhileWaiting& while_waiting) {
        start_threads(n_threads - 1);
        Desk* const desk = free_desk();
        if (desk == nullptr) return job.work(0);
        desk->job = &job;
        desk->state = as_index(n_threads - 1) * Desk::one_seat;
        n_given_.fetch_add(1);
        wake(n_threads - 1 - n_looking_.load());
        job.work(0);
        desk->close();
        if (!look_out_for([&] { return desk->is_left(); })) sleep(*desk, job, while_waiting);
        desk->is_taken = false;
    }

private:
    // Workers live as long as the process: they sleep, they are detached, and the pool is never
    // destroyed, so nothing has to be joined while the interpreter shuts down. Where the system
    // refuses a thread, those there are do the work.
    void start_threads(int wanted) {
        if (n_started_.load() >= wanted) return;
        const std::lock_guard lock(mutex_);
        if (Clock::now() < not_before_) return;
        try {
            for (; n_started_ < wanted; ++n_started_) std::thread([this] { serve(); }).detach();
        } catch (const std::system_error&) {
            not_before_ = Clock::now() + std::chrono::seconds(1);
        }
    }

    Desk* free_desk() {
        for (Desk& desk : desks_) {
            if (!desk.is_taken.load() && !desk.is_taken.exchange(true)) return &desk;
        }
        return nullptr;
    }

    void wake(int n) {
        if (n <= 0 || n_asleep_.load() == 0) return;
        const std::lock_guard lock(mutex_);
        for (n = std::min(n, n_asleep_.load()); n > 0; --n) wake_.notify_one();
    }

    void serve() {
        const StandardArithmetic arithmetic;  // a thread begins with the modes of who started it
        while (true) {
            const std::size_t seen = n_given_.load();
            for (Desk& desk : desks_) help(desk);
            ++n_looking_;
            const bool is_new = look_out_for([&] { return n_given_.load() != seen; });
            --n_looking_;
            if (is_new) continue;
            std::unique_lock lock(mutex_);
            ++n_asleep_;  // who gives a job afterwards sees it
            wake_.wait(lock, [&] { return n_given_.load() != seen; });
            --n_asleep_;
        }
    }

    void help(Desk& desk) {
        const int worker = desk.join();
        if (worker == 0) return;
        desk.job->work(worker);
        desk.close();  // all tasks are given out
        const std::uint64_t before = desk.state.fetch_sub(Desk::one_at_work);
        if ((before & Desk::at_work) > 1 || (before & Desk::caller_sleeps) == 0) return;
        const std::lock_guard lock(mutex_);
        done_.notify_all();
    }

    void sleep(Desk& desk, Job& job, const WhileWaiting& while_waiting) {
        std::unique_lock lock(mutex_);
        desk.state.fetch_or(Desk::caller_sleeps);
        while (!done_.wait_for(lock, check_interval, [&] { return desk.is_left(); })) {
            if (!while_waiting || job.failed) continue;
            lock.unlock();
            job.stopped_by(while_waiting);
            lock.lock();
        }
    }

    std::array<Desk, 64> desks_;
    std::atomic<std::size_t> n_given_{0};  // jobs so far
    std::atomic<int> n_started_{0}, n_asleep_{0}, n_looking_{0};
    std::mutex mutex_;  // of those who sleep
    std::condition_variable wake_, done_;
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

// What one thread records.
struct Recording {
    std::vector<RecordedRegion> regions{1};  // the last is not over
    std::int64_t since = 0;
    std::int64_t cost = 0;  // nanoseconds to ask for the time, which all else is freed of
    bool in_region = false;
};
thread_local std::unique_ptr<Recording> recording;

std::int64_t processor_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

std::int64_t cost_of_asking() {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int i = 0; i < 1'000; ++i) {
        const std::int64_t start = processor_time();
        least = std::min(least, processor_time() - start);
    }
    return least;
}

void record(std::size_t n_tasks, int n_threads, const Task& task) {
    recording->in_region = true;
    const std::shared_ptr<void> leave(nullptr, [](void*) {
        recording->in_region = false;
        recording->regions.emplace_back();
    });
    RecordedRegion& region = recording->regions.back();
    std::int64_t now = processor_time();
    region.before = std::max<std::int64_t>(0, now - recording->since - recording->cost);
    region.n_threads = n_threads;
    for (std::size_t i = 0; i < n_tasks; ++i) {
        task(i, static_cast<int>(i * as_index(n_threads) / n_tasks));
        const std::int64_t end = processor_time();
        region.tasks.push_back(std::max<std::int64_t>(0, end - now - recording->cost));
        now = processor_time();
    }
    recording->since = now;
}

}  // namespace

int usable_threads(int n_threads) { return std::clamp(n_threads, 1, std::max(64, n_cores)); }

void run_tasks(std::size_t n_tasks, int n_threads, const Task& task,
               const WhileWaiting& while_waiting) {
    n_threads = usable_threads(n_threads);
    if (n_tasks < as_index(n_threads)) n_threads = static_cast<int>(n_tasks);
    if (n_threads > 1 && recording && !recording->in_region) return record(n_tasks, n_threads, task);
    if (n_threads <= 1 || recording || !takes(ShortCut::threads)) {
        for (std::size_t i = 0; i < n_tasks; ++i) task(i, 0);
        return;
    }
    Job job(task, n_tasks);
    pool().run(job, n_threads, while_waiting);
    if (job.error) std::rethrow_exception(job.error);
}

void start_recording() {
    recording = std::make_unique<Recording>();
    recording->cost = cost_of_asking();
    recording->since = processor_time();
}

std::vector<RecordedRegion> end_recording() {
    if (!recording) return {};
    recording->regions.back().before = processor_time() - recording->since;
    return std::move(std::exchange(recording, nullptr)->regions);
}

void note_bytes(double n_bytes) {
    if (recording) recording->regions.back().n_bytes += n_bytes;
}

}  // namespace treewright
