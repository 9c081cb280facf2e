// The ladder of load balancing: how a work-group shares out the units of some items, such as the edges of vertices.
//
// Source:       Busato and Bombieri (2017), section 5; LOW_DEGREE is our own.
// Macros:       BALANCE, the rung, one of those below; UNITS_AT_ONCE, units that a work-item visits at once;
//               BALANCED, the type of what is visited; GROUP_SIZE.
//
// The file that includes this one defines
//   visit       for work on `count` units of one item, at least one and at most UNITS_AT_ONCE, from `first` on, by one
//               work-item; `owner` is the work-item of the group that has brought the item
//   after_step  which all work-items call together after each step of a rung, in which each has visited once at most;
//               with a barrier
// and all work-items together call
//   share_out   each with the units of its own item, 0 if it has none, and `sums`, GROUP_SIZE words in local memory.
//               It returns whether they were visited: they are not if the group has more than `most` units, in a rung
//               that counts them

#if !defined(BALANCE) || !defined(UNITS_AT_ONCE) || !defined(BALANCED) || !defined(GROUP_SIZE)
#error "edges/balance.cl needs the macros BALANCE, UNITS_AT_ONCE, BALANCED and GROUP_SIZE"
#endif

// Rungs.
#define BLOCK_SEARCH 1
#define ITEMS 2
#define LOW_DEGREE 3  // items have UNITS_AT_ONCE units at most, which the file that includes this one visits itself

#include "edges/balance_sums.cl"

#if BALANCE != LOW_DEGREE
void visit(BALANCED *what, const uint owner, const uint first, const uint count);
void after_step(BALANCED *what);
#endif

#include "edges/balance_block_search.cl"
#include "edges/balance_items.cl"
