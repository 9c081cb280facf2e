// Words that others write meanwhile.
//
// Macros: ATOMIC_LOADS, 1: they are read and written by atomic operations; 0: by plain ones, on devices where an aligned
//         load is never torn and never stale for good.

#ifndef ATOMIC_LOADS
#error "core/loads.cl needs the macro ATOMIC_LOADS"
#endif

#include "core/language.cl"

#if ATOMIC_LOADS
#define LOAD(word) atomic_or(word, 0)
#define STORE(word, value) atomic_xchg(word, value)
#else
#define LOAD(word) (*(word))
#define STORE(word, value) (*(word) = (value))
#endif
