// What is needed soon, and lies anywhere in memory, is asked for early.
//
// Macros: PREFETCH_BUILT_IN, 1: use the compiler's own prefetch if there is one. OpenCL's does nothing on PoCL.
//
// Simulators do not know the compiler's, nor does NVIDIA's compiler.

#ifndef PREFETCH_BUILT_IN
#error "core/prefetch.cl needs the macro PREFETCH_BUILT_IN"
#endif

#if PREFETCH_BUILT_IN && defined(__has_builtin) && !defined(__NV_CL_C_VERSION)
#if __has_builtin(__builtin_prefetch)
#define PREFETCH(address) __builtin_prefetch(address)
#endif
#endif
#ifndef PREFETCH
#define PREFETCH(address)
#endif
