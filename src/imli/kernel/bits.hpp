// Words of 64 rows, aligned to cache lines.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

namespace imli {

using Word = std::uint64_t;

template <class T>
struct CacheAligned {
    using value_type = T;
    static constexpr std::align_val_t alignment{64};

    CacheAligned() = default;
    template <class U>
    CacheAligned(const CacheAligned<U>&) {}

    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
    void deallocate(T* memory, std::size_t) { ::operator delete(memory, alignment); }
    bool operator==(const CacheAligned&) const { return true; }
};

using Bits = std::vector<Word, CacheAligned<Word>>;

inline std::size_t words_for(std::size_t n_rows) { return (n_rows + 63) / 64; }

}  // namespace imli
