// What every kernel asks of the compiler: exact mathematics, doubles where the device has them, a size of work-groups,
// and names of vectors.

#if defined(__FAST_RELAXED_MATH__) || defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "these kernels never run with relaxed mathematics: infinity is data"
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define PASTE(left, right) left##right
#define VECTOR(type, width) PASTE(type, width)
#define AS_TYPE(type, x) PASTE(as_, type)(x)

// Before a kernel that runs with work-groups of this size alone.
#define WORK_GROUP(x, y, z) __attribute__((reqd_work_group_size(x, y, z)))

// Before a loop that adds floating-point numbers one after the other: Intel's compiler would add several at a time, and
// round another sum.
#define IN_ORDER _Pragma("clang loop vectorize(disable)")
