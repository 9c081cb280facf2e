// A maximum matching of a bipartite graph by work-groups: rounds of offers, then breadth-first phases.
//
// Source:       offers: the rule of Karp and Sipser 1981, in rounds. Phases: Deveci, Kaya, Ucar and Catalyurek 2013, "GPU
//               accelerated maximum cardinality matching algorithms for bipartite graphs", searches that know their root.
// NDRange:      choose: a work-item for each vertex of one side; accept: one for each of the other side; begin_phase: one
//               for each row or column, whichever are more; expand, settle and augment: any number; work-group
//               (GROUP_SIZE).
// Local memory: expand: 3 * GROUP_SIZE words and GROUP_SIZE row pointers.
// Macros:       GROUP_SIZE, a power of two;
//               POINTER, type of row pointers, and INDEX, of columns: int or long; for choose uint and int, if its
//               vertices are columns.
//   indptr    in   (n + 1) row pointers
//   indices   in   (m) columns
//   mates     i/o  (n + columns) what each row, then each column, is matched with; NONE
//   offers    i/o  the least vertex that wants each vertex of the other side, or NO_OFFER
//   parents   i/o  (columns) which row leads to each column in this phase, as parent_of reads it, or NO_PARENT
//   seen      i/o  (columns) whether a level before this one has reached the column
//   trees     i/o  (n) the free row that the search has reached each row from
//   ends      i/o  (n) the column, not matched, where the path from each free row ends, or NO_END
//   frontier  i/o  (n) rows of this level
//   reached   i/o  (columns) columns of this level
//   roots     i/o  (n) rows that are not matched
//   state     i/o  (STATE_WORDS) as below; zeros before each phase
//
// The trees of a phase have no vertex in common, and each is augmented along one path. Which one does not depend on the
// order of the work-items: of the rows of a level that lead to a column the minimum counts in an order of its own for each
// column, so that no row gets all columns; of the columns of a level where a path ends, the least.
// What has ended the search of a tree counts from the next level on. Level r runs with parity r % 2.

#if !defined(GROUP_SIZE) || !defined(POINTER) || !defined(INDEX)
#error "matching/phases.cl needs the macros GROUP_SIZE, POINTER and INDEX"
#endif
#if GROUP_SIZE & (GROUP_SIZE - 1)
#error "matching/phases.cl: GROUP_SIZE has to be a power of two"
#endif

#include "core/language.cl"

#define NONE (-1)
#define NO_OFFER UINT_MAX
#define NO_PARENT UINT_MAX
#define NO_END UINT_MAX
#define ANY 0  // number of choices

#define ROWS 0     // (2) rows of the level of each parity
#define REACHED 2  // (2) columns of it
#define ROOTS 4
#define FOUND 5   // augmenting paths
#define OFFERS 6  // whether there was any
#define STATE_WORDS 7

// A number without order, below 2^31.
uint scattered(const uint vertex)
{
    return (vertex * 2654435761u ^ vertex >> 7) >> 1;
}

// ---- rounds of offers ----

// Each free vertex makes an offer to a free neighbour, if it has at most `most` of them, or ANY. One with more entries than
// `most_degree` waits for the phases.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void choose(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                     __global const int *restrict mates, __global uint *restrict offers, __global uint *restrict state,
                     const uint own, const uint other, const uint n, const uint most_degree, const uint most,
                     const uint turn)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n || mates[own + vertex] != NONE)
        return;
    const POINTER first = indptr[vertex];
    const ulong degree = indptr[vertex + 1] - first;
    if (degree == 0 || degree > most_degree)
        return;
    // With one choice there is nothing to begin with; otherwise vertices with equal neighbours begin elsewhere.
    const ulong begin = most == 1 ? 0 : scattered((uint)vertex + turn) % degree;
    const uint enough = most == ANY ? 1 : most + 1;
    uint choices = 0, chosen = 0;
    for (ulong i = 0; i < degree && choices < enough; ++i) {
        const ulong entry = begin + i < degree ? begin + i : begin + i - degree;
        const uint neighbour = (uint)indices[first + (POINTER)entry];
        if (mates[other + neighbour] != NONE || (choices > 0 && neighbour == chosen))
            continue;
        chosen = choices > 0 ? chosen : neighbour;
        ++choices;
    }
    if (choices > 0 && (most == ANY || choices <= most)) {
        atomic_min(&offers[chosen], (uint)vertex);
        atomic_or(&state[OFFERS], 1u);
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void accept(__global int *restrict mates, __global uint *restrict offers, const uint own, const uint other,
                     const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n || offers[vertex] == NO_OFFER)
        return;
    const uint taken = offers[vertex];
    mates[own + vertex] = (int)taken;
    mates[other + taken] = (int)vertex;
    offers[vertex] = NO_OFFER;
}

// ---- phases ----

// The row that leads to a column.
uint parent_of(const uint column, const uint key)
{
    return key ^ scattered(column);
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void begin_phase(__global const POINTER *restrict indptr, __global const int *restrict mates,
                          __global uint *restrict parents, __global uchar *restrict seen, __global uint *restrict trees,
                          __global uint *restrict ends, __global uint *restrict frontier, __global uint *restrict roots,
                          __global uint *restrict state, const uint n, const uint columns)
{
    const size_t i = get_global_id(0);
    if (i < columns) {
        parents[i] = NO_PARENT;
        seen[i] = 0;
    }
    if (i < n && mates[i] == NONE && indptr[i] < indptr[i + 1]) {
        const uint root = atomic_inc(&state[ROOTS]);
        atomic_inc(&state[ROWS]);
        roots[root] = frontier[root] = trees[i] = (uint)i;
        ends[i] = NO_END;
    }
}

// Lists the columns that the rows of a level lead to, the entries of GROUP_SIZE rows spread over the work-items.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void expand(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                     __global uint *restrict parents, __global const uchar *restrict seen,
                     __global const uint *restrict trees, __global const uint *restrict ends,
                     __global const uint *restrict frontier, __global uint *restrict reached,
                     __global uint *restrict state, const uint parity)
{
    __local uint sums[2][GROUP_SIZE], rows[GROUP_SIZE];
    __local POINTER begins[GROUP_SIZE];
    const uint item = get_local_id(0), stride = (uint)get_num_groups(0) * GROUP_SIZE, count = state[ROWS + parity];
    if (get_global_id(0) == 0)
        state[ROWS + 1 - parity] = 0;
    for (uint base = (uint)get_group_id(0) * GROUP_SIZE; base < count; base += stride) {
        uint degree = 0;
        if (base + item < count) {
            const uint row = frontier[base + item];
            rows[item] = row;
            begins[item] = indptr[row];
            degree = ends[trees[row]] == NO_END ? (uint)(indptr[row + 1] - indptr[row]) : 0;
        }
        uint of = 0;  // the sums up to each row are in sums[of]
        sums[of][item] = degree;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint width = 1; width < GROUP_SIZE; width *= 2) {
            sums[1 - of][item] = sums[of][item] + (item >= width ? sums[of][item - width] : 0);
            of = 1 - of;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const uint total = sums[of][GROUP_SIZE - 1];
        for (uint i = item; i < total; i += GROUP_SIZE) {
            uint owner = 0;  // the first row up to which there are more than i entries
            for (uint step = GROUP_SIZE / 2; step > 0; step /= 2)
                owner += sums[of][owner + step - 1] <= i ? step : 0;
            const uint before = owner > 0 ? sums[of][owner - 1] : 0;
            const uint column = (uint)indices[begins[owner] + (POINTER)(i - before)];
            if (!seen[column] && atomic_min(&parents[column], rows[owner] ^ scattered(column)) == NO_PARENT)
                reached[atomic_inc(&state[REACHED + parity])] = column;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Ends trees at columns that are not matched, and goes on from the others to the rows of the next level.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void settle(__global const int *restrict mates, __global const uint *restrict parents,
                     __global uchar *restrict seen, __global uint *restrict trees, __global uint *restrict ends,
                     __global uint *restrict frontier, __global const uint *restrict reached,
                     __global uint *restrict state, const uint n, const uint parity)
{
    const uint count = state[REACHED + parity], stride = (uint)get_global_size(0);
    if (get_global_id(0) == 0)
        state[REACHED + 1 - parity] = 0;
    for (uint i = (uint)get_global_id(0); i < count; i += stride) {
        const uint column = reached[i], tree = trees[parent_of(column, parents[column])];
        const int row = mates[n + column];
        seen[column] = 1;
        if (row == NONE) {
            atomic_min(&ends[tree], column);
        } else {
            trees[row] = tree;
            frontier[atomic_inc(&state[ROWS + 1 - parity])] = (uint)row;
        }
    }
}

// Augments the matching along one path of each tree.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void augment(__global int *restrict mates, __global const uint *restrict parents,
                      __global const uint *restrict ends, __global const uint *restrict roots,
                      __global uint *restrict state, const uint n)
{
    const uint count = state[ROOTS], stride = (uint)get_global_size(0);
    for (uint i = (uint)get_global_id(0); i < count; i += stride) {
        uint column = ends[roots[i]];
        if (column == NO_END)
            continue;
        atomic_inc(&state[FOUND]);
        for (int before = 0; before != NONE; column = (uint)before) {
            const uint row = parent_of(column, parents[column]);
            before = mates[row];
            mates[row] = (int)column;
            mates[n + column] = (int)row;
        }
    }
}
