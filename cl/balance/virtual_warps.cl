// Virtual warps: WIDTH neighbouring work-items take an item, and each of them every WIDTH-th of its units.
//
// Source: Busato and Bombieri (2017), section 5.1.2, Algorithm 8.
// Macros: those of balance/ladder.cl.

#if LADDER == VIRTUAL_WARPS || LADDER == DYNAMIC_VIRTUAL_WARPS
#define LADDER_WORDS 0

// Visits the units of all items that have at most so many, by virtual warps of this width.
void visit_by_warps(const BALANCED *what, const Items *items, const uint width, const ulong most)
{
    const uint lane = (uint)get_global_id(0) & (width - 1);
    const size_t warps = get_global_size(0) / width;
    for (size_t item = get_global_id(0) / width; item < items->count; item += warps) {
        const bool is_taken = items->prefixes[item + 1] - items->prefixes[item] <= most;
        const ulong first = first_unit(items, (uint)item) + lane, end = first_unit(items, (uint)item + 1);
        if (is_taken && first < end)
            visit(what, (uint)item, first, end, width);
    }
}
#endif

#if LADDER == VIRTUAL_WARPS
void share_out(const BALANCED *what, const Items *items, __global const uint *plan, const uint turn,
               __local uint *words)
{
    visit_by_warps(what, items, WIDTH, ~0ul);
}
#endif
