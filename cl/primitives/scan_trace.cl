// The sweeps of primitives/blelloch_scan.cl, with the tree copied at each of their barriers, to show each of them.
//
// Source:       thesis Algorithm 9 and figures 4.3 and 4.4 (sections 4.2.1 and 4.2.2).
// NDRange:      global (GROUP_SIZE), work-group (GROUP_SIZE): one tree of 2 * GROUP_SIZE leaves.
// Local memory: (PADDED(2 * GROUP_SIZE) + LEVELS * 2 * GROUP_SIZE) * sizeof(Item), and 4 bytes.
// Macros:       GROUP_SIZE and OF_SUMS, as in primitives/blelloch_scan.cl; LEVELS, barriers of `sweep` and 1 for the
//               leaves: 2 * log2(GROUP_SIZE) + 4; those of primitives/elements.cl.
//   leaves  in   (2 * GROUP_SIZE)
//   levels  out  (LEVELS, 2 * GROUP_SIZE) the tree's items before the sweeps and at each barrier

#ifndef LEVELS
#error "primitives/scan_trace.cl needs the macro LEVELS"
#endif

#include "primitives/quads.cl"

void wait_for_all(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}

void keep_level(__local Item *tree);

// Every barrier of primitives/blelloch_scan.cl is one where `tree` is known.
#undef barrier
#define barrier(flags) keep_level(tree)
#include "primitives/blelloch_scan.cl"

typedef struct {
    Item tree[PADDED(LEAVES)];  // the first member: a pointer to it is one to all
    Item levels[LEVELS][LEAVES];
    uint level;
} Trace;

void keep_level(__local Item *tree)
{
    __local Trace *trace = (__local Trace *)tree;
    const uint item = get_local_id(0);
    wait_for_all();
    for (uint leaf = item; leaf < LEAVES; leaf += GROUP_SIZE)
        trace->levels[trace->level][leaf] = tree[PADDED(leaf)];
    wait_for_all();
    if (item == 0)
        ++trace->level;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void trace_sweep(__global const Item *restrict leaves, __global Item *restrict levels)
{
    __local Trace trace;
    const uint item = get_local_id(0);
    for (uint leaf = item; leaf < LEAVES; leaf += GROUP_SIZE)
        trace.tree[PADDED(leaf)] = leaves[leaf];
    if (item == 0)
        trace.level = 0;
    keep_level(trace.tree);
    sweep(trace.tree);
    for (uint level = 0; level < LEVELS; ++level) {
        for (uint leaf = item; leaf < LEAVES; leaf += GROUP_SIZE)
            levels[level * LEAVES + leaf] = trace.levels[level][leaf];
    }
}
