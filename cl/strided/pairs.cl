// Reduction in pairs, one launch for each level of the tree.
//
// Source:       Dulle, Algorithm 6 (section 5.1). The thesis begins with a stride of 2, which leaves out every other
//               element; here it is 1.
// NDRange:      global ceil(n / (2 * stride)) rounded up to the work-group size, which is free.
// Local memory: none.
// Macros:       those of primitives/elements.cl.
//   x       in   (n) elements; in every level but the first it is `a`
//   a       out  (n) those of the next level, at multiples of 2 * stride; in the last level one element is enough
//   stride       1, 2, 4, ... below n; 1 for n = 0, too

#include "primitives/elements.cl"

__kernel void reduce_pairs(__global const ELEMENT *x, __global ELEMENT *a, const ulong stride, const ulong n)
{
    const size_t left = 2 * stride * get_global_id(0), right = left + stride;
    if (left >= n && left > 0)
        return;
    ELEMENT own = IDENTITY;
    if (left < n)
        own = left == 0 ? combine(own, x[left]) : x[left];  // 0.0 + -0.0 is 0.0, as in every other reduction
    if (right < n)
        own = combine(own, x[right]);
    a[left] = own;
}
