// From edges to a matrix of path weights, and what is unbounded in it.
//
// Source:       thesis equation 5.1 and section 5.2.3.
// NDRange:      clear, mark: global (columns, rows); scatter: a work-group for each vertex; diagonal,
//               set_diagonal: one work-item a vertex; reach: global (vertices, cycles). The work-group size is free.
// Local memory: none.
// Macros:       those of minplus/common.cl.
//
// Matrices are row-major, a row `stride` elements after the one before; what lies beyond n rows or columns is padding.

#include "minplus/common.cl"

// Rows from that of the vertex `first` on, with an edge of weight 0 from each vertex to itself, and no other.
__kernel void clear(__global WEIGHT *restrict matrix, const uint stride, const uint n, const uint first)
{
    const size_t column = get_global_id(0), row = get_global_id(1), vertex = first + row;
    if (column < stride)
        matrix[row * stride + column] = column == vertex && vertex < n ? (WEIGHT)0 : (WEIGHT)NO_PATH;
}

// The edges that leave these vertices, each pair of vertices at most once; an edge from a vertex to itself counts if it
// is negative. A work-group for each vertex, whose edges begin at its offset in `index`.
__kernel void scatter(__global WEIGHT *restrict matrix, __global const ulong *restrict index,
                      __global const int *restrict targets, __global const WEIGHT *restrict weights, const uint stride,
                      const uint first)
{
    const size_t row = get_group_id(0);
    const ulong last = index[row + 1];
    for (ulong edge = index[row] + get_local_id(0); edge < last; edge += get_local_size(0)) {
        const size_t target = targets[edge];
        const WEIGHT weight = weights[edge];
        if (target != first + row || weight < 0)
            matrix[row * stride + target] = weight;
    }
}

// Path weights from vertices to themselves.
__kernel void diagonal(__global const WEIGHT *restrict matrix, __global WEIGHT *restrict values, const uint stride,
                       const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n)
        values[vertex] = matrix[vertex * stride + vertex];
}

__kernel void set_diagonal(__global WEIGHT *restrict matrix, __global const WEIGHT *restrict values, const uint stride,
                           const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n)
        matrix[vertex * stride + vertex] = values[vertex];
}

// Which vertices reach a vertex of each negative cycle, and which are reached from there.
//   cycles  in   (count) one vertex of each
//   before  out  (count, n) 1 if the vertex reaches the cycle
//   after   out  (count, n) 1 if the cycle reaches the vertex
__kernel void reach(__global const WEIGHT *restrict matrix, __global const int *restrict cycles,
                    __global uchar *restrict before, __global uchar *restrict after, const uint stride, const uint n)
{
    const size_t vertex = get_global_id(0), cycle = get_global_id(1);
    if (vertex >= n)
        return;
    const size_t on_cycle = cycles[cycle];
    before[cycle * n + vertex] = matrix[vertex * stride + on_cycle] != NO_PATH;
    after[cycle * n + vertex] = matrix[on_cycle * stride + vertex] != NO_PATH;
}

// Replaces the weights of paths that can pass a negative cycle.
__kernel void mark(__global WEIGHT *restrict matrix, __global const uchar *restrict before,
                   __global const uchar *restrict after, const WEIGHT unbounded, const uint count, const uint stride,
                   const uint n)
{
    const size_t column = get_global_id(0), row = get_global_id(1);
    if (column >= n)
        return;
    for (size_t cycle = 0; cycle < count; ++cycle) {
        if (before[cycle * n + row] && after[cycle * n + column]) {
            matrix[row * stride + column] = unbounded;
            break;
        }
    }
}
