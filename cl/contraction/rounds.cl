// Contraction of a graph in rounds: how many shortcuts each vertex would need, which vertices go, and their shortcuts.
//
// Source:       contraction hierarchies (Geisberger, Sanders, Schultes and Delling, 2008), whose vertices are contracted
//               in independent sets (Vetter, 2009), by searches for witnesses that are bounded.
// NDRange:      global the number of searches that are listed, or of vertices of the graph; rounded up to the
//               work-group's size.
// Local memory: none.
// Macros:       SYMMETRIC, 1: each edge is there in both directions, with one weight;
//               LISTED, vertices that a search for witnesses reaches at most: 2 below a power of two up to 256;
//               FOLLOWED, most edges of a vertex that a search for witnesses follows;
//               core/out_edges.cl; core/weights.cl, with an INF that no path weighs, and twice of which fits.
//   first_out, out_edges  in   the edges that leave each vertex, and where they lead to
//   first_in, in_edges    in   the edges that end at each vertex, and where they come from
//   vertices              in   (count) the vertex that each search avoids
//   entering              in   (count) the edge, of those that end at it, where the search begins
//   settled_most          most vertices whose edges a search for witnesses follows
//   lightest              the smallest weight of an edge
//
// Paths by way of a vertex x that goes have to be kept. From u by way of x to w a shortcut is needed, unless a witness is
// found: a path from u to w that avoids x, and is shorter, or as long and avoids all other vertices that go.

#if !defined(SYMMETRIC) || !defined(LISTED) || !defined(FOLLOWED)
#error "contraction/rounds.cl needs the macros SYMMETRIC, LISTED and FOLLOWED"
#endif
#if LISTED >= 255 || (LISTED + 2) & (LISTED + 1)
#error "contraction/rounds.cl numbers the vertices of a search in bytes, and needs LISTED to be 2 below a power of two"
#endif

#include "core/out_edges.cl"

#define SLOTS (2 * (LISTED + 2))
#define NO_ENTRY 255

// The vertices that a search has reached, and a hash table of their numbers.
typedef struct {
    uint count;
    int vertex[LISTED];
    WEIGHT dist[LISTED];
    WEIGHT open[LISTED];  // the distance until the edges are followed, then one from where none is
    uchar slot[SLOTS];
} Reached;

// The slot of a vertex, or the empty one where it belongs.
uint slot_of(const Reached *reached, const int vertex)
{
    uint slot = ((uint)vertex * 2654435769u) >> 16 & (SLOTS - 1);
    while (reached->slot[slot] != NO_ENTRY && reached->vertex[reached->slot[slot]] != vertex)
        slot = (slot + 1) & (SLOTS - 1);
    return slot;
}

void reach(Reached *reached, const int vertex, const WEIGHT dist)
{
    const uint slot = slot_of(reached, vertex);
    const uint known = reached->slot[slot];
    if (known != NO_ENTRY) {
        if (dist < reached->dist[known])
            reached->dist[known] = reached->open[known] = dist;
    } else if (reached->count < LISTED) {
        reached->vertex[reached->count] = vertex;
        reached->dist[reached->count] = reached->open[reached->count] = dist;
        reached->slot[slot] = (uchar)reached->count++;
    }
}

// Reaches vertices from `source` along paths that avoid x, and weigh `limit` at most. Distances are doubled, and one more
// where the path passes a vertex that goes: a path by way of those is a witness only if it is shorter, since they may
// have been left out for each other. Edges are followed from as far as the lightest of all leads within the limit.
void look_around(Reached *reached, const int source, const int x, const WEIGHT limit,
                 __global const OFFSET *restrict first_out, __global const Edge *restrict out_edges,
                 __global const uchar *restrict goes, const uint settled_most, const WEIGHT lightest)
{
    const WEIGHT doubled = 2 * limit, closed = doubled - 2 * lightest + 1;
    reached->count = 0;
    for (uint slot = 0; slot < SLOTS; ++slot)
        reached->slot[slot] = NO_ENTRY;
    reach(reached, source, 0);
    for (uint settled = 0; settled < settled_most; ++settled) {
        uint nearest = 0;
        WEIGHT dist = closed;
        for (uint entry = 0; entry < reached->count; ++entry)
            if (reached->open[entry] < dist) {
                nearest = entry;
                dist = reached->open[entry];
            }
        if (dist == closed)
            return;
        reached->open[nearest] = closed;
        const int vertex = reached->vertex[nearest];
        const OFFSET last = first_out[vertex + 1];
        if (last - first_out[vertex] > FOLLOWED)
            continue;
        for (OFFSET edge = first_out[vertex]; edge < last; ++edge) {
            const Edge next = out_edges[edge];
            if (next.weight <= (doubled - dist) / 2 && next.target != x)
                reach(reached, next.target, (dist + 2 * next.weight) | goes[next.target]);
        }
    }
}

// Whether the pair of an edge that ends at x and one that leaves it is looked at; of two that are the same, one is.
bool is_looked_at(const int from, const int to)
{
    return SYMMETRIC ? from < to : from != to;
}

// The most that a shortcut over an edge, and then one of some others, may weigh; -1 if there is none.
WEIGHT heaviest_over(const int from, const WEIGHT weight, const OFFSET first, const OFFSET last,
                     __global const Edge *restrict out_edges)
{
    WEIGHT heaviest = -1;
    for (OFFSET edge = first; edge < last; ++edge)
        if (is_looked_at(from, out_edges[edge].target))
            heaviest = max(heaviest, out_edges[edge].weight);
    return heaviest < 0 ? -1 : min(weight + heaviest, (WEIGHT)INF - 1);
}

// Whether what was reached holds no path to w of this weight or less.
bool is_needed(const Reached *reached, const int w, const WEIGHT weight)
{
    const uint entry = reached->slot[slot_of(reached, w)];
    return weight < INF && (entry == NO_ENTRY || reached->dist[entry] > 2 * weight);
}

// How many of the shortcuts that each listed vertex would need begin where a listed edge does; no vertex goes yet.
//   needed  out  (count)
__kernel void count_shortcuts(__global const OFFSET *restrict first_out, __global const Edge *restrict out_edges,
                              __global const OFFSET *restrict first_in, __global const Edge *restrict in_edges,
                              __global const uchar *restrict goes, __global const int *restrict vertices,
                              __global const OFFSET *restrict entering, __global uint *restrict needed,
                              const uint settled_most, const WEIGHT lightest, const uint count)
{
    const size_t number = get_global_id(0);
    if (number >= count)
        return;
    const int x = vertices[number];
    const Edge from = in_edges[entering[number]];
    const OFFSET first = first_out[x], last = first_out[x + 1];
    const WEIGHT limit = heaviest_over(from.target, from.weight, first, last, out_edges);
    uint shortcuts = 0;
    if (limit >= 0) {
        Reached reached;
        look_around(&reached, from.target, x, limit, first_out, out_edges, goes, settled_most, lightest);
        for (OFFSET out = first; out < last; ++out) {
            const Edge to = out_edges[out];
            if (is_looked_at(from.target, to.target))
                shortcuts += (SYMMETRIC ? 2 : 1) * is_needed(&reached, to.target, from.weight + to.weight);
        }
    }
    needed[number] = shortcuts;
}

// The shortcuts of the vertices that go. Each has a slot for each of its edges that end there and each that leaves.
//   first_slot  in   (count) the first slot of each listed vertex
//   ends        out  (slots) from where to where a shortcut leads; -1 if none is needed
//   weights     out  (slots)
__kernel void add_shortcuts(__global const OFFSET *restrict first_out, __global const Edge *restrict out_edges,
                            __global const OFFSET *restrict first_in, __global const Edge *restrict in_edges,
                            __global const uchar *restrict goes, __global const int *restrict vertices,
                            __global const OFFSET *restrict entering, __global const ulong *restrict first_slot,
                            __global int2 *restrict ends, __global WEIGHT *restrict weights, const uint settled_most,
                            const WEIGHT lightest, const uint count)
{
    const size_t number = get_global_id(0);
    if (number >= count)
        return;
    const int x = vertices[number];
    const Edge from = in_edges[entering[number]];
    const OFFSET first = first_out[x], last = first_out[x + 1];
    const uint row = (uint)(entering[number] - first_in[x]), degree = (uint)(last - first);
    const WEIGHT limit = heaviest_over(from.target, from.weight, first, last, out_edges);
    Reached reached;
    if (limit >= 0)
        look_around(&reached, from.target, x, limit, first_out, out_edges, goes, settled_most, lightest);
    for (uint column = 0; column < degree; ++column) {
        const Edge to = out_edges[first + column];
        if (SYMMETRIC && to.target < from.target)
            continue;  // written with the other direction
        const WEIGHT weight = from.weight + to.weight;
        const bool needed = to.target != from.target && is_needed(&reached, to.target, weight);
        const size_t slot = first_slot[number] + (size_t)row * degree + column;
        ends[slot] = needed ? (int2)(from.target, to.target) : (int2)(-1);
        weights[slot] = weight;
#if SYMMETRIC
        const size_t back = first_slot[number] + (size_t)column * degree + row;
        ends[back] = needed ? (int2)(to.target, from.target) : (int2)(-1);
        weights[back] = weight;
#endif
    }
}

// The smallest of the keys of each vertex and of its neighbours, in either direction.
//   keys      in   (n)
//   smallest  out  (n)
__kernel void smallest_around(__global const OFFSET *restrict first_out, __global const Edge *restrict out_edges,
                              __global const OFFSET *restrict first_in, __global const Edge *restrict in_edges,
                              __global const ulong *restrict keys, __global ulong *restrict smallest, const uint n)
{
    const size_t vertex = get_global_id(0);
    if (vertex >= n)
        return;
    ulong key = keys[vertex];
    for (OFFSET edge = first_out[vertex]; edge < first_out[vertex + 1]; ++edge)
        key = min(key, keys[out_edges[edge].target]);
#if !SYMMETRIC
    for (OFFSET edge = first_in[vertex]; edge < first_in[vertex + 1]; ++edge)
        key = min(key, keys[in_edges[edge].target]);
#endif
    smallest[vertex] = key;
}
