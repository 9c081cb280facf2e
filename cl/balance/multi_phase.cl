// Multi-phase search: as the two-phase search, but that a work-item only finds out whose its units are. The work-group
// then goes through them side by side, so that neighbours visit neighbouring units.
//
// Source: Busato and Bombieri (2017), sections 5.4 to 5.6: coalesced expansion, and iterated searches. A tile is PORTIONS
//         (their IS) times as large as what is reordered at once, and searched as often by each work-item, which keeps
//         what it finds in registers; the local memory of the prefix sums then serves to reorder it.
// Macros: those of balance/ladder.cl, balance/merge_path.cl; EACH a multiple of PORTIONS.
//   plan  in  splits, see balance/partition.cl

#if EACH % PORTIONS
#error "balance/multi_phase.cl needs EACH, a multiple of PORTIONS"
#endif

#define NO_UNIT 0xFFFFFFFFu

#if LADDER == MULTI_PHASE
#define LADDER_WORDS (TILE + 1)
#define AT_ONCE (EACH / PORTIONS)  // of the line, by a work-item

void share_out(const BALANCED *what, const Items *items, __global const uint *plan, const uint turn,
               __local uint *words)
{
    const uint own = get_local_id(0);
    for (ulong number = get_group_id(0); number < tiles_of(items); number += get_num_groups(0)) {
        const Tile tile = load_tile(items, plan, number, words);
        const uint all = tile.ended + tile.units;
        uint owners[EACH];  // of each place in the line; NO_UNIT where there is an item
        for (uint portion = 0; portion < PORTIONS; ++portion) {
            const uint diagonal = min((portion * GROUP_SIZE + own) * AT_ONCE, all);
            uint item = ended_among(&tile, words, diagonal);
            for (uint place = 0; place < AT_ONCE; ++place) {
                const bool is_unit = diagonal + place < all && diagonal + place - item < words[item];
                owners[portion * AT_ONCE + place] = is_unit ? item : NO_UNIT;
                item += diagonal + place < all && !is_unit;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const ulong first = items->first + tile.first_unit;
        for (uint portion = 0; portion < PORTIONS; ++portion) {
            for (uint place = 0; place < AT_ONCE; ++place)
                words[own * AT_ONCE + place] = owners[portion * AT_ONCE + place];
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint place = own; place < GROUP_SIZE * AT_ONCE; place += GROUP_SIZE) {
                const uint item = words[place];
                const ulong unit = first + portion * GROUP_SIZE * AT_ONCE + place - item;
                if (item != NO_UNIT)
                    visit(what, tile.first_item + item, unit, unit + 1, 1);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
#endif
