// Betweenness on CPU devices: a work-item searches from one source after the other.
//
// Source:       Brandes, "A Faster Algorithm for Betweenness Centrality" (2001), with sums in a fixed order.
// NDRange:      search and begin: a work-item for each block of SOURCES sources; add_blocks: one for each PART of numbers;
//               all of them with work-groups (1). clear: (n, blocks), clear_edges: (blocks * m). A launch of search ends
//               after about `budget` edges in each block, and the next one goes on from there.
// Local memory: none.
// Macros:       SOURCES, sources of a block; PIECE, edges of a vertex that are summed up at a time; PART;
//               PULLS, 1: paths are counted along incoming edges, in a fixed order, because the sums may be rounded;
//               0: along outgoing ones while they are found, and the search ends where a count is not exact;
//               EDGES, 1: sums of edges, too; OFFSET, type of first_edge; SCALED (centrality/counts.cl).
//   first_edge, targets  in   (n + 1), (m) successors of each vertex, ascending
//   first_in, origins    in   (n + 1), (m) predecessors of each vertex, ascending; used if PULLS
//   is_target            in   (n) 1, or 0 where paths that end at a vertex do not count
//   sources              in   (count) vertices to search from
//   levels               i/o  (blocks, n) UNSEEN between two sources
//   counts               i/o  (blocks, n) numbers of paths, 0 between two sources; of a vertex that is summed up, its
//                             coefficient
//   coefficients         i/o  (blocks, n) those of the level below the one that is summed up; 0 elsewhere
//   queue                i/o  (blocks, n + 1) vertices by their levels; the last entry is written in vain
//   sums                 i/o  (blocks, n) dependencies of the sources of each block, added in their order
//   edge_sums            i/o  (blocks, m) the same of edges, if EDGES
//   reached              out  (count) vertices that each source reaches, itself included
//   reached_by           i/o  (blocks, n) how many sources reach a vertex, without itself
//   state                i/o  (blocks, STATE_WORDS)
//   limit                in   counts above it need another form of this kernel: the search ends
//
// The dependency of a source on a vertex is its number of paths times the sum of its successors' coefficients; the
// coefficient of a vertex is one more than its dependency, divided by its number of paths. While a level is summed up
// only those below it have a coefficient: what lies on no shortest path adds zero, and no edge needs a comparison.

#if !defined(SOURCES) || !defined(PIECE) || !defined(PART) || !defined(PULLS) || !defined(EDGES) || !defined(OFFSET)
#error "centrality/serial.cl needs the macros SOURCES, PIECE, PART, PULLS, EDGES and OFFSET"
#endif

#include "centrality/counts.cl"

#define UNSEEN INT_MAX

// Words of state.
#define STEP 0
#define SOURCE 1     // sources of the block that are done
#define HEAD 2       // index in the queue: of the next vertex, or behind it while sums are made
#define TAIL 3       // end of the queue
#define LEVEL_END 4  // end in the queue of the level that is summed up,
#define BELOW_END 5  // and of the one below it
#define TOO_LARGE 6  // whether a count was above the limit
#define STATE_WORDS 7

// Steps.
#define BEGIN 0
#define SEARCH 1
#define COUNT 2
#define SUM_UP 3
#define DONE 4

__kernel void clear(__global int *restrict levels, __global Count *restrict counts,
                    __global Count *restrict coefficients, __global double *restrict sums,
                    __global double *restrict reached_by, const uint n)
{
    const size_t vertex = get_global_id(0), entry = get_global_id(1) * n + vertex;
    if (vertex < n) {
        levels[entry] = UNSEEN;
        counts[entry] = coefficients[entry] = count_of(0.0);
        sums[entry] = reached_by[entry] = 0.0;
    }
}

__kernel void clear_edges(__global double *restrict edge_sums, const ulong length)
{
    if (get_global_id(0) < length)
        edge_sums[get_global_id(0)] = 0.0;
}

WORK_GROUP(1, 1, 1)
__kernel void begin(__global uint *restrict state)
{
    state += get_global_id(0) * STATE_WORDS;
    for (uint word = 0; word < STATE_WORDS; ++word)
        state[word] = 0;
    state[STEP] = BEGIN;
}

// Returns the number of paths to a vertex, by its predecessors one level above.
Count paths_to(const int vertex, __global const OFFSET *restrict first_in, __global const int *restrict origins,
               __global const int *restrict levels, __global const Count *restrict counts)
{
    const int above = levels[vertex] - 1;
    const OFFSET last = first_in[vertex + 1];
    Count sum = count_of(0.0);
    for (OFFSET edge = first_in[vertex]; edge < last;) {
        Count part = count_of(0.0);
        IN_ORDER
        for (const OFFSET end = edge + min((OFFSET)PIECE, last - edge); edge < end; ++edge)
            if (levels[origins[edge]] == above)
                part = plus(part, counts[origins[edge]]);
        sum = plus(sum, part);
    }
    return sum;
}

WORK_GROUP(1, 1, 1)
__kernel void search(__global const OFFSET *restrict first_edge, __global const int *restrict targets,
                     __global const OFFSET *restrict first_in, __global const int *restrict origins,
                     __global const uchar *restrict is_target, __global const int *restrict sources,
                     __global int *restrict levels, __global Count *restrict counts,
                     __global Count *restrict coefficients, __global int *restrict queue,
                     __global double *restrict sums, __global double *restrict edge_sums,
                     __global uint *restrict reached, __global double *restrict reached_by,
                     __global uint *restrict state, const double limit, const ulong budget, const uint first_block,
                     const uint count, const uint n, const ulong m)
{
    const size_t block = get_global_id(0);
    state += block * STATE_WORDS;
    if ((first_block + block) * SOURCES >= count) {
        state[STEP] = DONE;
        return;
    }
    uint step = state[STEP], source = state[SOURCE], head = state[HEAD], tail = state[TAIL];
    uint level_end = state[LEVEL_END], below_end = state[BELOW_END], is_too_large = state[TOO_LARGE];
    levels += block * n;
    counts += block * n;
    coefficients += block * n;
    queue += block * ((size_t)n + 1);
    sums += block * n;
    reached_by += block * n;
#if EDGES
    edge_sums += block * m;
#endif
    sources += (first_block + block) * SOURCES;
    reached += (first_block + block) * SOURCES;
    const uint count_here = min((uint)SOURCES, count - (first_block + (uint)block) * SOURCES);
    ulong spent = 0;
    while (step != DONE && spent < budget) {
        if (step == BEGIN) {
            queue[0] = sources[source];
            levels[queue[0]] = 0;
            counts[queue[0]] = count_of(1.0);
            head = 0;
            tail = 1;
            step = SEARCH;
        }
        if (step == SEARCH) {
            for (; head < tail && spent < budget; ++head) {
                const int vertex = queue[head];
                const int next = levels[vertex] + 1;
                const OFFSET first = first_edge[vertex], last = first_edge[vertex + 1];
                spent += 1 + last - first;
#if !PULLS
                const double paths = counts[vertex];
                is_too_large |= paths > limit;
#endif
                // Whether a vertex has been reached cannot be foreseen: each edge does the same, most in vain.
                for (OFFSET edge = first; edge < last; ++edge) {
                    const int target = targets[edge];
                    const int known = levels[target];
                    queue[tail] = target;
                    tail += known > next;
                    levels[target] = min(known, next);
#if !PULLS
                    counts[target] += known >= next ? paths : 0.0;
#endif
                }
            }
            if (head == tail) {
                head = 1;
                step = COUNT;
            }
        }
        if (step == COUNT) {
#if PULLS
            for (; head < tail && spent < budget; ++head) {
                const int vertex = queue[head];
                spent += 1 + first_in[vertex + 1] - first_in[vertex];
                counts[vertex] = paths_to(vertex, first_in, origins, levels, counts);
#if !SCALED
                is_too_large |= counts[vertex] > limit;
#endif
            }
#else
            head = tail;  // they were counted while they were found
#endif
            if (head == tail) {
                reached[source] = tail;
                level_end = below_end = tail;
                step = is_too_large ? DONE : SUM_UP;
            }
        }
        if (step == SUM_UP) {
            for (; head > 0 && spent < budget; --head) {
                const int vertex = queue[head - 1];
                if (head < level_end && levels[vertex] != levels[queue[head]]) {
                    for (uint index = level_end; index < below_end; ++index)
                        coefficients[queue[index]] = count_of(0.0);
                    for (uint index = head; index < level_end; ++index)
                        coefficients[queue[index]] = counts[queue[index]];
                    below_end = level_end;
                    level_end = head;
                }
                const Count paths = counts[vertex];
                const OFFSET last = first_edge[vertex + 1];
                spent += 1 + last - first_edge[vertex];
                Count sum = count_of(0.0);
                for (OFFSET edge = first_edge[vertex]; edge < last;) {
                    Count part = count_of(0.0);
                    IN_ORDER
                    for (const OFFSET end = edge + min((OFFSET)PIECE, last - edge); edge < end; ++edge) {
                        part = plus(part, coefficients[targets[edge]]);
#if EDGES
                        edge_sums[edge] = product_plus(paths, coefficients[targets[edge]], edge_sums[edge]);
#endif
                    }
                    sum = plus(sum, part);
                }
                const double dependency = product(paths, sum);
                counts[vertex] = divided(product_plus(paths, sum, is_target[vertex]), paths);
                if (head > 1) {  // not the source
                    sums[vertex] += dependency;
                    reached_by[vertex] += 1.0;
                }
            }
            if (head == 0) {
                for (uint index = 0; index < tail; ++index) {
                    levels[queue[index]] = UNSEEN;
                    counts[queue[index]] = coefficients[queue[index]] = count_of(0.0);
                }
                step = ++source == count_here ? DONE : BEGIN;
            }
        }
    }
    state[STEP] = step;
    state[SOURCE] = source;
    state[HEAD] = head;
    state[TAIL] = tail;
    state[LEVEL_END] = level_end;
    state[BELOW_END] = below_end;
    state[TOO_LARGE] = is_too_large;
}

// Adds the sums of all blocks in their order, and clears them.
WORK_GROUP(1, 1, 1)
__kernel void add_blocks(__global double *restrict totals, __global double *restrict sums, const uint blocks,
                         const ulong length)
{
    const ulong first = get_global_id(0) * (ulong)PART, last = min(first + PART, length);
    for (uint block = 0; block < blocks; ++block)
        for (ulong index = first; index < last; ++index) {
            totals[index] += sums[block * length + index];
            sums[block * length + index] = 0.0;
        }
}
