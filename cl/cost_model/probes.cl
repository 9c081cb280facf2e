// What a device can do, one thing at a time: the accesses, barriers and launches that the cost model counts.
//
// Source:       Ma, Agrawal and Chamberlain (2014), section II: the latency L, the width C of a coalesced access and the
//               threads of a core; the rest is what their model lacks.
// NDRange:      any, work-group (GROUP_SIZE); chase, one work-item.
// Local memory: barriers: GROUP_SIZE words.
// Macros:       GROUP_SIZE.
//   next    in   (words) chase: the index of another word, so that all are on one cycle
//   table   in   (mask + 1) words, a power of 2; lower: i/o
//   results out  one for each work-item, so that nothing is left out
//   steps   of each work-item

#ifndef GROUP_SIZE
#error "cost_model/probes.cl needs the macro GROUP_SIZE"
#endif

#include "core/dispatch.cl"
#include "core/language.cl"

// The next of a sequence of numbers that look like random ones; the low bits do so the least.
uint after(const uint x)
{
    return x * 1664525u + 1013904223u;
}

uint first_of(const size_t item)
{
    return ((uint)item + 1) * 2654435761u;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void nothing(__global uint *restrict results)
{
    results[get_global_id(0)] = 0;
}

// Each access has to wait for the one before.
__kernel void chase(__global const uint *restrict next, __global uint *restrict results, const uint steps)
{
    uint at = 0;
    for (uint i = 0; i < steps; ++i)
        at = next[at];
    results[0] = at;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void copy(__global const uint4 *restrict from, __global uint4 *restrict to)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}

// Accesses of single words anywhere, none of which waits for another.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void gather(__global const uint *restrict table, __global uint *restrict results, const uint mask,
                     const uint steps)
{
    uint x = first_of(get_global_id(0)), sum = 0;
    for (uint i = 0; i < steps; ++i) {
        x = after(x);
        sum += table[(x >> 3) & mask];
    }
    results[get_global_id(0)] = sum;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void lower(volatile __global uint *restrict table, const uint mask, const uint steps)
{
    uint x = first_of(get_global_id(0));
    for (uint i = 0; i < steps; ++i) {
        x = after(x);
        atomic_min(&table[(x >> 3) & mask], x);
    }
}

// Neighbouring work-items read words that are `stride` apart, and the group goes on elsewhere.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void strided(__global const uint *restrict table, __global uint *restrict results, const uint mask,
                      const uint stride, const uint steps)
{
    const uint place = get_local_id(0) * stride;
    uint x = first_of(GROUP_OF_LAUNCH(0)), sum = 0;
    for (uint i = 0; i < steps; ++i) {
        x = after(x);
        sum += table[((x >> 3) / GROUP_SIZE * GROUP_SIZE + place) & mask];
    }
    results[get_global_id(0)] = sum;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void barriers(__global uint *restrict results, const uint steps)
{
    __local uint words[GROUP_SIZE];
    const uint own = get_local_id(0);
    uint sum = own;
    for (uint i = 0; i < steps; ++i) {
        words[own] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += words[(own + 1) % GROUP_SIZE];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    results[get_global_id(0)] = sum;
}
