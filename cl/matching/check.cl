// Whether pairs are a matching of a bipartite graph, and vertices a cover of its edges.
//
// Source:       our own. As many vertices cover all edges as there are pairs: then no matching has more, and no cover fewer
//               (Koenig 1931).
// NDRange:      a work-item for each PIECE of rows, and columns behind them; work-group of any size.
// Local memory: none.
// Macros:       PIECE; POINTER, type of row pointers, and INDEX, of columns: int or long.
//   indptr     in   (n + 1) row pointers
//   indices    in   (m) columns
//   mates      in   (n + columns) what each row, then each column, is matched with; NONE
//   covers     in   (n + columns) whether each row, then each column, is in the cover
//   offenders  i/o  the least vertex that breaks each rule, columns counted on from n; UINT_MAX

#if !defined(PIECE) || !defined(POINTER) || !defined(INDEX)
#error "matching/check.cl needs the macros PIECE, POINTER and INDEX"
#endif

#include "core/language.cl"

#define NONE (-1)
#define NO_MATE 0      // what it is matched with is no vertex
#define NOT_MUTUAL 1   // that is matched with another one
#define NO_EDGE 2      // there is no such edge
#define NOT_COVERED 3  // an edge of this row

__kernel void check(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global const int *restrict mates, __global const uchar *restrict covers,
                    __global uint *restrict offenders, const uint n, const uint columns)
{
    const ulong first = (ulong)get_global_id(0) * PIECE, last = min(first + PIECE, (ulong)n + columns);
    for (ulong vertex = first; vertex < last; ++vertex) {
        const bool is_row = vertex < n;
        const int mate = mates[vertex];
        bool is_edge = !is_row || mate == NONE, is_covered = true;
        if (is_row) {
            for (POINTER entry = indptr[vertex]; entry < indptr[vertex + 1]; ++entry) {
                const uint column = (uint)indices[entry];
                is_edge = is_edge || column == (uint)mate;
                is_covered = is_covered && (covers[vertex] || covers[n + column]);
            }
        }
        if (mate != NONE && (mate < 0 || (uint)mate >= (is_row ? columns : n)))
            atomic_min(&offenders[NO_MATE], (uint)vertex);
        else if (mate != NONE && mates[is_row ? n + (uint)mate : (uint)mate] != (int)(is_row ? vertex : vertex - n))
            atomic_min(&offenders[NOT_MUTUAL], (uint)vertex);
        if (!is_edge)
            atomic_min(&offenders[NO_EDGE], (uint)vertex);
        if (!is_covered)
            atomic_min(&offenders[NOT_COVERED], (uint)vertex);
    }
}
