// The hop levels of shortest-path trees one vertex after the other: where there are many levels, each of few vertices.
//
// Source:       the second pass of edges/predecessors_outgoing.cl, by whose rule each vertex has a predecessor.
// NDRange:      global the number of work-items; work-group (1): each takes one row after the other. A launch ends when
//               each work-item has looked at about `budget` edges, and the next one goes on from there.
// Local memory: none.
// Macros:       core/out_edges.cl; core/weights.cl.
//   first_edge, edges  in   core/out_edges.cl
//   dist               in   (rows, n) final distances; INF = unreachable
//   predecessors       i/o  (rows, n) NOT_YET where there is none
//   levels             i/o  (rows, n) as that pass leaves them: up to `level`, and UNRESOLVED
//   queues             local to a work-item, (work-items, n)
//   searches           i/o  (work-items) of SEARCH_WORDS, zeros at first
//   counters           i/o  core/rows.cl: steps are vertices whose edges were looked at

#include "core/out_edges.cl"
#include "core/rows.cl"
#include "edges/unresolved.cl"

#define SEARCH_WORDS 5
#define LOOKS_AN_EDGE 8  // at vertices whose level is not the first one, in the time of an edge

// What a work-item remembers between two launches.
typedef struct {
    uint active;
    uint row;
    uint looked_at;   // vertices, whether they are of the first level
    uint head, tail;  // of the queue
} Search;

typedef char SearchFits[sizeof(Search) == SEARCH_WORDS * sizeof(uint) ? 1 : -1];

WORK_GROUP(1, 1, 1)
__kernel void resolve_rows(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                           __global const WEIGHT *restrict dist, __global int *restrict predecessors,
                           __global uint *restrict levels, __global uint *restrict queues,
                           __global Search *restrict searches, __global uint *restrict counters, const uint level,
                           const ulong budget, const uint n, const uint rows)
{
    const size_t worker = get_global_id(0);
    __global uint *queue = queues + worker * n;
    Search search = searches[worker];
    uint taken = 0;

    for (ulong used = 0; used < budget;) {
        if (!search.active) {
            search.row = atomic_inc(&counters[ROWS_BEGUN]);
            if (search.row >= rows)
                break;
            search.active = true;
            search.looked_at = search.head = search.tail = 0;
        }
        const size_t row = (size_t)search.row * n;
        while (search.looked_at < n && used < budget) {
            const uint stop = min(n - search.looked_at, (uint)LOOKS_AN_EDGE) + search.looked_at;
            for (; search.looked_at < stop; ++search.looked_at)
                if (levels[row + search.looked_at] == level)
                    queue[search.tail++] = search.looked_at;
            used += 1;
        }
        while (search.looked_at == n && search.head < search.tail && used < budget) {
            const uint vertex = queue[search.head++], next = levels[row + vertex] + 1;
            const WEIGHT before = dist[row + vertex];
            const OFFSET last = first_edge[vertex + 1];
            taken += 1;
            used += 1 + last - first_edge[vertex];
            if (before == INF)  // a source, of whose row nothing else has been reached
                continue;
            for (OFFSET i = first_edge[vertex]; i < last; ++i) {
                const size_t target = row + edges[i].target;
                if (dist[target] == INF || path_sum(before, edges[i].weight) != dist[target])
                    continue;
                if (levels[target] == UNRESOLVED) {
                    levels[target] = next;
                    queue[search.tail++] = edges[i].target;
                }
                if (levels[target] == next)
                    predecessors[target] = min(predecessors[target], (int)vertex);
            }
        }
        if (search.looked_at == n && search.head == search.tail) {
            search.active = false;
            atomic_inc(&counters[ROWS_DONE]);
        }
    }

    atomic_add(&counters[STEPS], taken);
    searches[worker] = search;
}
