// Trees of vertices that point to each other.
//
// Macros: those of core/loads.cl.
//
//   next  i/o  (n) where each vertex has been joined to: itself at first. The first edges in order of some trees close no
//              cycle but where two trees have the same one, and then point to each other.

#include "core/loads.cl"

#define PATIENCE 16  // steps

// The root of a tree: a vertex that points to itself, or the smaller one of two that point to each other. A search on a
// long way has vertices point to the one behind the next: the ways of many together halve from step to step. It takes any
// vertex farther on for one of these, so that loads need not be new.
int root_of(__global int *next, int vertex)
{
    for (uint step = 0;; ++step) {
        const int up = LOAD(&next[vertex]);
        if (up == vertex)
            return vertex;
        const int over = LOAD(&next[up]);
        if (over == vertex)
            return min(vertex, up);
        if (over == up)
            return up;
        if (step >= PATIENCE)
            STORE(&next[vertex], over);
        vertex = over;
    }
}
