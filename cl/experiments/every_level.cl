// Breadth-first search without a queue: at each level all vertices are looked at, or all edges, or a whole matrix.
//
// Source:       Harish and Narayanan (2007), look_at_vertices; Hong and others (2011), the same by virtual warps; Jia and
//               others (2011), look_at_edges; Deng, Wang and Mu (2009), multiply; as Busato and Bombieri (2017) describe them
//               in section 2.1.
// NDRange:      begin, settle, multiply: global n; look_at_vertices: n * WIDTH; look_at_edges: m. Any work-groups.
// Local memory: none.
// Macros:       WIDTH, work-items of a virtual warp, which share a vertex; COUNTS, 1: looks are counted; that of
//               traversal/bfs_direction.cl.
//
// A level is one of the three, by which each vertex gets its smallest predecessor in the level, and settle, by which the
// vertices that have got one get their level.
//   first_edge, targets  in   (n + 1), (m) successors of each vertex
//   sources              in   (m) of each edge
//   first_in, before     in   (n + 1), (m) predecessors of each vertex
//   levels               i/o  (n) -1 = not reached; written by settle alone
//   predecessors         i/o  (n) NO_PREDECESSOR for the source and where not reached
//   looks                i/o  (LOOKS) with COUNTS: looks at vertices and at edges, two words each, the lower one first
//   updates, phase       i/o  whether the last level has found vertices, and this one does; see core/rounds.cl

#if !defined(WIDTH) || !defined(COUNTS)
#error "experiments/every_level.cl needs the macros WIDTH and COUNTS"
#endif
#if WIDTH < 1
#error "experiments/every_level.cl: WIDTH has to be at least 1"
#endif

#include "core/language.cl"
#include "core/rounds.cl"
#include "traversal/bfs_direction.cl"

#define AT_VERTICES 0
#define AT_EDGES 2
#define LOOKS 4

void count(__global uint *looks, const uint word, const uint amount)
{
#if COUNTS
    const uint before = atomic_add(&looks[word], amount);
    if (before + amount < before)
        atomic_inc(&looks[word + 1]);
#endif
}

__kernel void begin(__global int *restrict levels, __global uint *restrict predecessors,
                    __global uint *restrict updates, const uint source, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n) {
        levels[vertex] = vertex == source ? 0 : -1;
        predecessors[vertex] = NO_PREDECESSOR;
    }
    if (vertex == 0) {
        updates[0] = 1;
        updates[1] = updates[2] = updates[ROUNDS_RUN] = 0;
    }
}

__kernel void look_at_vertices(__global const OFFSET *restrict first_edge, __global const int *restrict targets,
                               __global const int *restrict levels, __global uint *restrict predecessors,
                               __global uint *restrict looks, __global uint *restrict updates, const uint phase,
                               const int level, const uint n)
{
    const size_t vertex = get_global_id(0) / WIDTH;
    const uint lane = get_global_id(0) % WIDTH;
    if (vertex < n && !round_is_skipped(updates, phase)) {
        if (lane == 0)
            count(looks, AT_VERTICES, 1);
        if (levels[vertex] == level) {
            const OFFSET end = first_edge[vertex + 1];
            uint looked = 0;
            for (OFFSET edge = first_edge[vertex] + lane; edge < end; edge += WIDTH) {
                const int target = targets[edge];
                looked += 1;
                if (levels[target] < 0)
                    atomic_min(&predecessors[target], (uint)vertex);
            }
            count(looks, AT_EDGES, looked);
        }
    }
}

__kernel void look_at_edges(__global const int *restrict sources, __global const int *restrict targets,
                            __global const int *restrict levels, __global uint *restrict predecessors,
                            __global uint *restrict looks, __global uint *restrict updates, const uint phase,
                            const int level, const ulong m)
{
    const size_t edge = get_global_id(0);
    if (edge < m && !round_is_skipped(updates, phase)) {
        count(looks, AT_EDGES, 1);
        if (levels[sources[edge]] == level && levels[targets[edge]] < 0)
            atomic_min(&predecessors[targets[edge]], (uint)sources[edge]);
    }
}

// The transposed matrix times the vector of the level, in which "or" adds and "and" multiplies.
__kernel void multiply(__global const OFFSET *restrict first_in, __global const int *restrict before,
                       __global const int *restrict levels, __global uint *restrict predecessors,
                       __global uint *restrict looks, __global uint *restrict updates, const uint phase,
                       const int level, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && !round_is_skipped(updates, phase)) {
        uint smallest = NO_PREDECESSOR;
        const OFFSET end = first_in[vertex + 1];
        for (OFFSET edge = first_in[vertex]; edge < end; ++edge) {
            if (levels[before[edge]] == level)
                smallest = min(smallest, (uint)before[edge]);
        }
        if (levels[vertex] < 0)
            predecessors[vertex] = smallest;
        count(looks, AT_VERTICES, 1);
        count(looks, AT_EDGES, (uint)(end - first_in[vertex]));
    }
}

__kernel void settle(__global int *restrict levels, __global const uint *restrict predecessors,
                     __global uint *restrict looks, __global uint *restrict updates, const uint phase, const int level,
                     const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n && !round_is_skipped(updates, phase)) {
        count(looks, AT_VERTICES, 1);
        if (levels[vertex] < 0 && predecessors[vertex] != NO_PREDECESSOR) {
            levels[vertex] = level + 1;
            report_update(updates, phase);
        }
    }
    if (vertex == 0)
        prepare_next_round(updates, phase);
}
