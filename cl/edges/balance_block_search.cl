// Block search: in each step a work-item takes one unit, whose item it finds in the running sums of the work-group.
//
// Source:       Busato and Bombieri (2017), section 5.4.
// Macros:       UNITS_AT_ONCE, 1; those of edges/balance.cl.

#if BALANCE == BLOCK_SEARCH && UNITS_AT_ONCE != 1
#error "edges/balance_block_search.cl needs UNITS_AT_ONCE of 1"
#endif

#if BALANCE == BLOCK_SEARCH
bool share_out(BALANCED *what, const uint units, __local uint *sums, const uint most)
{
    const uint item = get_local_id(0), total = sum_up(sums, units), visited = total <= most ? total : 0;
    uint step = 0;
    do {  // once at least, for the sake of its barriers: the sums are about to be replaced
        const uint number = step + item;
        if (number < visited) {
            const uint owner = owner_of(sums, number);
            visit(what, owner, number - (owner ? sums[owner - 1] : 0), 1);
        }
        after_step(what);
        step += GROUP_SIZE;
    } while (step < visited);
    return total <= most;
}
#endif
