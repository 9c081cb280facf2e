// From the rows of a matrix, or a list of edges, to edges with keys; and from chosen places back to edges.
//
// Source:       Boruvka's and Kruskal's algorithms take edges by their keys; light ones first: Osipov, Sanders and
//               Singler, "The Filter-Kruskal Minimum Spanning Tree Algorithm" (2009).
// NDRange:      gather_chunks and look_for_twins_in_chunks: work-group (1), one for each chunk; look, count_before and
//               write_chosen: a work-item for each chunk, or any number of them, in work-groups of any size.
//               spread and look_for_twins: work-group (GROUP_SIZE), any number.
// Local memory: spread: 8 bytes.
// Macros:       those of forests/keys.cl; POINTER and INDEX, types of row pointers and of columns: int or
//               long; ROWS, 1 if an edge's tail is the row that it stands in, 0 if `tails` names it; ROUNDS, 1 if the
//               device computes with REAL; GROUP_SIZE; DIGITS, values of a digit of keys.
//   indptr   in   (n + 1) row pointers, if ROWS
//   tails    in   (m) tails, unless ROWS
//   indices  in   (m) columns, or heads
//   values   in   (m) weights
//   roots    in   (n) the tree of each vertex, for FILTERS
//   edges    out  (m) the edges whose key is from `low` to `high`, loops apart

#if !defined(POINTER) || !defined(INDEX) || !defined(ROWS) || !defined(ROUNDS)
#error "forests/edges.cl needs the macros POINTER, INDEX, ROWS and ROUNDS"
#endif
#if !defined(GROUP_SIZE) || !defined(DIGITS)
#error "forests/edges.cl needs the macros GROUP_SIZE and DIGITS"
#endif

#include "forests/keys.cl"
#include "forests/place.cl"

#define FRACTIONAL 1u  // not every weight is an integer
#define OUTSIDE 2u     // a column, or an end of an edge, is no vertex

// What a work-item has seen.
typedef struct {
    ulong low, high;  // of in_order
    uint flags, unused;
} Facts;

// First place of a chunk.
ulong chunk_begin(const ulong m, const size_t chunk, const uint chunks)
{
    return m / chunks * chunk + min((ulong)chunk, m % chunks);
}

// Where a work-item begins and ends. `step` is 1, and each has a chunk; or the number of work-items, which go side by side.
#define FIRST_OF(m) (step == 1 ? chunk_begin(m, get_global_id(0), chunks) : get_global_id(0))
#define LAST_OF(m) (step == 1 ? chunk_begin(m, get_global_id(0) + 1, chunks) : (m))

// The last of the rows first .. last that begins at a place, or before it.
uint row_of(__global const POINTER *indptr, const ulong place, uint first, uint last)
{
    while (first < last) {
        const uint middle = first + (last - first + 1) / 2;
        if ((ulong)indptr[middle] <= place)
            first = middle;
        else
            last = middle - 1;
    }
    return first;
}

#if FLOATS
// A device may take such a number for 0.
bool is_subnormal(const VALUE value)
{
    const VALUE smallest = sizeof(VALUE) == 8 ? (VALUE)0x0010000000000000ul : (VALUE)0x00800000u;
    const VALUE magnitude = value & ~((VALUE)1 << (8 * sizeof(VALUE) - 1));
    return magnitude != 0 && magnitude < smallest;
}
#endif

__kernel void look(__global const INDEX *restrict tails, __global const INDEX *restrict indices,
                   __global const VALUE *restrict values, __global Facts *restrict facts, const ulong m, const uint n,
                   const uint chunks, const uint step)
{
    const ulong first = FIRST_OF(m), last = LAST_OF(m);
    ulong low = ULONG_MAX, high = 0;
    bool outside = false, fractional = FLOATS > ROUNDS;
    for (ulong i = first; i < last; i += step) {
        const VALUE value = values[i];
        const ulong ordered = in_order(value);
        low = min(low, ordered);
        high = max(high, ordered);
        outside |= (ulong)indices[i] >= n;  // negative ones are large
#if !ROWS
        outside |= (ulong)tails[i] >= n;
#endif
#if FLOATS && ROUNDS
        fractional |= rint(AS_REAL(value)) != AS_REAL(value) || is_subnormal(value);
#endif
    }
    const Facts seen = {low, high, (fractional ? FRACTIONAL : 0) | (outside ? OUTSIDE : 0), 0};
    facts[get_global_id(0)] = seen;
}

// ---- edges, one work-item a chunk: in their order, each chunk's from its first place on ----------------------------

//   counts  out  (chunks, DIGITS + 1) edges with each value of the first digit of their keys, and all of them
WORK_GROUP(1, 1, 1)
__kernel void gather_chunks(__global const POINTER *restrict indptr, __global const INDEX *restrict tails,
                            __global const INDEX *restrict indices, __global const VALUE *restrict values,
                            __global const int *restrict roots, __global Edge *restrict edges,
                            __global uint *restrict counts, const ulong origin, const ulong low, const ulong high,
                            const ulong m, const uint n, const uint flags, const uint chunks)
{
    const size_t chunk = get_global_id(0);
    const ulong first = chunk_begin(m, chunk, chunks), last = chunk_begin(m, chunk + 1, chunks);
    uint of_digit[DIGITS];
    for (uint digit = 0; digit < DIGITS; ++digit)
        of_digit[digit] = 0;
    ulong next = first;
#if ROWS
    for (uint tail = row_of(indptr, first, 0, n - 1); tail < n && (ulong)indptr[tail] < last; ++tail) {
        const ulong begin = max((ulong)indptr[tail], first), end = min((ulong)indptr[tail + 1], last);
        const int tree = flags & FILTERS ? roots[tail] : -1;
#else
    {
        const ulong begin = first, end = last;
#endif
        for (ulong i = begin; i < end; ++i) {
#if !ROWS
            const uint tail = (uint)tails[i];
            const int tree = flags & FILTERS ? roots[tail] : -1;
#endif
            const uint head = (uint)indices[i];
            const Key key = key_of(values[i], origin, flags);
            if ((flags & UPPER ? head > tail : head != tail) && key >= low && key <= high &&
                !(flags & FILTERS && roots[head] == tree)) {
                Edge edge;
                edge.key = key;
                edge.place = (uint)i;
                edge.tail = (int)tail;
                edge.head = (int)head;
                CLEAR_UNUSED(edge);
                edges[next++] = edge;
                ++of_digit[(uint)key & (DIGITS - 1)];
            }
        }
    }
    for (uint digit = 0; digit < DIGITS; ++digit)
        counts[chunk * (DIGITS + 1) + digit] = of_digit[digit];
    counts[chunk * (DIGITS + 1) + DIGITS] = (uint)(next - first);
}

// ---- by work-groups --------------------------------------------------------------------------------------------------

// The row of each place of a matrix.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void spread(__global const POINTER *restrict indptr, __global INDEX *restrict tails, const ulong m,
                     const uint n)
{
    __local uint ends[2];
    const uint item = (uint)get_local_id(0);
    const ulong piece = 16 * GROUP_SIZE;
    for (ulong begin = get_group_id(0) * piece; begin < m; begin += get_num_groups(0) * piece) {
        const ulong end = min(begin + piece, m);
        if (item < 2)
            ends[item] = row_of(indptr, item ? end - 1 : begin, 0, n - 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint first = ends[0], last = ends[1];
        for (ulong i = begin + item; i < end; i += GROUP_SIZE)
            tails[i] = (INDEX)row_of(indptr, i, first, last);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// ---- twins -------------------------------------------------------------------------------------------------------------

// Whether an edge to an earlier vertex says nothing that the edge in the other direction does not say: that exists, and
// does not come later in the order. Columns ascend in each row, none of them twice.
bool has_twin(__global const POINTER *indptr, __global const INDEX *indices, __global const VALUE *values,
              const ulong place, const uint tail, const uint flags)
{
    const uint head = (uint)indices[place];
    if (head >= tail)
        return true;
    const ulong end = indptr[head + 1], twin = place_of(indices, indptr[head], end, tail);
    if (twin == end || (uint)indices[twin] != tail)
        return false;
    const ulong own = in_order(values[place]), other = in_order(values[twin]);
    return flags & MAXIMUM ? other >= own : other <= own;
}

//   lonely  i/o  [0]: 1 if an edge to an earlier vertex has no twin; 0 before
WORK_GROUP(1, 1, 1)
__kernel void look_for_twins_in_chunks(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                                       __global const VALUE *restrict values, __global uint *restrict lonely,
                                       const ulong m, const uint n, const uint flags, const uint chunks)
{
    const size_t chunk = get_global_id(0);
    const ulong first = chunk_begin(m, chunk, chunks), last = chunk_begin(m, chunk + 1, chunks);
    bool all = true;
    for (uint tail = row_of(indptr, first, 0, n - 1); tail < n && (ulong)indptr[tail] < last; ++tail)
        for (ulong i = max((ulong)indptr[tail], first); i < min((ulong)indptr[tail + 1], last); ++i)
            all = all && has_twin(indptr, indices, values, i, tail, flags);
    if (!all)
        lonely[0] = 1;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void look_for_twins(__global const POINTER *restrict indptr, __global const INDEX *restrict tails,
                             __global const INDEX *restrict indices, __global const VALUE *restrict values,
                             __global uint *restrict lonely, const ulong m, const uint flags)
{
    for (ulong i = get_global_id(0); i < m; i += get_global_size(0))
        if (!has_twin(indptr, indices, values, i, (uint)tails[i], flags))
            lonely[0] = 1;
}

// ---- what was chosen --------------------------------------------------------------------------------------------------

// Row pointers of the matrix that is left.
//   places  in   (count) chosen places, ascending
//   before  out  (n + 1) how many of them come before each row
__kernel void count_before(__global const POINTER *restrict indptr, __global const uint *restrict places,
                           __global int *restrict before, const uint count, const uint n, const uint chunks,
                           const uint step)
{
    const ulong first = FIRST_OF((ulong)n + 1), last = LAST_OF((ulong)n + 1);
    uint low = 0;
    for (ulong row = first; row < last; row += step) {
        if (row == first || step > 1) {
            uint high = count;
            while (low < high) {
                const uint middle = low + (high - low) / 2;
                if (places[middle] < (ulong)indptr[row])
                    low = middle + 1;
                else
                    high = middle;
            }
        } else {
            while (low < count && places[low] < (ulong)indptr[row])
                ++low;
        }
        before[row] = (int)low;
    }
}

// The chosen edges. If ROWS, each work-item has a chunk.
//   ends     out  (count, 2) the smaller end and the larger one, or, if `heads_only`, (count) the heads
//   weights  out  (count)
__kernel void write_chosen(__global const POINTER *restrict indptr, __global const INDEX *restrict tails,
                           __global const INDEX *restrict indices, __global const VALUE *restrict values,
                           __global const uint *restrict places, __global int *restrict ends,
                           __global VALUE *restrict weights, const uint count, const uint n, const uint heads_only,
                           const uint chunks, const uint step)
{
    const ulong first = FIRST_OF(count), last = LAST_OF((ulong)count);
    uint tail = 0;
#if ROWS
    if (first < last && !heads_only)
        tail = row_of(indptr, places[first], 0, n - 1);
#endif
    for (ulong i = first; i < last; i += step) {
        const uint place = places[i];
        const int head = (int)indices[place];
        weights[i] = values[place];
        if (heads_only) {
            ends[i] = head;
            continue;
        }
#if ROWS
        while ((ulong)indptr[tail + 1] <= place)
            ++tail;
#else
        tail = (uint)tails[place];
#endif
        ends[2 * i] = min((int)tail, head);
        ends[2 * i + 1] = max((int)tail, head);
    }
}
