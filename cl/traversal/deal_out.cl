// How the edges of several vertices, or pieces of them, are dealt out evenly to the work-items of a work-group: sums of
// their numbers, in which each work-item looks for the vertex of an edge.
//
// Source: Merrill, Garland and Grimshaw, "Scalable GPU Graph Traversal" (2012), whose scan this is.
// Macros: GROUP_SIZE, work-items of a work-group; NUMBER, an unsigned type in which all of these edges can be counted.

#if !defined(GROUP_SIZE) || !defined(NUMBER)
#error "traversal/deal_out.cl needs the macros GROUP_SIZE and NUMBER"
#endif

// Returns where the edges of each work-item's vertex end, if all of them are put in a row: one of two arrays. What a
// work-item has written to local memory before, the others may read afterwards.
__local const NUMBER *ends_of(NUMBER edges, __local NUMBER (*arrays)[GROUP_SIZE])
{
    const uint item = get_local_id(0);
    uint now = 0;
    arrays[0][item] = edges;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP_SIZE; distance *= 2) {
        edges += item >= distance ? arrays[now][item - distance] : 0;
        now = 1 - now;
        arrays[now][item] = edges;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return arrays[now];
}

// Returns the first of `count` vertices whose edges end behind an edge, which belongs to one of them.
uint place_of(const NUMBER edge, __local const NUMBER *ends, const uint count)
{
    uint place = 0, last = count - 1;
    while (place < last) {
        const uint middle = (place + last) / 2;
        if (ends[middle] > edge)
            last = middle;
        else
            place = middle + 1;
    }
    return place;
}
