// Reduce, then scan: each work-group scans a chunk of the elements, starting from the sums of all earlier chunks.
//
// Source:       thesis section 4.2.3, the generalisation to any number of processors: each one first sums its part,
//               then scans it from the prefix of the sums. Reads the elements twice and writes once, 3n.
// NDRange:      global (chunks * GROUP_SIZE), work-group (GROUP_SIZE).
// Local memory: (2 * GROUP_SIZE + PADDED(ROWS * GROUP_SIZE)) * sizeof(Item).
// Macros:       GROUP_SIZE, work-items of a work-group; ROWS, quads that a work-item scans at once; those of
//               primitives/elements.cl.
//   sums   in   (chunks) the combination of each chunk, by reduce_chunks
//   total  out  (1) the combination of all elements
//   chunk       elements of a chunk, a multiple of TILE

#if !defined(GROUP_SIZE) || !defined(ROWS) || ROWS < 1
#error "primitives/work_group_scan.cl needs GROUP_SIZE and ROWS of at least 1"
#endif

#include "primitives/reduce.cl"
#include "primitives/tiles.cl"

// The combination of the sums of all earlier chunks, the same in every work-item.
Item sum_of_earlier_chunks(__global const Item *sums, __local Item *values)
{
    const uint item = get_local_id(0);
    const uint earlier = get_group_id(0);
    const uint share = (earlier + GROUP_SIZE - 1) / GROUP_SIZE;
    Item own = IDENTITY_ITEM;
    for (uint chunk = item * share; chunk < min((item + 1) * share, earlier); ++chunk)
        own = combine_items(own, sums[chunk]);
    return left_fold(own, values);
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void scan_chunks(__global const VALUE *x, __global const MARK *marks, __global const Item *restrict sums,
                          __global VALUE *out, __global ELEMENT *restrict total, const ulong chunk, const Length n)
{
    __local Item group[2 * GROUP_SIZE];
    __local Item rows[PADDED(ROWS * GROUP_SIZE)];
    const uint item = get_local_id(0);
    const size_t first = get_group_id(0) * (size_t)chunk;
    const size_t last = min(first + chunk, LENGTH_OF(n));
    Item carry = sum_of_earlier_chunks(sums, group);

    for (size_t tile = first; tile < last; tile += TILE) {
        Item quads[ROWS][QUAD];
        for (uint row = 0; row < ROWS; ++row)
            load_quad(quads[row], x, marks, tile + (size_t)(row * GROUP_SIZE + item) * QUAD, last);
        for (uint row = 0; row < ROWS; ++row) {
            scan_quad(quads[row]);
            rows[PADDED(row * GROUP_SIZE + item)] = quads[row][QUAD - 1];
        }
        const Item sum = scan_rows(rows, group);
        for (uint row = 0; row < ROWS; ++row) {
            const uint quad = row * GROUP_SIZE + item;
            const Item before = combine_items(carry, rows[PADDED(quad)]);
            put_quad(out, x, marks, tile + (size_t)quad * QUAD, last, before, quads[row]);
        }
        carry = combine_items(carry, sum);
        // What a work-item has read last it is the first to overwrite: no barrier between two tiles.
    }
    if (item == 0 && get_group_id(0) == get_num_groups(0) - 1)
        total[0] = VALUE_OF(carry);
}
