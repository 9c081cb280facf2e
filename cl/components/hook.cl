// Trees of vertices that are connected, which grow together: each vertex has a parent, which is no larger than itself.
//
// Source:  Sutton, Ben-Nun and Barak, "Optimizing parallel graph connectivity computation via subgraph sampling",
//          IPDPS 2018: a root becomes the child of a smaller one. The last root is thus the smallest vertex.
// Macros:  ATOMIC, 0: there is a single work-item; core/loads.cl.
//
// A work-item that reads a parent that has changed since reads another vertex of the same tree, which is one above it.

#ifndef ATOMIC
#error "components/hook.cl needs the macro ATOMIC"
#endif

#include "core/loads.cl"

// Whether a root has got a parent; not if it has one already.
bool hooked(volatile __global int *parents, const int root, const int parent)
{
#if ATOMIC
    return atomic_cmpxchg(&parents[root], root, parent) == root;
#else
    parents[root] = parent;
    return true;
#endif
}

// Makes one tree of those of two vertices. Each vertex on the way skips one from now on, so that the next way is shorter.
void link(volatile __global int *parents, const int one, const int other)
{
    int a = LOAD(&parents[one]), b = LOAD(&parents[other]);
    while (a != b) {
        const int high = max(a, b), low = min(a, b), above = LOAD(&parents[high]);
        if (above == low || (above == high && hooked(parents, high, low)))
            break;
        a = LOAD(&parents[above]);
        STORE(&parents[high], a);
        b = LOAD(&parents[low]);
    }
}

// Returns the root of a vertex. Nothing is written on the way: what was above a vertex when it was read may no longer be
// its root when it is written, and would undo what the one who settled it has written meanwhile.
int root_of(volatile __global int *parents, int vertex)
{
    for (int above = LOAD(&parents[vertex]); above != vertex; above = LOAD(&parents[vertex]))
        vertex = above;
    return vertex;
}
