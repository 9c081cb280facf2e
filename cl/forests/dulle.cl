// Minimum spanning forest from a dense matrix, a work-item for each vertex.
//
// Source:       Dulle, "Uebersetzung von PRAM-Algorithmen in GPGPU-Kernel" (2016), section 5.7, Algorithm 19, and 5.6,
//               Algorithm 18, for what follows the first two steps.
// NDRange:      place_edges: (n) rows; the others (n) vertices; work-group (GROUP_SIZE).
// Local memory: none.
// Macros:       those of forests/keys.cl; POINTER and INDEX, types of row pointers and of columns; GROUP_SIZE;
//               BY_ROWS, 1 if a work-item reads a row of the matrix, 0 if work-items read it together, as GPUs do.
//
// The paper demands that there is one minimum tree only: where weights are equal, components hook in a ring. Here the
// edge that stands first in the matrix is the first of equal ones, so that no two are equal.
//   indptr, indices, values  in   the rows of a matrix: columns ascend, and only those behind the row count
//   matrix                   i/o  (n, n) W: the place of the edge between two vertices, and 1; 0 if there is none
//   component                i/o  (n) C: a vertex of the component of each vertex, the same for all of them
//   nearest                  i/o  (n) T: the end of the first edge that leaves the component, for each vertex; or NONE
//   hooked                   i/o  (n) Gamma: the component that each one is joined to
//   chosen                   i/o  (m) A, by place: 1 for edges of the forest

#if !defined(POINTER) || !defined(INDEX) || !defined(GROUP_SIZE) || !defined(BY_ROWS)
#error "forests/dulle.cl needs the macros POINTER, INDEX, GROUP_SIZE and BY_ROWS"
#endif

#include "forests/keys.cl"

#define NONE (-1)

// Of a matrix that is symmetric: next to each other lie what one work-item reads, or what work-items read together.
#if BY_ROWS
#define ENTRY(matrix, vertex, other) (matrix)[(size_t)(vertex) * n + (other)]
#else
#define ENTRY(matrix, vertex, other) (matrix)[(size_t)(other) * n + (vertex)]
#endif

// Whether an edge comes before another one, which may be none; both are given by what is in the matrix.
bool is_before(__global const VALUE *values, const uint edge, const uint other, const ulong origin, const uint flags)
{
    if (other == 0)
        return true;
    const Key own = key_of(values[edge - 1], origin, flags), its = key_of(values[other - 1], origin, flags);
    return own < its || (own == its && edge < other);
}

// The matrix is empty before.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void place_edges(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                          __global uint *restrict matrix, __global int *restrict component, const uint n)
{
    const uint row = (uint)get_global_id(0);
    if (row >= n)
        return;
    component[row] = (int)row;
    for (ulong i = indptr[row]; i < (ulong)indptr[row + 1]; ++i) {
        const uint column = (uint)indices[i];
        if (column > row) {
            matrix[(size_t)row * n + column] = (uint)i + 1;
            matrix[(size_t)column * n + row] = (uint)i + 1;
        }
    }
}

// STEP1mst: the first edge that leaves the component of a vertex from this vertex.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void find_nearest(__global const VALUE *restrict values, __global const uint *restrict matrix,
                           __global const int *restrict component, __global int *restrict nearest, const ulong origin,
                           const uint flags, const uint n)
{
    const uint vertex = (uint)get_global_id(0);
    if (vertex >= n)
        return;
    const int own = component[vertex];
    uint best = 0;
    int end = NONE;
    for (uint other = 0; other < n; ++other) {
        const uint edge = ENTRY(matrix, vertex, other);
        if (edge && component[other] != own && is_before(values, edge, best, origin, flags)) {
            best = edge;
            end = (int)other;
        }
    }
    nearest[vertex] = end;
}

// STEP2mst: the first edge that leaves a component, which is chosen.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void choose(__global const VALUE *restrict values, __global const uint *restrict matrix,
                     __global const int *restrict component, __global const int *restrict nearest,
                     __global int *restrict hooked, __global uchar *restrict chosen, const ulong origin,
                     const uint flags, const uint n)
{
    const int own = (int)get_global_id(0);
    if ((uint)own >= n)
        return;
    uint best = 0;
    int joined = component[own];
    if (joined == own) {
        for (uint vertex = 0; vertex < n; ++vertex)
            if (component[vertex] == own && nearest[vertex] != NONE) {
                const uint edge = ENTRY(matrix, vertex, nearest[vertex]);
                if (is_before(values, edge, best, origin, flags)) {
                    best = edge;
                    joined = component[nearest[vertex]];
                }
            }
        if (best)
            chosen[best - 1] = 1;
    }
    hooked[own] = joined;
}

// STEP3 in its parts.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void hook(__global int *restrict component, __global const int *restrict hooked, const uint n)
{
    const int vertex = (int)get_global_id(0);
    if ((uint)vertex < n && component[vertex] == vertex)
        component[vertex] = hooked[vertex];
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void jump(__global const int *restrict component, __global int *restrict after, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n)
        after[vertex] = component[component[vertex]];
}

// Of two components that have hooked to each other the smaller one stays.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void part_pairs(__global int *restrict component, __global const int *restrict after, const uint n)
{
    const int vertex = (int)get_global_id(0);
    if ((uint)vertex < n && after[vertex] == vertex)
        component[vertex] = min(component[vertex], vertex);
}
