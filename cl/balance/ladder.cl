// The ladder of load balancing over a whole launch: prefix sums of items go in, and each unit comes out once, at one of
// the work-items, with the item that it belongs to.
//
// Source:       Busato and Bombieri (2017), section 5; a file for each rung.
// Local memory: LADDER_WORDS words of 32 bits.
// Macros:       LADDER, the rung, one of those below; BALANCED, the type of what is visited; GROUP_SIZE, work-items of a
//               work-group, but for DIRECT_SEARCH a power of 2 from 32 on;
//               WIDTH, of a virtual warp, or of the widest, a power of 2 up to 32; LARGE, units of an item from which on
//               all work-groups share it (balance/dynamic_virtual_warps.cl); EACH, items and units of a work-item in a
//               tile, and PORTIONS, in how many parts it goes through them (balance/multi_phase.cl);
//               those of balance/units.cl, balance/merge_path.cl and balance/direct_search.cl.
//
// The file that includes this one defines
//   visit      for work on every `stride`-th unit of an item, from `first` on and below `end`, by one work-item: at
//              least one unit
// and all work-items of a launch together call
//   share_out  with `words`, the local memory, and with what the rung's own kernel has prepared for this launch:
//              `plan`, of splits (balance/partition.cl) or of large items (balance/large_items.cl), and `turn`

#if !defined(LADDER) || !defined(BALANCED) || !defined(GROUP_SIZE)
#error "balance/ladder.cl needs the macros LADDER, BALANCED and GROUP_SIZE"
#endif
#if !defined(WIDTH) || !defined(LARGE) || !defined(PORTIONS)
#error "balance/ladder.cl needs the macros WIDTH, LARGE and PORTIONS"
#endif

// Rungs.
#define DIRECT_SEARCH 1
#define ITEMS 2
#define VIRTUAL_WARPS 3
#define DYNAMIC_VIRTUAL_WARPS 4
#define CTA_WARP_SCAN 5
#define WARP_SEARCH 6
#define BLOCK_SEARCH 7
#define TWO_PHASE 8
#define MULTI_PHASE 9

#if LADDER != DIRECT_SEARCH && (GROUP_SIZE < 32 || GROUP_SIZE & (GROUP_SIZE - 1))
#error "balance/ladder.cl: GROUP_SIZE has to be a power of 2 from 32 on"
#endif

#define WARP 32  // work-items that the survey takes for a warp; nothing here needs them to run in step

#include "balance/units.cl"

void visit(const BALANCED *what, const uint item, const ulong first, const ulong end, const uint stride);

#include "balance/direct_search.cl"
#include "balance/items.cl"
#include "balance/virtual_warps.cl"
#include "balance/dynamic_virtual_warps.cl"
#include "balance/cta_warp_scan.cl"
#include "balance/warp_search.cl"
#include "balance/block_search.cl"
#include "balance/two_phase.cl"
#include "balance/multi_phase.cl"
