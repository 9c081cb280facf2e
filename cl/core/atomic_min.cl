// Path weights that are not negative as unsigned integers in the same order, which atomic operations can compare.
//
// Macros: WIDE, 1 if WEIGHT has 64 bits (the device then needs 64-bit atomic operations);
//         ATOMIC_LOADS, 1: words that other work-groups lower meanwhile are read by atomic operations; 0: by plain
//         loads, on devices where an aligned load is never torn and never stale for good; core/weights.cl.

#if !defined(WIDE) || !defined(ATOMIC_LOADS)
#error "core/atomic_min.cl needs the macros WIDE and ATOMIC_LOADS"
#endif

#include "core/weights.cl"

#if WIDE
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
typedef ulong Key;
#define AS_KEY(weight) as_ulong(weight)
#define LOWER(word, key) atom_min(word, key)
#define EXCHANGE(word, key) atom_xchg(word, key)
#define ATOMIC_LOAD(word) atom_or(word, 0ul)
#else
typedef uint Key;
#define AS_KEY(weight) as_uint(weight)
#define LOWER(word, key) atomic_min(word, key)
#define EXCHANGE(word, key) atomic_xchg(word, key)
#define ATOMIC_LOAD(word) atomic_or(word, 0u)
#endif
#define AS_WEIGHT(key) AS_TYPE(WEIGHT, key)
#define NO_KEY AS_KEY((WEIGHT)INF)

#if ATOMIC_LOADS
#define LOAD(word) ATOMIC_LOAD(word)
#else
#define LOAD(word) (*(word))
#endif

// Key of a path extended by an edge; never below the path's own, and NO_KEY at most.
Key extended(const Key key, const WEIGHT weight)
{
    return AS_KEY(path_sum(AS_WEIGHT(key), weight));
}

// Threshold above a key by delta, and by something in any case. Beyond NO_KEY there is nothing to come.
Key raised(const Key key, const WEIGHT delta)
{
#if IS_INTEGER
    return key + max(AS_KEY(delta), (Key)1);
#else
    return max(AS_KEY(AS_WEIGHT(key) + delta), key + 1);
#endif
}
