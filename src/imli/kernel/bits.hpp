// Words of 64 rows, aligned to cache lines.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

// GCC for Windows keeps wide registers at addresses where they must not be, so it takes the plain way, as does MSVC.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)
#define IMLI_X86 1
#endif

// Loops that a compiler makes good use of wider registers in. It is glibc that chooses between the clones.
#if defined(IMLI_X86) && defined(__GLIBC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define IMLI_WIDE __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define IMLI_WIDE
#endif

namespace imli {

using Word = std::uint64_t;

template <class T>
struct CacheAligned {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};
    static constexpr std::size_t kMapped = std::size_t{1} << 19;  // bytes

    CacheAligned() = default;
    template <class U>
    CacheAligned(const CacheAligned<U>&) {}

    T* allocate(std::size_t n) {
#ifdef __linux__
        if (n * sizeof(T) >= kMapped) {  // pages of its own, which go back to the system and leave no holes in the heap
            void* pages = mmap(nullptr, n * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (pages == MAP_FAILED) throw std::bad_alloc();
            return static_cast<T*>(pages);
        }
#endif
        return static_cast<T*>(::operator new(n * sizeof(T), alignment));
    }
    void deallocate(T* memory, [[maybe_unused]] std::size_t n) {
#ifdef __linux__
        if (n * sizeof(T) >= kMapped) {
            munmap(memory, n * sizeof(T));
            return;
        }
#endif
        ::operator delete(memory, alignment);
    }
    bool operator==(const CacheAligned&) const { return true; }
};

template <class T>
using Large = std::vector<T, CacheAligned<T>>;
using Bits = Large<Word>;

inline std::size_t words_for(std::size_t n_rows) { return (n_rows + 63) / 64; }

}  // namespace imli
