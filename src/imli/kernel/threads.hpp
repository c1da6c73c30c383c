// Independent pieces of work on a few threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace imli {

// work(i) for each i below n. Which thread does which piece must not matter.
template <class Work>
void in_parallel(std::size_t n, std::size_t n_threads, const Work& work) {
    if (n_threads <= 1 || n <= 1) {
        for (std::size_t i = 0; i < n; ++i) work(i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    std::atomic<bool> failed{false};
    const auto run = [&] {
        try {
            for (std::size_t i = next++; i < n; i = next++) work(i);
        } catch (...) {
            if (!failed.exchange(true)) error = std::current_exception();
            next = n;
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < std::min(n, n_threads); ++t) threads.emplace_back(run);
    run();
    for (auto& thread : threads) thread.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace imli
