// The elements of a node of Dulle's trees, which lie a stride apart.
//
// Macros:       GROUP_SIZE, work-items of a work-group (the thesis' m); EACH, elements of a work-item (its c); those
//               of primitives/elements.cl.

#if !defined(GROUP_SIZE) || !defined(EACH) || GROUP_SIZE < 1 || EACH < 1 || GROUP_SIZE * EACH < 2
#error "strided/tile.cl needs GROUP_SIZE and EACH, of which one is at least 2"
#endif

#include "primitives/elements.cl"

#define TILE (GROUP_SIZE * EACH)

// By all work-items of a work-group: values[i] becomes x[(first + i) * stride + offset], or IDENTITY from x[n] on.
void load_tile(__local ELEMENT *values, __global const ELEMENT *x, const size_t first, const ulong stride,
               const ulong offset, const ulong n)
{
    for (uint i = get_local_id(0); i < TILE; i += GROUP_SIZE) {
        const size_t place = (first + i) * stride + offset;
        values[i] = place < n ? x[place] : IDENTITY;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}
