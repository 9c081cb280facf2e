// Four neighbouring elements at a time, read and written with the widest accesses a work-item has.
//
// Source:       coalesced access, thesis section 3.2.3.
// Macros:       those of primitives/elements.cl.
//
// Arrays start at addresses that are multiples of 32 bytes, and quads at multiples of QUAD.

#include "primitives/elements.cl"

#define QUAD 4

// Elements i to i + QUAD - 1; identities from element `end` on.
void load_quad(Item *items, __global const VALUE *x, __global const MARK *marks, const size_t i, const size_t end)
{
    if (i + QUAD > end) {
        for (uint k = 0; k < QUAD; ++k)
            items[k] = i + k < end ? item_at(x, marks, i + k) : IDENTITY_ITEM;
        return;
    }
#if !COMPACTION
    VALUE values[QUAD];
    vstore4(*(__global const VECTOR(VALUE, QUAD) *)(x + i), 0, values);
#endif
#if COMPACTION || SEGMENTED
    MARK quad_marks[QUAD];
    vstore4(*(__global const VECTOR(MARK, QUAD) *)(marks + i), 0, quad_marks);
#endif
    for (uint k = 0; k < QUAD; ++k) {
#if COMPACTION
        items[k] = quad_marks[k] != 0;
#else
        items[k] = ITEM(values[k], quad_marks[k] != 0);
#endif
    }
}

// Combine each item of a quad with the ones before it in the quad.
void scan_quad(Item *items)
{
    for (uint k = 1; k < QUAD; ++k)
        items[k] = combine_items(items[k - 1], items[k]);
}

// Store the results for a scanned quad, `before` being the combination of all items before it.
void put_quad(__global VALUE *out, __global const VALUE *x, __global const MARK *marks, const size_t i,
              const size_t end, const Item before, const Item *scanned)
{
    Item prefixes[QUAD + 1];
    prefixes[0] = before;
    for (uint k = 0; k < QUAD; ++k)
        prefixes[k + 1] = combine_items(before, scanned[k]);
#if !COMPACTION
    if (i + QUAD <= end) {
        VALUE values[QUAD];
        for (uint k = 0; k < QUAD; ++k)
            values[k] = prefix(marks, i + k, prefixes[k], prefixes[k + 1]);
        *(__global VECTOR(VALUE, QUAD) *)(out + i) = vload4(0, values);
        return;
    }
#endif
    for (uint k = 0; k < QUAD; ++k) {
        if (i + k < end)
            put(out, x, marks, i + k, prefixes[k], prefixes[k + 1]);
    }
}
