// The row that an entry of a sparse pattern belongs to, by bisection.
//
// Macros:       POINTER, type of row pointers: int or long.

#ifndef POINTER
#error "matching/row_of.cl needs the macro POINTER"
#endif

#include "core/language.cl"

uint row_of(__global const POINTER *indptr, const ulong entry, const uint n)
{
    uint below = 0, above = n;  // indptr[below] <= entry < indptr[above]
    while (above - below > 1) {
        const uint middle = below + (above - below) / 2;
        if ((ulong)indptr[middle] <= entry)
            below = middle;
        else
            above = middle;
    }
    return below;
}
