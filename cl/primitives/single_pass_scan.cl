// Scan in a single pass: each work-group scans a tile, and adds up what it needs of the tiles before.
//
// Source:       decoupled look-back (Merrill and Garland 2016) with fallback (Smith, Levien and Owens 2025). Reads the
//               elements once and writes once, 2n.
// NDRange:      scan_tiles: global (tiles * GROUP_SIZE), work-group (GROUP_SIZE); clear_words: global (tiles) rounded
//               up to the work-group size, which is free.
// Local memory: (3 * GROUP_SIZE + 2 * PADDED(ROWS * GROUP_SIZE)) * sizeof(Item) and some bytes.
// Macros:       ATOMIC_LOADS, 0 if a load gives what an atomic operation of another work-group has stored; LOOKS,
//               how often a word that is missing is looked for again; those of primitives/tiles.cl and
//               primitives/elements.cl. Elements have four bytes, and no segments.
//   x       in   (n) not `out`
//   words   i/o  (tiles) what is known of each tile
//   total   out  (1) the combination of all elements
//
// A word says all in one, so that nothing has to be ordered in memory: in its upper half that nothing is known, or that
// the lower half is the combination of the tile, or that of all elements up to its end.
//
// No work-group waits for another: after some looks it combines the elements of a tile itself whose word is missing.
// And the order of all additions is fixed: those within a tile are the same whichever work-group makes them, and tiles are added from
// the first to the last one, so that it makes no difference how much of that others have done already.

#if !defined(ATOMIC_LOADS) || !defined(LOOKS) || SEGMENTED || COMPACTION
#error "primitives/single_pass_scan.cl needs ATOMIC_LOADS and LOOKS, and has no segments and no compaction"
#endif

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#include "primitives/tiles.cl"

#define NOTHING 0u
#define OF_TILE 1u
#define OF_ALL 2u
#define KIND_OF(word) ((uint)((word) >> 32))
#define ITEM_OF(word) AS_TYPE(ELEMENT, (uint)(word))
#define WORD(kind, item) ((ulong)(kind) << 32 | as_uint(item))

#if ATOMIC_LOADS
#define LOAD(word) atom_add(word, 0ul)
#else
#define LOAD(word) (*(word))
#endif

// The combination of a tile, the same in every work-item, in the order of scan_tiles.
Item sum_of_tile(__global const VALUE *x, const size_t tile, const size_t n, __local Item *rows, __local Item *group)
{
    for (uint row = 0; row < ROWS; ++row) {
        const uint quad = row * GROUP_SIZE + get_local_id(0);
        Item items[QUAD];
        load_quad(items, x, (__global const MARK *)x, tile * TILE + quad * QUAD, n);
        scan_quad(items);
        rows[PADDED(quad)] = items[QUAD - 1];
    }
    return scan_rows(rows, group);
}

__kernel void clear_words(__global ulong *restrict words, const ulong tiles)
{
    if (get_global_id(0) < tiles)
        words[get_global_id(0)] = WORD(NOTHING, 0u);
}

// Work-item i looks at the word of tile start + i, up to the one before `end`. Of these words, `*known` is the index
// behind the last one that is of all elements, or 0, and `*missing` that of the first one from there on that says nothing.
void look(volatile __global ulong *words, const size_t start, const size_t end, __local Item *seen,
          __local uchar *kinds, __local uint *known, __local uint *missing)
{
    const uint item = get_local_id(0);
    const bool is_one = start + item < end;
    const ulong word = is_one ? LOAD(&words[start + item]) : WORD(OF_TILE, 0u);
    seen[item] = ITEM_OF(word);
    kinds[item] = KIND_OF(word);
    if (item == 0) {
        *known = 0;
        *missing = (uint)min((size_t)GROUP_SIZE, end - start);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // Of neighbours of one kind, one work-item speaks.
    if (kinds[item] == OF_ALL && (item == GROUP_SIZE - 1 || kinds[min(item + 1, GROUP_SIZE - 1u)] != OF_ALL))
        atomic_max(known, item + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (kinds[item] == NOTHING && item >= *known && (item == *known || kinds[max(item, 1u) - 1] != NOTHING))
        atomic_min(missing, item);
    barrier(CLK_LOCAL_MEM_FENCE);
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void scan_tiles(__global const VALUE *restrict x, __global const MARK *restrict marks,
                         volatile __global ulong *words, __global VALUE *restrict out, __global ELEMENT *restrict total,
                         const ulong n)
{
    __local Item group[2 * GROUP_SIZE], seen[GROUP_SIZE];
    __local Item rows[PADDED(ROWS * GROUP_SIZE)], other_rows[PADDED(ROWS * GROUP_SIZE)];
    __local uchar kinds[GROUP_SIZE];
    __local uint known, missing;
    const uint item = get_local_id(0);
    const size_t tile = get_global_id(0) / GROUP_SIZE, first = tile * TILE;
    Item quads[ROWS][QUAD];
    for (uint row = 0; row < ROWS; ++row)
        load_quad(quads[row], x, marks, first + (size_t)(row * GROUP_SIZE + item) * QUAD, n);
    for (uint row = 0; row < ROWS; ++row) {
        scan_quad(quads[row]);
        rows[PADDED(row * GROUP_SIZE + item)] = quads[row][QUAD - 1];
    }
    const Item sum = scan_rows(rows, group);
    if (item == 0)
        atom_xchg(&words[tile], tile == 0 ? WORD(OF_ALL, combine_items(IDENTITY_ITEM, sum)) : WORD(OF_TILE, sum));

    // Back to the last tile before this one up to whose end all is combined, or to the first tile of all.
    size_t start = tile, end = tile;
    for (uint nearest = 0; start > 0 && nearest == 0; nearest = known) {
        barrier(CLK_LOCAL_MEM_FENCE);
        end = start;
        start = max((long)end - GROUP_SIZE, 0l);  // signed, for Oclgrind knows no difference that stops at 0
        look(words, start, end, seen, kinds, &known, &missing);
    }

    // And forth again.
    Item carry = IDENTITY_ITEM;
    uint looks = 0;
    while (start < tile) {
        uint next = known;
        if (next > 0)
            carry = seen[next - 1];
        const uint last = missing;
#ifdef __NV_CL_C_VERSION  // other compilers choose themselves, and warn if it is to be otherwise
#pragma unroll 8
#endif
        for (; next < last; ++next)
            carry = combine_items(carry, seen[next]);
        start += next;
        if (start < end && looks == LOOKS) {
            const Item other = sum_of_tile(x, start, n, other_rows, group);
            if (item == 0)
                atom_cmpxchg(&words[start], WORD(NOTHING, 0u), WORD(OF_TILE, other));
            carry = combine_items(carry, other);
            ++start;
        } else {
            looks += start < end;
        }
        if (start < tile) {
            barrier(CLK_LOCAL_MEM_FENCE);
            end = min(start + GROUP_SIZE, tile);
            look(words, start, end, seen, kinds, &known, &missing);
        }
    }

    const Item after = combine_items(carry, sum);
    if (item == 0) {
        if (tile > 0)
            atom_xchg(&words[tile], WORD(OF_ALL, after));
        if (first + TILE >= n)
            total[0] = after;
    }
    for (uint row = 0; row < ROWS; ++row) {
        const uint quad = row * GROUP_SIZE + item;
        put_quad(out, x, marks, first + (size_t)quad * QUAD, n, combine_items(carry, rows[PADDED(quad)]), quads[row]);
    }
}
