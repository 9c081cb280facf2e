// Strongly connected components by a search in depth, by one work-item.
//
// Source:       Pearce, "An improved algorithm for finding the strongly connected components of a directed graph" (2005):
//               one number for each vertex says whether, and when, it was found, and then that it is done.
// NDRange:      search, rank_components and add_up (1), write_labels as many work-items as compute units; work-group (1).
//               A launch of search ends after about `budget` edges, and the next one goes on from there; the others
//               take the vertices `from` to `to` - 1.
// Local memory: none.
// Macros:       POINTER, type of row pointers, and INDEX, of columns: int or long;
//               DESCENDING, 1: a vertex looks at its edges from the last one to the first, as SciPy's does before 1.18;
//               PREFETCH_BUILT_IN (core/prefetch.cl).
//   indptr      in   (n + 1) row pointers
//   indices     in   (m) columns, in any order
//   found       i/o  (n) 0 at first; then 1 for the vertex that is found first, and so on; then the smallest number that
//                    is known to lie on a cycle with the vertex; and DONE(level) when its component is known
//   components  i/o  (n) number of the component, in the order in which they are done
//   frames      i/o  (n) the path from the vertex where the search has begun, but for its last vertex once it goes on
//   waiting     i/o  (n) vertices that the search has left, and whose components are not known
//   state       i/o  STATE_WORDS words
//   ranks       i/o  (components) -1 at first; then which one each is of its level, by its smallest vertex
//   sizes       i/o  (components) 0 at first; then components of each level, and at last of it and all lower ones
//   labels      out  (n) number of the component: those of lower levels come first, and of these those of smaller vertices
//
// The level of a component is the number of edges between components on the longest path that leaves it. One that leads
// to another has a higher level: numbers are in reverse topological order.

#if !defined(POINTER) || !defined(INDEX) || !defined(DESCENDING)
#error "components/depth_first.cl needs the macros POINTER, INDEX and DESCENDING"
#endif

#include "core/language.cl"
#include "core/prefetch.cl"

#define FOUND 0   // vertices, and one more
#define DEPTH 1   // frames
#define TOP 2     // vertices that are waiting
#define NEXT 3    // vertex to begin with, if the last search has ended
#define COUNT 4   // components that are done
#define LEVELS 5  // that there are among them
#define STATE_WORDS 6

#define ASKED 2

#define DONE(level) (-1 - (level))  // a smaller number for a higher level
#define LEVEL_OF(done) (-1 - (done))

#if DESCENDING
#define BEGIN_OF(vertex) (indptr[(vertex) + 1] - 1)
#define END_OF(vertex) (indptr[vertex] - 1)
#define STEP (-1)
#else
#define BEGIN_OF(vertex) indptr[vertex]
#define END_OF(vertex) indptr[(vertex) + 1]
#define STEP 1
#endif

typedef struct {
    POINTER entry;  // where to go on
    int vertex;
    uint own;    // number that the vertex was given
    uint low;    // smallest number on a cycle with it
    int behind;  // 0, or DONE of the highest level among the components that its edges lead to
} Frame;

// Asks for what a search looks at when it comes to the first ASKED edges of a vertex, or, if there are fewer, to edges
// behind them: a loop whose end cannot be predicted takes longer.
void ask_for(__global const POINTER *indptr, __global const INDEX *indices, __global const int *found,
             const POINTER entry, const POINTER last)
{
    for (int each = 0; each < ASKED && last >= 0; ++each) {
        const INDEX target = indices[DESCENDING ? max(entry - each, (POINTER)0) : min(entry + each, last)];
        PREFETCH(found + target);
        PREFETCH(indptr + target);
    }
}

WORK_GROUP(1, 1, 1)
__kernel void search(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                     __global int *restrict found, __global int *restrict components, __global Frame *restrict frames,
                     __global int *restrict waiting, __global uint *restrict state, const ulong budget, const uint n)
{
    uint numbers = state[FOUND], depth = state[DEPTH], top = state[TOP], next = state[NEXT], count = state[COUNT];
    int deepest = -(int)state[LEVELS];
    const POINTER last = indptr[n] - 1;
    ulong steps = 0;
    Frame frame = {0, 0, 0, 0, 0};
    if (depth > 0)
        frame = frames[depth - 1];
    while (steps < budget) {
        if (depth == 0) {
            while (next < n && found[next] != 0 && steps < budget) {
                ++next;
                ++steps;
            }
            if (next == n || found[next] != 0)
                break;
            found[next] = (int)++numbers;
            frame = (Frame){BEGIN_OF(next), (int)next, numbers, numbers, 0};
            depth = 1;
            ask_for(indptr, indices, found, frame.entry, last);
        }
        const POINTER end = END_OF(frame.vertex);
        int child = -1;
        while (frame.entry != end && steps < budget) {
            const int target = (int)indices[frame.entry], seen = found[target];
            frame.entry += STEP;
            ++steps;
            if (seen == 0) {
                child = target;
                break;
            }
            frame.low = min(frame.low, (uint)seen);  // what is done is larger than every number
            frame.behind = min(frame.behind, seen);
        }
        ++steps;
        if (child >= 0) {
            frames[depth - 1] = frame;
            found[child] = (int)++numbers;
            frame = (Frame){BEGIN_OF(child), child, numbers, numbers, 0};
            ++depth;
            ask_for(indptr, indices, found, frame.entry, last);
            continue;
        }
        if (frame.entry != end)
            break;
        if (frame.low == frame.own) {  // no edge leads back beyond this vertex
            const int done = frame.behind - 1;
            while (top > 0 && (uint)found[waiting[top - 1]] >= frame.own) {
                --top;
                found[waiting[top]] = done;
                components[waiting[top]] = (int)count;
            }
            found[frame.vertex] = done;
            components[frame.vertex] = (int)count++;
            deepest = min(deepest, done);
            frame.low = UINT_MAX;
            frame.behind = done;
        } else {
            found[frame.vertex] = (int)frame.low;
            waiting[top++] = frame.vertex;
        }
        if (--depth > 0) {
            const Frame child_frame = frame;
            frame = frames[depth - 1];
            frame.low = min(frame.low, child_frame.low);
            frame.behind = min(frame.behind, child_frame.behind);
        }
    }
    if (depth > 0)
        frames[depth - 1] = frame;
    state[FOUND] = numbers;
    state[DEPTH] = depth;
    state[TOP] = top;
    state[NEXT] = next;
    state[COUNT] = count;
    state[LEVELS] = (uint)-deepest;
}

WORK_GROUP(1, 1, 1)
__kernel void rank_components(__global const int *restrict found, __global const int *restrict components,
                              __global int *restrict ranks, __global uint *restrict sizes, const ulong from,
                              const ulong to)
{
    for (ulong vertex = from; vertex < to; ++vertex) {
        const int component = components[vertex];
        if (ranks[component] < 0)  // this is its smallest vertex
            ranks[component] = (int)sizes[LEVEL_OF(found[vertex])]++;
    }
}

WORK_GROUP(1, 1, 1)
__kernel void add_up(__global uint *restrict sizes, const ulong from, const ulong to)
{
    uint before = from > 0 ? sizes[from - 1] : 0;
    for (ulong level = from; level < to; ++level) {
        const uint size = sizes[level];
        before += size;
        sizes[level] = before;
    }
}

WORK_GROUP(1, 1, 1)
__kernel void write_labels(__global const int *restrict found, __global const int *restrict components,
                           __global const int *restrict ranks, __global const uint *restrict sizes,
                           __global int *restrict labels, const ulong from, const ulong to)
{
    const ulong last = from + (to - from) * (get_global_id(0) + 1) / get_global_size(0);
    for (ulong vertex = from + (to - from) * get_global_id(0) / get_global_size(0); vertex < last; ++vertex) {
        const int level = LEVEL_OF(found[vertex]);
        labels[vertex] = (int)(level > 0 ? sizes[level - 1] : 0) + ranks[components[vertex]];
    }
}
