// Products become what a user reads: another type, in which infinity is "no path", and nothing that fills up tiles.
//
// Source:       our own.
// NDRange:      a work-group for each PIECE of entries of the result, which are counted row by row.
// Local memory: GROUP_SIZE * sizeof(ulong).
// Macros:       those of minplus/common.cl;
//               GROUP_SIZE, 1 on CPU devices;
//               PIECE, entries of a work-group;
//               RESULT, type of the result: char to long, uchar to ulong, float or double;
//               INFINITE, "no path" in it.
//   product    in   its rows are `stride` entries apart
//   result     out  (rows, columns)
//   lost       out  one for each work-group: index of the first of its entries that is outside of low to high, which
//                   becomes any number

#if !defined(GROUP_SIZE) || !defined(PIECE) || !defined(RESULT) || !defined(INFINITE)
#error "minplus/to_user.cl needs the macros GROUP_SIZE, PIECE, RESULT and INFINITE"
#endif

#include "core/dispatch.cl"
#include "minplus/common.cl"

#define NOWHERE ULONG_MAX
#define IS_LOST(weight) (((weight) != NO_PATH) & (((weight) < low) | ((weight) > high)))

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void write_results(__global const WEIGHT *restrict product, __global RESULT *restrict result,
                            __global ulong *restrict lost, const WEIGHT low, const WEIGHT high, const ulong rows,
                            const ulong columns, const ulong stride)
{
    __local ulong found[GROUP_SIZE];
    const ulong group = GROUP_OF_LAUNCH(0), item = get_local_id(0);
    const ulong last = min((group + 1) * PIECE, rows * columns);
    ulong first_lost = NOWHERE;
    for (ulong index = group * PIECE; index < last;) {
        const ulong row = index / columns, column = index - row * columns;
        const ulong count = min(last - index, columns - column);
        __global const WEIGHT *from = product + row * stride + column;
        __global RESULT *to = result + index;
        int is_lost = 0;
        for (ulong i = item; i < count; i += GROUP_SIZE) {
            const WEIGHT weight = from[i];
            to[i] = weight == NO_PATH ? (RESULT)INFINITE : (RESULT)(weight + (WEIGHT)0);  // -0.0 + 0.0 is 0.0
            is_lost |= IS_LOST(weight);
        }
        for (ulong i = item; is_lost && first_lost == NOWHERE; i += GROUP_SIZE)
            first_lost = IS_LOST(from[i]) ? index + i : NOWHERE;
        index += count;
    }
    found[item] = first_lost;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item > 0)
        return;
    for (uint i = 1; i < GROUP_SIZE; ++i)
        first_lost = min(first_lost, found[i]);
    lost[group] = first_lost;
}
