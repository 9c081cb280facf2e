// Two-phase search: all prefix sums are cut into tiles before; a work-group loads those of a tile, and each work-item
// takes an equal part of the tile, one unit behind the other.
//
// Source: Busato and Bombieri (2017), section 5.3.4, "expansion".
// Macros: those of balance/ladder.cl, balance/merge_path.cl.
//   plan  in  splits, see balance/partition.cl

#include "balance/tiles.cl"

#if LADDER == TWO_PHASE
#define LADDER_WORDS (TILE + 1)

void share_out(const BALANCED *what, const Items *items, __global const uint *plan, const uint turn,
               __local uint *words)
{
    for (ulong number = get_group_id(0); number < tiles_of(items); number += get_num_groups(0)) {
        const Tile tile = load_tile(items, plan, number, words);
        uint diagonal = min((uint)get_local_id(0) * EACH, tile.ended + tile.units);
        const uint last = min(diagonal + EACH, tile.ended + tile.units);
        uint item = ended_among(&tile, words, diagonal);
        while (diagonal < last) {
            const uint unit = diagonal - item, end = min(words[item], unit + last - diagonal);
            const ulong first = items->first + tile.first_unit;
            if (unit < end)
                visit(what, tile.first_item + item, first + unit, first + end, 1);
            diagonal += end - unit + 1;  // and the item itself
            ++item;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif
