// The pool: every task once, exceptions brought to the caller, jobs within jobs, forks.
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/parallel/cancellation.hpp"
#include "core/parallel/row_shares.hpp"
#include "core/parallel/thread_pool.hpp"
#include "core/parallel/work_meter.hpp"
#include "tests/testing.hpp"

namespace treewright::testing {
namespace {

const Test t1("every task runs once, whatever the number of threads", [] {
    for (const int n_threads : {-3, 0, 1, 2, 3, 8, 1000}) {
        for (const std::size_t n_tasks : {0, 1, 2, 7, 1000}) {
            std::vector<std::atomic<int>> n_runs(n_tasks);
            run_tasks(n_tasks, n_threads, [&](std::size_t task, int) { ++n_runs[task]; });
            for (const auto& n : n_runs) expect_equal(n.load(), 1);
        }
    }
});

const Test t2("a worker's number belongs to one thread at a time", [] {
    constexpr int n_threads = 4;
    std::vector<std::atomic<bool>> busy(n_threads);
    std::atomic<bool> is_shared{false};
    run_tasks(400, n_threads, [&](std::size_t, int worker) {
        if (busy[static_cast<std::size_t>(worker)].exchange(true)) is_shared = true;
        std::this_thread::yield();
        busy[static_cast<std::size_t>(worker)] = false;
    });
    expect(!is_shared);
});

const Test t3("T45: what a task throws comes out with its message, and the pool works on", [] {
    for (const int n_threads : {1, 2, 8}) {
        for (const std::size_t thrower : {0, 3, 99}) {
            std::atomic<int> n_running{0};
            const auto error = thrown_by<std::runtime_error>([&] {
                run_tasks(100, n_threads, [&](std::size_t task, int) {
                    ++n_running;
                    const std::shared_ptr<void> leave(nullptr, [&](void*) { --n_running; });
                    if (task == thrower) throw std::runtime_error("task " + std::to_string(task));
                });
            });
            expect_text(error.what(), "task " + std::to_string(thrower));
            expect_equal(n_running.load(), 0);
        }
    }
});

const Test t4("after the first exception no further task begins", [] {
    std::atomic<int> n_begun{0};
    thrown_by<int>([&] {
        run_tasks(1'000'000, 2, [&](std::size_t, int) {
            ++n_begun;
            throw 7;
        });
    });
    expect(n_begun <= 2);
});

const Test t5("all tasks may throw: one exception comes out", [] {
    const auto all_throw = [] { run_tasks(50, 8, [](std::size_t, int) -> void { throw 3; }); };
    expect_equal(thrown_by<int>(all_throw), 3);
});

const Test t6("a task may give tasks itself, and exceptions pass through both", [] {
    std::atomic<int> n_runs{0};
    run_tasks(6, 3, [&](std::size_t, int) {
        run_tasks(5, 3,
                  [&](std::size_t, int) { run_tasks(4, 2, [&](std::size_t, int) { ++n_runs; }); });
    });
    expect_equal(n_runs.load(), 120);
    thrown_by<std::out_of_range>([] {
        run_tasks(6, 3, [](std::size_t outer, int) {
            run_tasks(5, 3, [&](std::size_t inner, int) {
                if (outer == 4 && inner == 2) throw std::out_of_range("here");
            });
        });
    });
});

const Test t7("threads of the user may all give jobs at the same time", [] {
    std::vector<std::thread> users;
    std::atomic<std::size_t> sum{0};
    for (int user = 0; user < 8; ++user) {
        users.emplace_back([&] {
            for (int round = 0; round < 20; ++round) {
                run_tasks(30, 4, [&](std::size_t task, int) { sum += task; });
            }
        });
    }
    for (auto& user : users) user.join();
    expect_equal(sum.load(), std::size_t{8 * 20 * 435});
});

// Two tasks on two threads: that of the caller ends once the other has begun, the other waits for
// `is_over`, and gives up after 20 seconds.
void wait_for_a_long_task(const std::atomic<bool>& is_over,
                          const std::function<void()>& meanwhile) {
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> has_begun{false};
    run_tasks(
        2, 2,
        [&](std::size_t, int) {
            const bool is_caller = std::this_thread::get_id() == caller;
            if (!is_caller) has_begun = true;
            const auto& awaited = is_caller ? has_begun : is_over;
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (!awaited && std::chrono::steady_clock::now() < end) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        },
        meanwhile);
}

const Test t8("a caller that waits is called now and then", [] {
    std::atomic<bool> is_over{false};
    int n_calls = 0;
    wait_for_a_long_task(is_over, [&] { is_over = ++n_calls >= 2; });
    expect_equal(n_calls, 2);
});

const Test t9("what a waiting caller throws comes out once the others have ended", [] {
    std::atomic<bool> is_over{false};
    thrown_by<Interrupted>([&] {
        wait_for_a_long_task(is_over, [&] {
            is_over = true;
            throw Interrupted{};
        });
    });
});

const Test t10("T42: children forked while the pool works have a pool of their own", [] {
    if (!can_follow_forks) return;
    std::atomic<bool> is_over{false};
    std::thread busy([&] {
        while (!is_over) run_tasks(64, 4, [](std::size_t, int) {});
    });
    const auto all_tasks_run = [] {
        std::atomic<std::size_t> sum{0};
        run_tasks(100, 4, [&](std::size_t task, int) { sum += task; });
        return sum == 4950;
    };
    bool is_well = true;
    for (int i = 0; i < 20 && is_well; ++i) is_well = holds_in_a_child(all_tasks_run);
    is_over = true;
    busy.join();
    expect(is_well, "a child did not end well");
});

const Test t11("a watch asks on its own thread only, and every thread stops", [] {
    int n_asked = 0;
    const std::function<bool()> interrupted = [&] { return ++n_asked > 0; };
    Watch watch(interrupted);
    watch.check();
    expect_equal(n_asked, 0);  // not yet time to ask
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    std::thread([&] { watch.check(); }).join();
    expect_equal(n_asked, 0);  // not its thread
    thrown_by<Interrupted>([&] { watch.check(); });
    bool has_heard = false;
    std::thread([&] {
        try {
            watch.check();
        } catch (const Interrupted&) {
            has_heard = true;
        }
    }).join();
    expect(has_heard);
    expect_equal(n_asked, 1);
});

const Test t12("a meter of work asks at once, then after a million", [] {
    int n_asked = 0;
    const std::function<void()> check = [&] { ++n_asked; };
    WorkMeter meter(check);
    meter.add(1);
    expect_equal(n_asked, 1);
    for (int i = 0; i < 1023; ++i) meter.add(1024);
    expect_equal(n_asked, 1);
    meter.add(1024);
    expect_equal(n_asked, 2);
});

const Test t_shares("shares cover all rows once, and no block is larger than it says", [] {
    for (const std::size_t n : {0, 1, 63, 64, 1000, 100'000}) {
        for (const int n_threads : {1, 2, 16}) {
            const RowShares shares = share_rows(n, n_threads, 100);
            std::size_t end = 0;
            for (std::size_t block = 0; block < shares.size(); ++block) {
                expect_equal(shares.begin(block), end);
                end = shares.end(block);
                expect(end - shares.begin(block) <= shares.rows_of_block());
            }
            expect_equal(end, n);
        }
    }
});

const Test t_record("a recording has every region of its thread, and its bytes", [] {
    start_recording();
    int n_runs = 0;  // not atomic: one thread runs all
    run_tasks(5, 4, [&](std::size_t, int worker) {
        expect(worker >= 0 && worker < 4);  // as with threads
        run_tasks(2, 2, [&](std::size_t, int) { ++n_runs; });
        note_bytes(10);
    });
    run_tasks(1, 4, [&](std::size_t, int) { ++n_runs; });
    const auto regions = end_recording();
    expect_equal(n_runs, 11);
    expect_equal(regions.size(), std::size_t{2});  // one, and what comes after it
    expect_equal(regions[0].tasks.size(), std::size_t{5});
    expect_equal(regions[0].n_threads, 4);
    expect_equal(regions[0].n_bytes, 50.0);
    expect(regions[1].tasks.empty());
    expect(end_recording().empty());
});

}  // namespace
}  // namespace treewright::testing
