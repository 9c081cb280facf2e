// What the products of blocks share: parts of row-major matrices, which may lie in one buffer.
//
// Source:       the products of tiles that Lund and Smith's blocked algorithm consists of (sections 3.2 and 4).
// Macros:       those of minplus/common.cl.
//
//   a, b, c     matrices of which the blocks are parts
//   firsts      offset of the first element of the block of a, of b and of c
//   strides     elements from one row of a, of b and of c to the next
//   shape       rows of a and c, columns of a and rows of b, columns of b and c
//   excluded    first row and number of rows, first column and number of columns of c, with their rows of a and columns
//               of b, that are left out; counted within the block, but not in its shape
//   accumulate  1: c becomes the minimum of the product and what it holds; 0: the product. No macro: one kernel is
//               compiled for both

#include "minplus/common.cl"

#define BLOCK_PARAMETERS                                                                               \
    __global const WEIGHT *restrict a, __global const WEIGHT *restrict b, __global WEIGHT *restrict c, \
        const ulong4 firsts, const uint4 strides, const uint4 shape, const uint4 excluded, const uint accumulate

// The index of a row or column, of which some are excluded.
size_t leave_out(const size_t index, const uint excluded, const uint length)
{
    return index < excluded ? index : index + length;
}

// What is stored, given what is there, or NO_PATH.
WEIGHT finish(const ORDER minimum, const WEIGHT present)
{
    const ORDER other = AS_TYPE(ORDER, present);
    return result(MINIMUM(minimum, other));
}
