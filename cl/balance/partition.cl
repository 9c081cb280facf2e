// The first phase of two: where each tile begins, found in the prefix sums of all items.
//
// Source:       Busato and Bombieri (2017), section 5.3.4, "partitioning".
// NDRange:      any.
// Local memory: none.
// Macros:       COUNTED, 1: the number of items is in memory; those of balance/merge_path.cl.
//   prefixes    in   see balance/units.cl
//   item_count  in   (1) with COUNTED
//   splits      out  how many items come before each tile, and, behind the last one, how many there are
//   n           items, with COUNTED at most
//   first, last units of the launch

#ifndef COUNTED
#error "balance/partition.cl needs the macro COUNTED"
#endif

#include "balance/merge_path.cl"

__kernel void partition(__global const OFFSET *restrict prefixes, __global const uint *restrict item_count,
                        __global uint *restrict splits, const uint n, const ulong first, const ulong last)
{
    const Items items = items_of(prefixes, COUNTED ? *item_count : n, first, last);
    const ulong tiles = tiles_of(&items);
    for (ulong tile = get_global_id(0); tile <= tiles; tile += get_global_size(0))
        splits[tile] = items_among(&items, min(tile * TILE, line_of(&items)));
}
