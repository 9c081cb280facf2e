// The arrays of a compressed sparse row matrix, as a user has them, become edges in one pass that also looks at them.
//
// Source:       our own.
// NDRange:      prepare: a work-group for each PIECE of (n + 1) row pointers, then one for each PIECE of edges; sum_heaviest:
//               a work-group for each PIECE of rows.
// Local memory: GROUP_SIZE * sizeof(Fact).
// Macros:       GROUP_SIZE, 1 on CPU devices, which then take eight rows or entries at a time;
//               PIECE, rows or entries of a work-group, a multiple of GROUP_SIZE;
//               VALUE, type of the weights: int, long, float or double;
//               VALUE_IS_INTEGER, 1 if that is int or long;
//               UNIT, 1: every edge weighs 1, whatever its value;
//               WRITES, 0: entries are looked at, and no edge is written;
//               POINTER, type of row pointers, and INDEX, of columns: int or long;
//               core/out_edges.cl; core/weights.cl.
//   indptr      in   (n + 1) row pointers, of which the first is 0 and the last m
//   indices     in   (m) columns
//   values      in   (m) weights
//   first_edge  out  (n + 1) core/out_edges.cl; meaningless if UNORDERED is found
//   edges       out  (m) core/out_edges.cl; a weight that its type does not hold is any number
//   facts       out  one for each work-group
//   sums        out  one for each work-group
//
// Rows ascend, without a column that occurs twice, if and only if there are as many descents among all columns as there
// are at the first entry of a row.

#if !defined(GROUP_SIZE) || !defined(PIECE) || !defined(VALUE) || !defined(VALUE_IS_INTEGER) || !defined(UNIT) || \
    !defined(WRITES) || !defined(POINTER) || !defined(INDEX)
#error "edges/prepare.cl needs the macros GROUP_SIZE, PIECE, VALUE, VALUE_IS_INTEGER, UNIT, WRITES, POINTER and INDEX"
#endif
#if PIECE % GROUP_SIZE
#error "PIECE has to be a multiple of GROUP_SIZE"
#endif

#include "core/dispatch.cl"
#include "core/out_edges.cl"

#define OUT_OF_RANGE 1u  // a column
#define UNORDERED 2u     // row pointers
#define NOT_FINITE 4u    // a weight
#define FRACTIONAL 8u

#if VALUE_IS_INTEGER
#define TOTAL ulong
#define MAGNITUDE(value) abs(value)
#define MAGNITUDES(values) convert_ulong8(abs(values))
#else
#define TOTAL VALUE
#define MAGNITUDE(value) fabs(value)
#define MAGNITUDES(values) fabs(values)
#endif

typedef struct {
    VALUE low, high;  // of the weights and 0
    TOTAL total;      // of magnitudes
    uint flags;
    int descents;  // among columns, less those at the first entries of rows
    uint longest;  // row
} Fact;

#if VALUE_IS_INTEGER
#define LOWER_OF(a, b) min(a, b)
#define HIGHER_OF(a, b) max(a, b)
#else
#define LOWER_OF(a, b) ((b) < (a) ? (b) : (a))  // a, if b is NaN; on CPUs quicker than fmin
#define HIGHER_OF(a, b) ((b) > (a) ? (b) : (a))
#endif

// From here on every number is an integer, and the sum with a smaller magnitude is rounded to one: PoCL's rint takes
// longer than all else.
#define ALL_INTEGERS (sizeof(VALUE) == 8 ? (VALUE)0x1p52f : (VALUE)0x1p23f)

// 0 for an integer, NaN for what is not finite; never so large that a sum of many is infinite.
#define FRACTION(value) \
    (fabs(value) < ALL_INTEGERS ? fabs(fabs(value) - ((fabs(value) + ALL_INTEGERS) - ALL_INTEGERS)) : (value) * 0)

Edge edge_of(const VALUE value, const INDEX column)
{
#if UNIT
    const Edge edge = {(int)column, 1};
#else
    const Edge edge = {(int)column, (WEIGHT)value + (WEIGHT)0};  // -0.0 + 0.0 is 0.0
#endif
    return edge;
}

// Looks at one entry and writes the edge.
void prepare_entry(__global const INDEX *restrict indices, __global const VALUE *restrict values,
                   __global Edge *restrict edges, const ulong entry, const uint n, Fact *fact)
{
    const VALUE value = values[entry];
    const INDEX column = indices[entry];
    fact->low = LOWER_OF(fact->low, value);
    fact->high = HIGHER_OF(fact->high, value);
    fact->total += MAGNITUDE(value);
#if !VALUE_IS_INTEGER
    const VALUE fraction = FRACTION(value);
    fact->flags |= (isnan(fraction) ? NOT_FINITE : 0) | (fraction == 0 ? 0 : FRACTIONAL);
#endif
    fact->flags |= column >= 0 && column < (INDEX)n ? 0 : OUT_OF_RANGE;
    fact->descents += entry > 0 && column <= indices[entry - 1];
#if WRITES
    edges[entry] = edge_of(value, column);
#endif
}

#if GROUP_SIZE == 1
#define EIGHT_VALUES VECTOR(VALUE, 8)
#define ALL_OF(v, f) f(f(f((v).s0, (v).s1), f((v).s2, (v).s3)), f(f((v).s4, (v).s5), f((v).s6, (v).s7)))

// The same for entries from `entry`, which is not the first, up to `last`, eight at a time; returns where it has ended.
ulong prepare_eights(__global const INDEX *restrict indices, __global const VALUE *restrict values,
                     __global Edge *restrict edges, ulong entry, const ulong last, const uint n, Fact *fact)
{
    EIGHT_VALUES low = 0, high = 0;
    VECTOR(TOTAL, 8) totals = 0;
#if !VALUE_IS_INTEGER
    EIGHT_VALUES fractions = 0;
#endif
    VECTOR(INDEX, 8) descents = 0, smallest = 0, largest = 0;
    for (; entry + 8 <= last; entry += 8) {
        const EIGHT_VALUES value = vload8(0, values + entry);
        const VECTOR(INDEX, 8) column = vload8(0, indices + entry);
        low = LOWER_OF(low, value);
        high = HIGHER_OF(high, value);
        totals += MAGNITUDES(value);
#if !VALUE_IS_INTEGER
        fractions += FRACTION(value);
#endif
        smallest = min(smallest, column);
        largest = max(largest, column);
        descents -= column <= vload8(0, indices + entry - 1);  // a comparison that holds is -1
#if WRITES
        __global Edge *to = edges + entry;
        to[0] = edge_of(value.s0, column.s0);
        to[1] = edge_of(value.s1, column.s1);
        to[2] = edge_of(value.s2, column.s2);
        to[3] = edge_of(value.s3, column.s3);
        to[4] = edge_of(value.s4, column.s4);
        to[5] = edge_of(value.s5, column.s5);
        to[6] = edge_of(value.s6, column.s6);
        to[7] = edge_of(value.s7, column.s7);
#endif
    }
    fact->low = LOWER_OF(fact->low, ALL_OF(low, LOWER_OF));
    fact->high = HIGHER_OF(fact->high, ALL_OF(high, HIGHER_OF));
    fact->total += (totals.s0 + totals.s1 + totals.s2 + totals.s3) + (totals.s4 + totals.s5 + totals.s6 + totals.s7);
#if !VALUE_IS_INTEGER
    const VECTOR(VALUE, 4) halves = fractions.lo + fractions.hi;
    const VALUE fraction = (halves.s0 + halves.s1) + (halves.s2 + halves.s3);
    fact->flags |= (isnan(fraction) ? NOT_FINITE : 0) | (fraction == 0 ? 0 : FRACTIONAL);
#endif
    fact->flags |= ALL_OF(smallest, min) >= 0 && ALL_OF(largest, max) < (INDEX)n ? 0 : OUT_OF_RANGE;
    fact->descents += (descents.s0 + descents.s1 + descents.s2 + descents.s3) +
                      (descents.s4 + descents.s5 + descents.s6 + descents.s7);
    return entry;
}

#define COLUMNS_AT(v)                                                                                       \
    (VECTOR(INDEX, 8))(indices[(v).s0], indices[(v).s1], indices[(v).s2], indices[(v).s3], indices[(v).s4], \
                       indices[(v).s5], indices[(v).s6], indices[(v).s7])

// The same for rows from `row` up to `last`, which is n at most, eight at a time.
ulong prepare_eight_rows(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                         __global OFFSET *restrict first_edge, ulong row, const ulong last, const ulong m, Fact *fact)
{
    VECTOR(POINTER, 8) unordered = 0, longest = 0, empty = 0;  // a comparison that holds is -1
    VECTOR(INDEX, 8) descents = 0;
    for (; row + 8 <= last; row += 8) {
        const VECTOR(POINTER, 8) begin = vload8(0, indptr + row), end = vload8(0, indptr + row + 1);
        const VECTOR(POINTER, 8) has_entry = begin > 0 & begin < end & begin < (POINTER)m;
        const VECTOR(POINTER, 8) at = begin & has_entry, before = at + has_entry;  // both are 0 if it has none
#if WRITES
        __global OFFSET *to = first_edge + row;
        to[0] = (OFFSET)begin.s0;
        to[1] = (OFFSET)begin.s1;
        to[2] = (OFFSET)begin.s2;
        to[3] = (OFFSET)begin.s3;
        to[4] = (OFFSET)begin.s4;
        to[5] = (OFFSET)begin.s5;
        to[6] = (OFFSET)begin.s6;
        to[7] = (OFFSET)begin.s7;
#endif
        unordered |= begin<0 | begin>(POINTER) m | end < begin;
        longest = max(longest, end - begin);
        empty += 1 + has_entry;
        descents += COLUMNS_AT(at) <= COLUMNS_AT(before);  // so it is with the same one
    }
    fact->flags |= ALL_OF(unordered, min) ? UNORDERED : 0;
    fact->longest = max(fact->longest, (uint)ALL_OF(longest, max));
    fact->descents += (int)((empty.s0 + empty.s1 + empty.s2 + empty.s3) + (empty.s4 + empty.s5 + empty.s6 + empty.s7));
    fact->descents += (int)((descents.s0 + descents.s1 + descents.s2 + descents.s3) +
                            (descents.s4 + descents.s5 + descents.s6 + descents.s7));
    return row;
}
#endif

// Joins what the work-items of a group have found.
void report(__global Fact *restrict facts, __local Fact *restrict found, const Fact fact)
{
#if GROUP_SIZE == 1
    facts[GROUP_OF_LAUNCH(0)] = fact;
#else
    found[get_local_id(0)] = fact;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) > 0)
        return;
    Fact all = fact;
    for (uint i = 1; i < GROUP_SIZE; ++i) {
        all.low = LOWER_OF(all.low, found[i].low);
        all.high = HIGHER_OF(all.high, found[i].high);
        all.total += found[i].total;
        all.flags |= found[i].flags;
        all.descents += found[i].descents;
        all.longest = max(all.longest, found[i].longest);
    }
    facts[GROUP_OF_LAUNCH(0)] = all;
#endif
}

// Looks at the entries of one work-group, and writes their edges.
void prepare_edges(__global const INDEX *restrict indices, __global const VALUE *restrict values,
                   __global Edge *restrict edges, const ulong first, const ulong last, const uint n, Fact *fact)
{
    ulong entry = first + get_local_id(0);
#if GROUP_SIZE == 1
    if (entry < last)
        prepare_entry(indices, values, edges, entry++, n, fact);
    entry = prepare_eights(indices, values, edges, entry, last, n, fact);
#endif
    for (; entry < last; entry += GROUP_SIZE)
        prepare_entry(indices, values, edges, entry, n, fact);
}

// The same for row pointers, and for the descents at the first entries of rows.
void prepare_rows(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                  __global OFFSET *restrict first_edge, const ulong first, const ulong last, const ulong m,
                  const uint n, Fact *fact)
{
    ulong row = first + get_local_id(0);
#if GROUP_SIZE == 1
    row = prepare_eight_rows(indptr, indices, first_edge, row, min(last, (ulong)n), m, fact);
#endif
    for (; row < last; row += GROUP_SIZE) {
        const POINTER begin = indptr[row], end = row < n ? indptr[row + 1] : begin;
#if WRITES
        first_edge[row] = (OFFSET)begin;
#endif
        fact->flags |= begin < 0 || (ulong)begin > m || end < begin ? UNORDERED : 0;
        fact->longest = max(fact->longest, (uint)(end - begin));
        if (begin > 0 && begin < end && (ulong)begin < m)
            fact->descents -= indices[begin] <= indices[begin - 1];
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void prepare(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                      __global const VALUE *restrict values, __global OFFSET *restrict first_edge,
                      __global Edge *restrict edges, __global Fact *restrict facts, const ulong m, const uint n)
{
    __local Fact found[GROUP_SIZE];
    const ulong group = GROUP_OF_LAUNCH(0), of_rows = (ulong)n / PIECE + 1;  // of them begin with row pointers
    Fact fact = {0, 0, 0, 0, 0, 0};
    if (group < of_rows) {
        const ulong first = group * PIECE;
        prepare_rows(indptr, indices, first_edge, first, min(first + PIECE, (ulong)n + 1), m, n, &fact);
    } else {
        const ulong first = (group - of_rows) * PIECE;
        prepare_edges(indices, values, edges, first, min(first + PIECE, m), n, &fact);
    }
    report(facts, found, fact);
}

// The sum over the vertices of the magnitude of the heaviest edge that leaves each, rounded up, of each work-group. It has
// to fit.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void sum_heaviest(__global const POINTER *restrict indptr, __global const VALUE *restrict values,
                           __global ulong *restrict sums, const uint n)
{
    __local ulong found[GROUP_SIZE];
    const ulong first = GROUP_OF_LAUNCH(0) * PIECE, last = min(first + PIECE, (ulong)n);
    ulong sum = 0;
    for (ulong row = first + get_local_id(0); row < last; row += GROUP_SIZE) {
        VALUE low = 0, high = 0;
        for (POINTER entry = indptr[row]; entry < indptr[row + 1]; ++entry) {
            low = LOWER_OF(low, values[entry]);
            high = HIGHER_OF(high, values[entry]);
        }
#if VALUE_IS_INTEGER
        sum += max(abs(low), abs(high));
#else
        sum += (ulong)ceil(max(-low, high));
#endif
    }
    found[get_local_id(0)] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) > 0)
        return;
    for (uint i = 1; i < GROUP_SIZE; ++i)
        sum += found[i];
    sums[GROUP_OF_LAUNCH(0)] = sum;
}
