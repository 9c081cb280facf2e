// A maximum flow by pushing excess and relabelling, all vertices in lock-step, by work-groups.
//
// Source:       Goldberg and Tarjan 1988, their parallel form; heights are distances again after some rounds (Cherkassky and
//               Goldberg 1997). What flows depends on the rounds alone: excess goes to the arcs of a vertex in their order.
// NDRange:      begin, reach, push and settle a work-item for each vertex; reach_hubs, push_hubs and settle_hubs a
//               work-group for each hub, the vertices with more than HUB arcs; work-group (GROUP_SIZE).
// Local memory: of the kernels for hubs GROUP_SIZE * sizeof(ulong).
// Macros:       GROUP_SIZE, a power of two; HUB; POINTER, INDEX, CAPACITY as in flow/arcs.cl; core/loads.cl.
//   indptr, indices, capacities  in  the network by rows, (n + 1), (m), (m)
//   first_in  in   (n + 1) the same by columns: where the edges that end at each vertex begin
//   tails     in   (m) the vertices that these leave
//   edges     in   (m) their indices
//   flow      i/o  (m) what flows along each edge
//   height    i/o  (n) arcs to the target, or a lower bound; UNREACHED
//   higher    out  (n) heights of the next round
//   excess    i/o  (n) what has flowed to each vertex and not on
//   incoming  i/o  (n) sums (flow/sum.cl) of what flows to each vertex in this round; 0 at first
//   hubs      in   vertices with many arcs
//   control   i/o  [DEEPEST]: the largest height in a search; [ACTIVE]: whether a vertex can push in the next round
//   bound     -    larger than any flow; a capacity above it is as good as it
// First the target is the sink, and the source takes no part; then the target is the source, to which what is left flows
// back. An arc is changed by the higher one of its two vertices alone, so that no two work-items change the same one.

#if !defined(GROUP_SIZE) || !defined(HUB) || !defined(POINTER) || !defined(INDEX) || !defined(CAPACITY)
#error "flow/push_relabel.cl needs GROUP_SIZE, HUB, POINTER, INDEX and CAPACITY"
#endif

#include "core/loads.cl"
#include "flow/sum.cl"

#define UNREACHED 0x7fffffffu

#define DEEPEST 0
#define ACTIVE 1
#define CONTROL_WORDS 2

#define NETWORK                                                                                                    \
    __global const POINTER *restrict indptr, __global const INDEX *restrict indices,                               \
        __global const CAPACITY *restrict capacities, __global const long *restrict first_in,                      \
        __global const int *restrict tails, __global const long *restrict edges, __global CAPACITY *restrict flow, \
        const ulong bound, const uint n

// Of the arcs of a vertex first those against the edges that end there, then those along the edges that leave.
#define ARCS_OF(vertex) (first_in[(vertex) + 1] - first_in[vertex] + indptr[(vertex) + 1] - indptr[vertex])
#define INWARD(vertex) (first_in[(vertex) + 1] - first_in[vertex])
#define EDGE_OF(vertex, arc) \
    ((arc) < INWARD(vertex) ? edges[first_in[vertex] + (arc)] : (long)indptr[vertex] + (arc) - INWARD(vertex))
#define HEAD_OF(vertex, arc)                                        \
    ((arc) < INWARD(vertex) ? (uint)tails[first_in[vertex] + (arc)] \
                            : (uint)indices[indptr[vertex] + (arc) - INWARD(vertex)])
// What more can flow along an arc, or along its reverse.
#define UNUSED(edge) (min((ulong)capacities[edge], bound) - (ulong)flow[edge])
#define RESIDUAL(edge, is_forward) ((is_forward) ? UNUSED(edge) : (ulong)flow[edge])

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void begin(NETWORK, __global uint *restrict incoming, const uint source)
{
    // The edges of the source, which are all filled.
    const size_t edge = indptr[source] + get_global_id(0);
    if (edge >= (size_t)indptr[source + 1] || (uint)indices[edge] == source)
        return;
    const ulong amount = min((ulong)capacities[edge], bound);
    flow[edge] = (CAPACITY)amount;
    add_to_sum(&incoming[(size_t)indices[edge] * SUM_WORDS], amount);
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void begin_search(__global uint *restrict height, __global uint *restrict control, const uint root,
                           const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex < n)
        height[vertex] = vertex == root ? 0 : UNREACHED;
    if (vertex == 0)
        control[DEEPEST] = 0;
}

// Gives a height to what an arc leads to, or comes from.
#define REACH(arc)                                                                               \
    {                                                                                            \
        const uint next = HEAD_OF(vertex, arc);                                                  \
        const bool is_along = (arc) >= INWARD(vertex);                                           \
        if (next != blocked && RESIDUAL(EDGE_OF(vertex, arc), is_along == (forward != 0)) > 0 && \
            atomic_cmpxchg(&height[next], UNREACHED, level + 1) == UNREACHED)                    \
            atomic_max(&control[DEEPEST], level + 1);                                            \
    }

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void reach(NETWORK, __global uint *restrict height, __global uint *restrict control, const uint level,
                    const uint blocked, const uint forward)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n || LOAD(&height[vertex]) != level || ARCS_OF(vertex) > HUB)
        return;
    for (long arc = 0; arc < ARCS_OF(vertex); ++arc)
        REACH(arc)
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void reach_hubs(NETWORK, __global uint *restrict height, __global uint *restrict control, const uint level,
                         const uint blocked, const uint forward, __global const int *restrict hubs)
{
    const size_t vertex = hubs[get_group_id(0)];
    if (LOAD(&height[vertex]) != level)
        return;  // as all of the work-group see it: no other than this level is given meanwhile but the next one
    for (long arc = get_local_id(0); arc < ARCS_OF(vertex); arc += GROUP_SIZE)
        REACH(arc)
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void push(NETWORK, __global const uint *restrict height, __global ulong *restrict excess,
                   __global uint *restrict incoming, const uint source, const uint sink)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n || vertex == source || vertex == sink || excess[vertex] == 0 || height[vertex] >= n ||
        ARCS_OF(vertex) > HUB)
        return;
    ulong left = excess[vertex];
    for (long arc = 0; left > 0 && arc < ARCS_OF(vertex); ++arc) {
        const uint next = HEAD_OF(vertex, arc);
        if (height[next] + 1 != height[vertex])
            continue;
        const bool is_along = arc >= INWARD(vertex);
        const long edge = EDGE_OF(vertex, arc);
        const ulong amount = min(left, RESIDUAL(edge, is_along));
        if (amount == 0)
            continue;
        flow[edge] += is_along ? (CAPACITY)amount : -(CAPACITY)amount;
        add_to_sum(&incoming[(size_t)next * SUM_WORDS], amount);
        left -= amount;
    }
    excess[vertex] = left;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void push_hubs(NETWORK, __global const uint *restrict height, __global ulong *restrict excess,
                        __global uint *restrict incoming, const uint source, const uint sink,
                        __global const int *restrict hubs)
{
    __local ulong sums[GROUP_SIZE];
    const size_t vertex = hubs[get_group_id(0)];
    const uint item = get_local_id(0);
    const bool is_active = vertex != source && vertex != sink && height[vertex] < n;
    const ulong whole = is_active ? excess[vertex] : 0;  // the same for all of the work-group
    ulong left = whole;
    for (long first = 0; left > 0 && first < ARCS_OF(vertex); first += GROUP_SIZE) {
        const long arc = first + item;
        const bool is_arc = arc < ARCS_OF(vertex);
        const uint next = is_arc ? HEAD_OF(vertex, arc) : 0;
        const bool is_admissible = is_arc && height[next] + 1 == height[vertex];
        const bool is_along = is_arc && arc >= INWARD(vertex);
        const long edge = is_admissible ? EDGE_OF(vertex, arc) : 0;
        const ulong most = is_admissible ? RESIDUAL(edge, is_along) : 0;
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        sums[item] = most;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint distance = 1; distance < GROUP_SIZE; distance *= 2) {
            const ulong before = item >= distance ? sums[item - distance] : 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            sums[item] = add_sat(sums[item], before);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const ulong taken = item > 0 ? sums[item - 1] : 0, amount = taken < left ? min(most, left - taken) : 0;
        if (amount > 0) {
            flow[edge] += is_along ? (CAPACITY)amount : -(CAPACITY)amount;
            add_to_sum(&incoming[(size_t)next * SUM_WORDS], amount);
        }
        left -= min(left, sums[GROUP_SIZE - 1]);
    }
    if (whole > 0 && item == 0)  // all have read it, before the first barrier
        excess[vertex] = left;
}

// What has come is taken, and a vertex that has something left gets the smallest height from which it can push.
#define SETTLE(lowest)                                                                                          \
    {                                                                                                           \
        const ulong come = (ulong)incoming[vertex * SUM_WORDS] | (ulong)incoming[vertex * SUM_WORDS + 1] << 32; \
        for (uint word = 0; word < SUM_WORDS; ++word)                                                           \
            incoming[vertex * SUM_WORDS + word] = 0;                                                            \
        const uint raised = is_stuck ? min((lowest) + 1, UNREACHED) : height[vertex];                           \
        higher[vertex] = raised;                                                                                \
        excess[vertex] += come;                                                                                 \
        if (vertex != source && vertex != sink && raised < n && excess[vertex] > 0)                             \
            atomic_or(&control[ACTIVE], 1u);                                                                    \
    }

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void settle(NETWORK, __global const uint *restrict height, __global uint *restrict higher,
                     __global ulong *restrict excess, __global uint *restrict incoming, __global uint *restrict control,
                     const uint source, const uint sink)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n || ARCS_OF(vertex) > HUB)
        return;
    const bool is_stuck = vertex != source && vertex != sink && excess[vertex] > 0 && height[vertex] < n;
    uint lowest = UNREACHED;
    for (long arc = 0; is_stuck && arc < ARCS_OF(vertex); ++arc)
        if (RESIDUAL(EDGE_OF(vertex, arc), arc >= INWARD(vertex)) > 0)
            lowest = min(lowest, height[HEAD_OF(vertex, arc)]);
    SETTLE(lowest)
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void settle_hubs(NETWORK, __global const uint *restrict height, __global uint *restrict higher,
                          __global ulong *restrict excess, __global uint *restrict incoming,
                          __global uint *restrict control, const uint source, const uint sink,
                          __global const int *restrict hubs)
{
    __local uint lows[GROUP_SIZE];
    const size_t vertex = hubs[get_group_id(0)];
    const uint item = get_local_id(0);
    const bool is_stuck = vertex != source && vertex != sink && excess[vertex] > 0 && height[vertex] < n;
    uint lowest = UNREACHED;
    for (long arc = item; is_stuck && arc < ARCS_OF(vertex); arc += GROUP_SIZE)
        if (RESIDUAL(EDGE_OF(vertex, arc), arc >= INWARD(vertex)) > 0)
            lowest = min(lowest, height[HEAD_OF(vertex, arc)]);
    lows[item] = lowest;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // all have read what is changed below
    for (uint distance = GROUP_SIZE / 2; distance > 0; distance /= 2) {
        if (item < distance)
            lows[item] = min(lows[item], lows[item + distance]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        SETTLE(lows[0])
}
