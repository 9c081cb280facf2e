// Running sums in a work-group, and the search in them.
//
// Source:       the scan of Hillis and Steele (1986); block search of Busato and Bombieri (2017), section 5.4.
// Macros:       GROUP_SIZE, a power of 2.

#ifndef GROUP_SIZE
#error "edges/balance_sums.cl needs the macro GROUP_SIZE"
#endif

// Running sums of one number a work-item, in their order; returns the sum of all.
uint sum_up(__local uint *sums, const uint number)
{
    const uint item = get_local_id(0);
    uint sum = number;
    sums[item] = sum;
    for (uint stride = 1; stride < GROUP_SIZE; stride *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item >= stride)
            sum += sums[item - stride];
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sums[GROUP_SIZE - 1];
}

// Whose share the unit of this number is: how many of the running sums it is not below.
uint owner_of(__local const uint *sums, const uint number)
{
    uint owner = 0;
    for (uint step = GROUP_SIZE / 2; step; step /= 2)
        owner += sums[owner + step - 1] <= number ? step : 0;
    return owner;
}
