// The queue of items with more than LARGE units, which all work-groups share in the launches that follow.
//
// Source:       Busato and Bombieri (2017), section 5.2.1, in place of dynamic parallelism.
// NDRange:      any.
// Local memory: none.
// Macros:       LARGE; COUNTED, 1: the number of items is in memory; that of balance/units.cl.
//   prefixes    in   see balance/units.cl
//   item_count  in   (1) with COUNTED
//   queue       i/o  (TURNS) counters, of which the round counts with word `turn` and clears the next one; then the items
//   n           items, with COUNTED at most

#if !defined(LARGE) || !defined(COUNTED)
#error "balance/large_items.cl needs the macros LARGE and COUNTED"
#endif

#include "balance/units.cl"

__kernel void list_large(__global const OFFSET *restrict prefixes, __global const uint *restrict item_count,
                         __global uint *restrict queue, const uint n, const uint turn)
{
    const uint count = COUNTED ? *item_count : n;
    if (get_global_id(0) == 0)
        queue[(turn + 1) % TURNS] = 0;
    for (size_t item = get_global_id(0); item < count; item += get_global_size(0)) {
        if (prefixes[item + 1] - prefixes[item] > LARGE)
            queue[TURNS + atomic_inc(&queue[turn])] = (uint)item;
    }
}
