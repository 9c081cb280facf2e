// An arc of a residual graph: one for each ordered pair of vertices between which there is an edge in either direction.
//
// Macros: AMOUNT, what holds the capacity of a pair, both directions together: uint or ulong.

#ifndef AMOUNT
#error "flow/arc.cl needs the macro AMOUNT"
#endif

#include "core/language.cl"

typedef struct {
    int head;         // vertex that it leads to
    uint reverse;     // index of the arc that leads back
    AMOUNT residual;  // what more can flow along it
    AMOUNT opposite;  // the same of its reverse, so that a search against the arcs stays in one row
} Arc;
