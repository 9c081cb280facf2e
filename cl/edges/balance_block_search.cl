// Block search: in each step a work-item takes one unit, whose item it finds in the running sums of the work-group.
//
// Source:       Busato and Bombieri (2017), section 5.4.
// Macros:       UNITS_AT_ONCE, 1; those of edges/balance.cl.

#if UNITS_AT_ONCE != 1
#error "edges/balance_block_search.cl needs UNITS_AT_ONCE of 1"
#endif

bool share_out(BALANCED *what, const uint units, __local uint *sums, const uint most)
{
    const uint item = get_local_id(0), total = sum_up(sums, units);
    for (uint step = 0; total <= most && step < total; step += GROUP_SIZE) {
        const uint number = step + item;
        if (number < total) {
            const uint owner = owner_of(sums, number);
            visit(what, owner, number - (owner ? sums[owner - 1] : 0), 1);
        }
        after_step(what);
    }
    barrier(CLK_LOCAL_MEM_FENCE);  // the sums are about to be replaced
    return total <= most;
}
