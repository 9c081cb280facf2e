// Items to work-items: each work-item visits the units of its own item, without a sum, a search or a barrier.
//
// Source:       Busato and Bombieri (2017), section 5.1.
// Macros:       those of edges/balance.cl.

#if BALANCE == ITEMS
bool share_out(BALANCED *what, const uint units, __local uint *sums, const uint most)
{
    for (uint first = 0; first < units; first += UNITS_AT_ONCE)
        visit(what, get_local_id(0), first, min(units - first, (uint)UNITS_AT_ONCE));
    return true;
}
#endif
