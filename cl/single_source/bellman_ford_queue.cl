// Bellman-Ford from several sources with a queue: each work-item finds one row of path weights after the other by itself.
//
// Source:       Moore (1959): of Bellman-Ford's relaxations those that can change something, the edges of a vertex whose
//               path weight has fallen, as in the thesis' section 5.4.2, here by one work-item in the order of the falls.
// NDRange:      global the number of work-items; work-group (1). A launch ends when each work-item has relaxed about
//               `budget` edges, and the next one goes on from there.
// Local memory: none.
// Macros:       core/prefetch.cl; core/out_edges.cl; core/weights.cl.
//   first_edge, edges  in   core/out_edges.cl
//   first_start        in   (rows + 1) offset in `starts` of the first vertex at distance 0 of each row
//   starts             in   vertices, different ones within a row
//   weights            i/o  (rows, n) INF at first; the path weights, INF = not reached
//   predecessors       i/o  (rows, n) NO_VERTEX at first; the source of the edge that gave each path weight
//   queues             local to a work-item, (work-items, n)
//   queued             i/o  (work-items, n) zeros at first; whether a vertex is in the queue
//   searches           i/o  (work-items) of SEARCH_WORDS, zeros at first
//   counters           i/o  core/rows.cl: steps are vertices whose edges were relaxed
//   ceiling                 path weights from here on are not recorded (INF: all are)
//   lowest                  no simple path weighs less (-INF, or the minimum of the type: unknown)
//
// A vertex is in the queue once at most, so that room for n is enough. Without a negative cycle no vertex is taken out of
// it more than n times; with one the predecessors close a cycle sooner or later, which the host looks for: at once where
// a path weight has fallen below `lowest`, and before further sums leave the type.

#include "core/out_edges.cl"
#include "core/prefetch.cl"
#include "core/rows.cl"

#define LOOK_AHEAD 16  // entries of the queue
#define SEARCH_WORDS 6
#define ACTIVE 0   // word: whether there is a row to go on with
#define ROW 1      // word: its number
#define RELAXED 4  // words of 32 bits, the lower one first: its edges that were relaxed, or vertices taken out

// What a work-item remembers between two launches.
typedef struct {
    uint active;
    uint row;
    uint head, count;  // of the queue
    ulong relaxed;
} Search;

typedef char SearchFits[sizeof(Search) == SEARCH_WORDS * sizeof(uint) ? 1 : -1];

// An index of a queue of n entries, which begins anew at its end.
uint wrapped(const uint index, const uint n)
{
    return index < n ? index : index - n;
}

WORK_GROUP(1, 1, 1)
__kernel void solve_rows(__global const OFFSET *restrict first_edge, __global const Edge *restrict edges,
                         __global const uint *restrict first_start, __global const int *restrict starts,
                         __global WEIGHT *restrict weights, __global int *restrict predecessors,
                         __global uint *restrict queues, __global uchar *restrict queued,
                         __global Search *restrict searches, __global uint *restrict counters, const WEIGHT ceiling,
                         const WEIGHT lowest, const ulong budget, const uint n, const uint rows)
{
    const size_t worker = get_global_id(0);
    __global uint *queue = queues + worker * n;
    __global uchar *is_queued = queued + worker * n;
    Search search = searches[worker];
    uint taken = 0;

    for (ulong used = 0; used < budget;) {
        if (!search.active) {
            search.row = atomic_inc(&counters[ROWS_BEGUN]);
            if (search.row >= rows)
                break;
            search.active = true;
            search.relaxed = 0;
        }
        __global WEIGHT *dist = weights + (size_t)search.row * n;
        __global int *before = predecessors + (size_t)search.row * n;
        if (search.count == 0) {
            for (uint i = first_start[search.row]; i < first_start[search.row + 1]; ++i) {
                dist[starts[i]] = 0;
                is_queued[starts[i]] = true;
                queue[wrapped(search.head + search.count++, n)] = starts[i];
            }
        }
        while (search.count > 0 && used < budget) {
            if (LOOK_AHEAD < search.count) {
                const uint soon = queue[wrapped(search.head + LOOK_AHEAD / 2, n)];
                PREFETCH(&first_edge[queue[wrapped(search.head + LOOK_AHEAD, n)]]);
                PREFETCH(&edges[first_edge[soon]]);
            }
            const uint vertex = queue[search.head];
            search.head = wrapped(search.head + 1, n);
            search.count -= 1;
            is_queued[vertex] = false;
            taken += 1;
            const OFFSET last = first_edge[vertex + 1];
            const WEIGHT own = dist[vertex];
            bool has_cycle = false;
            for (OFFSET i = first_edge[vertex]; i < last; ++i) {
                const Edge edge = edges[i];
                const WEIGHT sum = path_sum(own, edge.weight);
                if (!(sum < dist[edge.target]) || !(sum < ceiling))
                    continue;
                dist[edge.target] = sum;
                before[edge.target] = vertex;
                has_cycle |= sum < lowest;
                if (!is_queued[edge.target]) {
                    is_queued[edge.target] = true;
                    queue[wrapped(search.head + search.count++, n)] = edge.target;
                }
            }
            const OFFSET edges_here = 1 + last - first_edge[vertex];
            used += edges_here;
            search.relaxed += edges_here;
            if (has_cycle) {
                used = budget;
                search.relaxed = ULONG_MAX;
            }
        }
        if (search.count == 0) {
            search.active = false;
            atomic_inc(&counters[ROWS_DONE]);
        }
    }

    atomic_add(&counters[STEPS], taken);
    searches[worker] = search;
}
