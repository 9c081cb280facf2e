// Sums over the work-items of a work-group, for radix sorts by work-groups.
//
// Local memory: of sum_before: SUMS * sizeof(COUNT).
// Macros:       GROUP_SIZE, work-items of a work-group; those of sort/digits.cl.

#ifndef GROUP_SIZE
#error "sort/sums.cl needs the macro GROUP_SIZE"
#endif

#include "sort/digits.cl"

#define RADIX 256
#define EIGHTS ((GROUP_SIZE + 7) / 8)
#define SUMS (GROUP_SIZE + 2 * EIGHTS + 1)  // numbers that sum_before needs room for

// The sum of the numbers of all work-items before this one, and of all: in eights, and then of the eights before.
COUNT sum_before(const COUNT own, __local COUNT *sums, COUNT *total)
{
    const uint item = get_local_id(0), first = item / 8 * 8;
    __local COUNT *eights = sums + GROUP_SIZE, *before_eights = eights + EIGHTS;
    sums[item] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    COUNT before = 0;
#pragma unroll
    for (uint k = 0; k < 7; ++k) {
        if (first + k < item)
            before += sums[first + k];
    }
    if (item % 8 == 7 || item == GROUP_SIZE - 1)
        eights[item / 8] = before + own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint eight = item; eight <= EIGHTS; eight += GROUP_SIZE) {
        COUNT sum = 0;
#pragma unroll 4  // not all: the registers would be too many for a second work-group
        for (uint k = 0; k < EIGHTS; ++k) {
            if (k < eight)
                sum += eights[k];
        }
        before_eights[eight] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *total = before_eights[EIGHTS];
    return before + before_eights[item / 8];
}

// Where this work-group's keys of each digit go: behind those of smaller digits, and behind those of the chunks before.
void first_of_digits(__global const COUNT *totals, __global const COUNT *counts, __local COUNT *firsts,
                     __local COUNT *sums)
{
    COUNT before = 0, total;
    for (uint start = 0; start < RADIX; start += GROUP_SIZE) {
        const uint digit = start + get_local_id(0);
        const COUNT first = before + sum_before(digit < RADIX ? totals[digit] : 0, sums, &total);
        if (digit < RADIX)
            firsts[digit] = first + counts[digit * get_num_groups(0) + get_group_id(0)];
        before += total;
    }
}
