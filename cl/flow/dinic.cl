// A maximum flow by Dinic's algorithm, by one work-item: blocking flows in the graph of shortest augmenting paths.
//
// Source:       Dinic 1970. Each phase takes paths in the order of the arcs, so that the flow is the one that SciPy finds.
// NDRange:      search (1), write_flow and write_net (1); work-group (1). A launch of search ends after about `budget`
//               arcs, and the next one goes on from there; those of the others take the vertices from `begin` to `end`.
// Local memory: none.
// Macros:       POINTER, INDEX, CAPACITY as in flow/arcs.cl; AMOUNT (flow/arc.cl).
//   first       in   (n + 1) index of the first arc of each vertex, then their number
//   arcs        i/o  the residual graph
//   level       i/o  (n) UNSEEN at first; arcs to the sink; after the end, UNSEEN but on the source side of the cut
//   position    i/o  (n) arc of each vertex that is to be looked at
//   queue       i/o  (n) vertices that have a level
//   path        i/o  (n) arcs from the source
//   left        i/o  (n + 1) what more can flow to each vertex of the path
//   sent        i/o  (n + 1) what flows from there already
//   state       i/o  (STATE_WORDS); 0 at first
//   bound       -    larger than any flow; a capacity above it is as good as it
// Vertices are searched from the sink, against the arcs: one from which every path has become blocked loses its level.

#if !defined(POINTER) || !defined(INDEX) || !defined(CAPACITY)
#error "flow/dinic.cl needs the macros POINTER, INDEX and CAPACITY"
#endif

#include "flow/arc.cl"

#define STEP 0
#define HEAD 1
#define TAIL 2
#define DEPTH 3
#define PHASES 4
#define FLOW 5
#define STATE_WORDS 6

#define BEGIN_LEVELS 0
#define LEVELS 1
#define PATHS 2
#define BEGIN_SIDE 3
#define SIDE 4
#define DONE 5

#define UNSEEN 0xffffffffu

WORK_GROUP(1, 1, 1)
__kernel void search(__global const uint *restrict first, __global Arc *restrict arcs, __global uint *restrict level,
                     __global uint *restrict position, __global int *restrict queue, __global uint *restrict path,
                     __global AMOUNT *restrict left, __global AMOUNT *restrict sent, __global ulong *restrict state,
                     const uint source, const uint sink, const ulong bound, const ulong budget)
{
    uint step = (uint)state[STEP], head = (uint)state[HEAD], tail = (uint)state[TAIL], depth = (uint)state[DEPTH];
    ulong work = 0;
    while (step != DONE && work < budget) {
        if (step == BEGIN_LEVELS || step == BEGIN_SIDE) {
            for (uint i = 0; i < tail; ++i)
                level[queue[i]] = UNSEEN;
            work += tail;
            const uint root = step == BEGIN_SIDE ? source : sink;
            queue[0] = (int)root;
            level[root] = 0;
            head = 0;
            tail = 1;
            step = step == BEGIN_SIDE ? SIDE : LEVELS;
        }
        if (step == LEVELS) {
            for (; head < tail && work < budget && level[source] == UNSEEN; ++head) {
                const uint vertex = (uint)queue[head], end = first[vertex + 1], further = level[vertex] + 1;
                for (uint arc = first[vertex]; arc < end; ++arc) {
                    const uint next = (uint)arcs[arc].head;
                    if (arcs[arc].opposite > 0 && level[next] == UNSEEN) {
                        level[next] = further;
                        position[next] = first[next];
                        queue[tail++] = (int)next;
                    }
                }
                work += 1 + end - first[vertex];
            }
            if (level[source] != UNSEEN) {
                step = PATHS;
                depth = 0;
                left[0] = (AMOUNT)bound;
                sent[0] = 0;
                ++state[PHASES];
            } else if (head == tail) {
                step = BEGIN_SIDE;
            }
        }
        if (step == PATHS) {
            uint vertex = depth == 0 ? source : (uint)arcs[path[depth - 1]].head;
            while (work < budget) {
                const uint end = first[vertex + 1], nearer = level[vertex] - 1;
                uint arc = position[vertex];
                const uint from = arc;
                if (vertex == sink) {
                    sent[depth] = left[depth];
                    left[depth] = 0;
                } else {
                    while (arc < end && (arcs[arc].residual == 0 || level[arcs[arc].head] != nearer))
                        ++arc;
                    position[vertex] = arc;
                    work += 1 + arc - from;
                    if (arc < end && left[depth] > 0) {
                        path[depth] = arc;
                        left[depth + 1] = min(left[depth], arcs[arc].residual);
                        sent[depth + 1] = 0;
                        vertex = (uint)arcs[arc].head;
                        ++depth;
                        continue;
                    }
                }
                if (depth > 0 && left[depth] > 0)
                    level[vertex] = UNSEEN;  // nothing more gets through
                while (depth > 0) {          // back to where something is left
                    const uint taken = path[depth - 1], back = arcs[taken].reverse;
                    const AMOUNT amount = sent[depth];
                    arcs[taken].residual -= amount;
                    arcs[taken].opposite += amount;
                    arcs[back].residual += amount;
                    arcs[back].opposite -= amount;
                    vertex = (uint)arcs[back].head;
                    --depth;
                    left[depth] -= amount;
                    sent[depth] += amount;
                    ++work;
                    if (left[depth] > 0)
                        break;
                }
                if (depth == 0 && (left[0] == 0 || position[source] == first[source + 1])) {
                    state[FLOW] += sent[0];
                    step = BEGIN_LEVELS;
                    break;
                }
            }
        }
        if (step == SIDE) {
            for (; head < tail && work < budget; ++head) {
                const uint vertex = (uint)queue[head], end = first[vertex + 1];
                for (uint arc = first[vertex]; arc < end; ++arc) {
                    const uint next = (uint)arcs[arc].head;
                    if (arcs[arc].residual > 0 && level[next] == UNSEEN) {
                        level[next] = 0;
                        queue[tail++] = (int)next;
                    }
                }
                work += 1 + end - first[vertex];
            }
            if (head == tail)
                step = DONE;
        }
    }
    state[STEP] = step;
    state[HEAD] = head;
    state[TAIL] = tail;
    state[DEPTH] = depth;
}

// What flows along each edge.
WORK_GROUP(1, 1, 1)
__kernel void write_flow(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                         __global const CAPACITY *restrict capacities, __global const uint *restrict first,
                         __global const Arc *restrict arcs, __global CAPACITY *restrict flow, const ulong bound,
                         const ulong begin, const ulong end)
{
    for (ulong vertex = begin; vertex < end; ++vertex) {
        uint arc = first[vertex];
        for (POINTER edge = indptr[vertex]; edge < indptr[vertex + 1]; ++edge, ++arc) {
            while (arcs[arc].head != (int)indices[edge])
                ++arc;
            const ulong capacity = min((ulong)capacities[edge], bound), residual = (ulong)arcs[arc].residual;
            flow[edge] =
                (long)indices[edge] == (long)vertex || residual > capacity ? 0 : (CAPACITY)(capacity - residual);
        }
    }
}

// What flows along each arc, less what flows back.
WORK_GROUP(1, 1, 1)
__kernel void write_net(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                        __global const CAPACITY *restrict capacities, __global const uint *restrict first,
                        __global const Arc *restrict arcs, __global int *restrict heads,
                        __global CAPACITY *restrict net, const ulong bound, const ulong begin, const ulong end)
{
    for (ulong vertex = begin; vertex < end; ++vertex) {
        POINTER edge = indptr[vertex];
        for (uint arc = first[vertex]; arc < first[vertex + 1]; ++arc) {
            ulong capacity = 0;
            if (edge < indptr[vertex + 1] && (int)indices[edge] == arcs[arc].head)
                capacity = min((ulong)capacities[edge++], bound);
            heads[arc] = arcs[arc].head;
            net[arc] = arcs[arc].head == (int)vertex ? 0 : (CAPACITY)(capacity - (ulong)arcs[arc].residual);
        }
    }
}
