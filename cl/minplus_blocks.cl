// What the products of blocks share: parts of row-major matrices, which may lie in one buffer and do not overlap.
//
// Source:       the products of tiles that Lund and Smith's blocked algorithm consists of (sections 3.2 and 4).
// Macros:       ACCUMULATE, 1: the product is joined by the minimum with what c holds; those of minplus.cl.
//
//   a, b, c  matrices of which the blocks are parts
//   firsts   place of the first element of the block of a, of b and of c
//   strides  elements from one row of a, of b and of c to the next
//   shape    rows of a and c, columns of a and rows of b, columns of b and c
//   hole     first row and number of rows, first column and number of columns of c, with their rows of a and columns of b,
//            that are left out; counted within the block, but not in its shape

#ifndef ACCUMULATE
#error "minplus_blocks.cl needs the macro ACCUMULATE"
#endif

#include "minplus.cl"

#define BLOCK_PARAMETERS                                                                                              \
    __global const WEIGHT *restrict a, __global const WEIGHT *restrict b, __global WEIGHT *restrict c,               \
        const ulong4 firsts, const uint4 strides, const uint4 shape, const uint4 hole

// The place of a row or column, of which some are left out.
size_t leave_out(const size_t place, const uint hole, const uint length)
{
    return place < hole ? place : place + length;
}

// What is stored, given what is there.
WEIGHT finish(const ORDER least, const WEIGHT present)
{
#if ACCUMULATE
    const ORDER other = AS_TYPE(ORDER, present);
    return result(MINIMUM(least, other));
#else
    return result(least);
#endif
}
