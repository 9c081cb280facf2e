// The ladder of load balancing by itself: writes for each unit the item that it belongs to.
//
// Source:       Busato and Bombieri (2017), section 5, the "Output" of Algorithms 8 and 9.
// NDRange:      any global size; work-group (GROUP_SIZE).
// Local memory: LADDER_WORDS words of 32 bits.
// Macros:       ADDS, 1: item + 1 is added to what is there, so that a unit that is visited twice has another number;
//               COUNTED, 1: the number of items is in memory; those of balance/ladder.cl.
//   prefixes     in   see balance/units.cl
//   item_count   in   (1) with COUNTED
//   plan, turn   in   see balance/ladder.cl
//   owners       i/o  (last - first) of each unit
//   n            items, with COUNTED at most
//   first, last  units of the launch

#if !defined(ADDS) || !defined(COUNTED)
#error "experiments/expansion.cl needs the macros ADDS and COUNTED"
#endif

#include "core/language.cl"

typedef struct {
    __global uint *owners;
    ulong first;
} Expansion;

#define BALANCED Expansion
#include "balance/ladder.cl"

void visit(const Expansion *what, const uint item, const ulong first, const ulong end, const uint stride)
{
    for (ulong unit = first; unit < end; unit += stride) {
#if ADDS
        atomic_add(&what->owners[unit - what->first], item + 1);
#else
        what->owners[unit - what->first] = item;
#endif
    }
}

#if LADDER_WORDS
WORK_GROUP(GROUP_SIZE, 1, 1)
#endif
__kernel void expand(__global const OFFSET *restrict prefixes, __global const uint *restrict item_count,
                     __global const uint *restrict plan, __global uint *restrict owners, const uint n, const uint turn,
                     const ulong first, const ulong last)
{
#if LADDER_WORDS
    __local uint words[LADDER_WORDS];
#else
    __local uint *words = 0;
#endif
    const Expansion what = {owners, first};
    const Items items = items_of(prefixes, COUNTED ? *item_count : n, first, last);
    share_out(&what, &items, plan, turn, words);
}
