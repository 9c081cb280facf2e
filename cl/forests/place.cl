// Where a column stands in a row of a matrix whose columns ascend, by bisection.
//
// Macros:       INDEX, type of columns: int or long.

#ifndef INDEX
#error "forests/place.cl needs the macro INDEX"
#endif

#include "core/language.cl"

// The first place of a row, from one place to before another, whose column is this one or a later one.
ulong place_of(__global const INDEX *indices, ulong low, ulong high, const uint column)
{
    while (low < high) {
        const ulong middle = low + (high - low) / 2;
        if ((uint)indices[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
