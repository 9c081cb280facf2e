// The work-efficient scan: each work-group scans a segment in local memory; the host recurses over the segment sums.
//
// Source:       thesis Algorithms 9 to 11 (sections 4.2.2 to 4.2.5): leaf-to-root and root-to-leaf sweeps with the
//               first work-items active in each round (4.2.4), segment sums, uniform_add.
// NDRange:      global (segments * GROUP_SIZE), work-group (GROUP_SIZE); a segment has 2 * GROUP_SIZE * QUAD elements.
// Local memory: PADDED(2 * GROUP_SIZE) * sizeof(Item).
// Macros:       GROUP_SIZE, work-items of a work-group, a power of two; OF_SUMS, 1: the elements are the segment sums
//               of the level below, scanned in place and exclusively; those of primitives/elements.cl.
//   sums         out  (segments) the combination of each segment; of a single one it is not written
//   first_heads  out  (segments) with SEGMENTED and not OF_SUMS: index in the segment of the first head of x
//
// A leaf of the tree is a quad, combined by its work-item in registers: the "processor local phase" of section 4.2.3.
// What the thesis calls a segment is a work-group's part of the elements; the segments of a segmented scan (5.4.1)
// begin at heads.

#if !defined(GROUP_SIZE) || !defined(OF_SUMS) || GROUP_SIZE & GROUP_SIZE - 1
#error "primitives/blelloch_scan.cl needs OF_SUMS, and a GROUP_SIZE that is a power of two"
#endif

#include "primitives/quads.cl"

#define LEAVES (2 * GROUP_SIZE)
#define PADDED(i) ((i) + (i) / 32)  // leaves a power of two apart lie in different banks
#define HAS_FIRST_HEADS (SEGMENTED && !OF_SUMS)

#if OF_SUMS
typedef Item Stored;
#else
typedef VALUE Stored;
#endif

void load_leaf(Item *leaf, __global const Stored *x, __global const MARK *marks, const size_t i, const size_t n)
{
#if OF_SUMS
    for (uint k = 0; k < QUAD; ++k)
        leaf[k] = i + k < n ? x[i + k] : IDENTITY_ITEM;
#else
    load_quad(leaf, x, marks, i, n);
#endif
}

void put_leaf(__global Stored *out, __global const Stored *x, __global const MARK *marks, const size_t i,
              const size_t n, const Item before, const Item *leaf)
{
#if OF_SUMS
    for (uint k = 0; k < QUAD; ++k) {
        if (i + k < n)
            out[i + k] = k == 0 ? before : combine_items(before, leaf[k - 1]);
    }
#else
    put_quad(out, x, marks, i, n, before, leaf);
#endif
}

// Algorithm 9: turn the items of the tree's leaves into the combinations of all earlier leaves; returns that of all.
Item sweep(__local Item *tree)
{
    const uint item = get_local_id(0);
    for (uint stride = 1; stride < LEAVES; stride *= 2) {  // leaf to root
        const uint right = 2 * stride * (item + 1) - 1;
        if (right < LEAVES)
            tree[PADDED(right)] = combine_items(tree[PADDED(right - stride)], tree[PADDED(right)]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const Item sum = tree[PADDED(LEAVES - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {  // the root becomes the identity; the first round from there has one work-item, and is done here
        tree[PADDED(LEAVES - 1)] = tree[PADDED(GROUP_SIZE - 1)];
        tree[PADDED(GROUP_SIZE - 1)] = IDENTITY_ITEM;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stride = GROUP_SIZE / 2; stride > 0; stride /= 2) {  // root to leaf
        const uint right = 2 * stride * (item + 1) - 1;
        if (right < LEAVES) {
            const Item before = tree[PADDED(right)];
            tree[PADDED(right)] = combine_items(before, tree[PADDED(right - stride)]);
            tree[PADDED(right - stride)] = before;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sum;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void segment_sums(__global const Stored *x, __global const MARK *marks, __global Stored *out,
                           __global Item *restrict sums, __global uint *restrict first_heads, const ulong n)
{
    __local Item tree[PADDED(LEAVES)];
    const uint item = get_local_id(0);
    const size_t segment = get_group_id(0);
    const size_t first = segment * LEAVES * QUAD;
    Item leaves[2][QUAD];
#if HAS_FIRST_HEADS
    __local uint first_head;
    if (item == 0)
        first_head = LEAVES * QUAD;
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    for (uint part = 0; part < 2; ++part) {
        const uint leaf = part * GROUP_SIZE + item;
        load_leaf(leaves[part], x, marks, first + leaf * QUAD, n);
#if HAS_FIRST_HEADS
        for (uint k = 0; k < QUAD; ++k) {
            if (HEAD_OF(leaves[part][k]))
                atomic_min(&first_head, leaf * QUAD + k);
        }
#endif
        scan_quad(leaves[part]);
        tree[PADDED(leaf)] = leaves[part][QUAD - 1];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const Item sum = sweep(tree);
    for (uint part = 0; part < 2; ++part) {
        const uint leaf = part * GROUP_SIZE + item;
        put_leaf(out, x, marks, first + leaf * QUAD, n, tree[PADDED(leaf)], leaves[part]);
    }
    if (item == GROUP_SIZE - 1 && get_num_groups(0) > 1) {
        sums[segment] = sum;
#if HAS_FIRST_HEADS
        first_heads[segment] = first_head;
#endif
    }
}

// Section 4.2.5: combine what precedes a segment with each of its prefixes. The last segments come first: they are the
// ones that may still be in cache.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void uniform_add(__global Stored *out, __global const Item *restrict sums,
                          __global const uint *restrict first_heads, const ulong n)
{
    const size_t segment = get_num_groups(0) - 1 - get_group_id(0);
    const size_t first = segment * LEAVES * QUAD;
    const Item before = sums[segment];
#if HAS_FIRST_HEADS
    const size_t end = min(first + first_heads[segment], (size_t)n);
#else
    const size_t end = n;
#endif
    for (uint part = 0; part < 2; ++part) {
        const size_t i = first + (part * GROUP_SIZE + get_local_id(0)) * QUAD;
#if OF_SUMS
        for (uint k = 0; k < QUAD; ++k) {
            if (i + k < end)
                out[i + k] = combine_items(before, out[i + k]);
        }
#else
        if (i + QUAD <= end) {
            VALUE values[QUAD];
            vstore4(*(__global const VECTOR(VALUE, QUAD) *)(out + i), 0, values);
            for (uint k = 0; k < QUAD; ++k)
                values[k] = combine(VALUE_OF(before), values[k]);
            *(__global VECTOR(VALUE, QUAD) *)(out + i) = vload4(0, values);
        } else {
            for (uint k = 0; k < QUAD; ++k) {
                if (i + k < end)
                    out[i + k] = combine(VALUE_OF(before), out[i + k]);
            }
        }
#endif
    }
}
