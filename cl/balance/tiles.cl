// Tiles in local memory, where each work-item searches its own part.
//
// Macros: those of balance/merge_path.cl.

#include "balance/merge_path.cl"

// A tile: `ended` items from `first_item` on end in it, of one more it may have the first units.
typedef struct {
    uint first_item, ended;
    uint first_unit, units;  // counted from the first unit of the launch on
} Tile;

// Loads how many units of a tile there are up to the end of each of its items, of TILE + 1 at most. With a barrier.
Tile load_tile(const Items *items, __global const uint *splits, const ulong number, __local uint *ends)
{
    const uint first_item = splits[number], last_item = splits[number + 1];
    const uint first_unit = (uint)(number * TILE - first_item);
    const uint last_unit = (uint)(min((number + 1) * TILE, line_of(items)) - last_item);
    const Tile tile = {first_item, last_item - first_item, first_unit, last_unit - first_unit};
    for (uint item = get_local_id(0); item <= tile.ended; item += GROUP_SIZE)
        ends[item] = item < tile.ended ? units_before(items, first_item + item + 1) - first_unit : tile.units;
    barrier(CLK_LOCAL_MEM_FENCE);
    return tile;
}

// As items_among, in a tile.
uint ended_among(const Tile *tile, __local const uint *ends, const uint diagonal)
{
    uint low = diagonal - min(diagonal, tile->units), high = min(diagonal, tile->ended);
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        if (ends[middle] <= diagonal - middle - 1)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
