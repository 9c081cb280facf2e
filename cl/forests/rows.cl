// The first round of Boruvka's algorithm, from the rows of a symmetric matrix: a work-item a vertex.
//
// Source:       Boruvka (1926). Columns ascend in each row, none of them twice, and each edge is there in both
//               directions with one weight. So of the entries with the smallest key of a row the first one is first in
//               order: those to earlier vertices come first, as do their twins, which stand in earlier rows.
// NDRange:      any number of work-groups (GROUP_SIZE).
// Local memory: none.
// Macros:       those of forests/keys.cl; POINTER and INDEX, types of row pointers and of columns: int or long;
//               GROUP_SIZE.
//   indptr   in   (n + 1) row pointers
//   indices  in   (m) columns
//   values   in   (m) weights
//   next     out  (n) trees, as in forests/trees.cl
//   chosen   i/o  (m) by place: 1 for edges of the forest, each at its entry to the later vertex

#if !defined(POINTER) || !defined(INDEX) || !defined(GROUP_SIZE)
#error "forests/rows.cl needs the macros POINTER, INDEX and GROUP_SIZE"
#endif

#include "forests/keys.cl"
#include "forests/place.cl"

#define LONGEST 64  // entries of a row; vertices with more are left to the rounds that follow

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void join_rows(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                        __global const VALUE *restrict values, __global int *restrict next,
                        __global uchar *restrict chosen, const ulong origin, const uint n, const uint flags)
{
    for (uint vertex = (uint)get_global_id(0); vertex < n; vertex += (uint)get_global_size(0)) {
        const ulong begin = indptr[vertex], end = indptr[vertex + 1];
        ulong place = end;
        Key first = 0;
        for (ulong i = begin; i < end && end - begin <= LONGEST; ++i) {
            const Key key = key_of(values[i], origin, flags);
            if ((uint)indices[i] != vertex && (place == end || key < first)) {
                place = i;
                first = key;
            }
        }
        const uint head = place == end ? vertex : (uint)indices[place];
        next[vertex] = (int)head;
        if (head < vertex)
            place = place_of(indices, indptr[head], indptr[head + 1], vertex);
        if (head != vertex)
            chosen[place] = 1;
    }
}
