// Reduce, then scan, for CPU devices: each work-item scans a chunk of the elements from front to back, no barrier.
//
// Source:       thesis section 4.2.3, the generalisation to any number of processors; Algorithm 6 within a chunk.
// NDRange:      global (chunks), work-group (1).
// Local memory: none.
// Macros:       VECTORS, 1 if OPERATION holds for vectors, too; those of primitives/elements.cl.
//   sums   i/o  (p) sums[0]: the combination of all elements up to the end of chunk 0; then of each longer
//                  chunk but the last
//   total  i/o  (1) the combination of all elements up to the end of what is scanned already
//   base        first element of the span
//   first_length, length  elements of chunk 0, and of each longer one
//
// A span of the elements is scanned in two launches. Chunk 0 is the shorter one, because it needs no sum before it
// can be scanned: while work-item 0 scans it, the others only read theirs. All but the last of the longer chunks are
// read twice.
//
//                 | chunk 0 | chunk 1       | chunk 2       | ... | chunk p       |
//     first       | scan    | sum           | sum           | ... |               |    p work-items
//     second      |         | scan          | scan          | ... | scan          |    p work-items
//
// A span is small enough that the second launch finds it in the last level of cache, and that launches stay short.

#ifndef VECTORS
#error "primitives/work_item_scan.cl needs the macro VECTORS"
#endif

#include "primitives/elements.cl"

#if VECTORS
#define WIDTH 4
typedef VECTOR(ELEMENT, WIDTH) Vector;

Vector combine_vectors(const Vector a, const Vector b)
{
    return OPERATION;
}

// Inclusive scan within a vector.
Vector scan_vector(const Vector vector)
{
    const Vector pairs = combine_vectors((Vector)(IDENTITY, vector.s0, vector.s1, vector.s2), vector);
    return combine_vectors((Vector)(IDENTITY, IDENTITY, pairs.s0, pairs.s1), pairs);
}
#endif

// The combination of elements first to last - 1.
Item sum_of(__global const VALUE *x, __global const MARK *marks, const size_t first, const size_t last)
{
    size_t i = first;
    Item sum = IDENTITY_ITEM;
#if VECTORS && COMMUTATIVE
    Vector sums[8];
    for (uint k = 0; k < 8; ++k)
        sums[k] = IDENTITY;
    for (; i + 8 * WIDTH <= last; i += 8 * WIDTH) {
        for (uint k = 0; k < 8; ++k)
            sums[k] = combine_vectors(sums[k], vload4(k, x + i));
    }
    for (uint count = 4; count > 0; count /= 2) {
        for (uint k = 0; k < count; ++k)
            sums[k] = combine_vectors(sums[k], sums[k + count]);
    }
    VALUE_OF(sum) = combine(combine(sums[0].s0, sums[0].s1), combine(sums[0].s2, sums[0].s3));
#endif
    for (; i < last; ++i)
        sum = combine_items(sum, item_at(x, marks, i));
    return sum;
}

// Scan elements first to last - 1, `carry` being the combination of all before; returns that of all up to the last.
Item scan_from(Item carry, __global const VALUE *x, __global const MARK *marks, __global VALUE *out, const size_t first,
               const size_t last)
{
    size_t i = first;
#if VECTORS
    for (; i + 4 * WIDTH <= last; i += 4 * WIDTH) {
        Vector a = scan_vector(vload4(0, x + i)), b = scan_vector(vload4(1, x + i));
        Vector c = scan_vector(vload4(2, x + i)), d = scan_vector(vload4(3, x + i));
        b = combine_vectors((Vector)(a.s3), b);
        d = combine_vectors((Vector)(c.s3), d);
        c = combine_vectors((Vector)(b.s3), c);
        d = combine_vectors((Vector)(b.s3), d);
        const Vector before = VALUE_OF(carry);
        a = combine_vectors(before, a);
        b = combine_vectors(before, b);
        c = combine_vectors(before, c);
        d = combine_vectors(before, d);
#if EXCLUSIVE
        vstore4((Vector)(VALUE_OF(carry), a.s0, a.s1, a.s2), 0, out + i);
        vstore4((Vector)(a.s3, b.s0, b.s1, b.s2), 1, out + i);
        vstore4((Vector)(b.s3, c.s0, c.s1, c.s2), 2, out + i);
        vstore4((Vector)(c.s3, d.s0, d.s1, d.s2), 3, out + i);
#else
        vstore4(a, 0, out + i);
        vstore4(b, 1, out + i);
        vstore4(c, 2, out + i);
        vstore4(d, 3, out + i);
#endif
        VALUE_OF(carry) = d.s3;
    }
#endif
    for (; i < last; ++i) {
        const Item before = carry;
        carry = combine_items(before, item_at(x, marks, i));
        put(out, x, marks, i, before, carry);
    }
    return carry;
}

__kernel void reduce_chunks(__global const VALUE *restrict x, __global const MARK *restrict marks,
                            __global Item *restrict sums, const ulong chunk, const Length n)
{
    const size_t first = get_global_id(0) * (size_t)chunk;
    sums[get_global_id(0)] = sum_of(x, marks, first, min(first + chunk, LENGTH_OF(n)));
}

__kernel void scan_first_chunk(__global const VALUE *x, __global const MARK *marks, __global Item *restrict sums,
                               __global VALUE *out, __global ELEMENT *restrict total, const ulong base,
                               const ulong first_length, const ulong length, const Length n)
{
    const size_t item = get_global_id(0);
    const size_t end = min((size_t)(base + first_length), LENGTH_OF(n));
    if (item == 0) {
        const Item carry = base == 0 ? IDENTITY_ITEM : ITEM(total[0], 0);
        const Item sum = scan_from(carry, x, marks, out, base, end);
        sums[0] = sum;
        total[0] = VALUE_OF(sum);
    } else {
        const size_t first = min(end + (item - 1) * length, LENGTH_OF(n));
        sums[item] = sum_of(x, marks, first, min(first + length, LENGTH_OF(n)));
    }
}

__kernel void scan_other_chunks(__global const VALUE *x, __global const MARK *marks, __global Item *restrict sums,
                                __global VALUE *out, __global ELEMENT *restrict total, const ulong base,
                                const ulong first_length, const ulong length, const Length n)
{
    const size_t item = get_global_id(0);
    const size_t first = min(base + first_length + item * length, LENGTH_OF(n));
    Item carry = sums[0];
    for (size_t chunk = 1; chunk <= item; ++chunk)
        carry = combine_items(carry, sums[chunk]);
    carry = scan_from(carry, x, marks, out, first, min(first + length, LENGTH_OF(n)));
    if (item == get_global_size(0) - 1)
        total[0] = VALUE_OF(carry);
}
