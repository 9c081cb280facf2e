// What rows of an auction offer for columns: costs are weights, less `shift`, times `scale`, less `price`. INDEX is the
// type of columns; NEGATED is 1 where negative weights count.

#if !defined(INDEX) || !defined(NEGATED)
#error "assignment/offers.cl needs INDEX and NEGATED"
#endif

#if NEGATED
#define WEIGHT_OF(edge) (shift - (long)values[edge])
#else
#define WEIGHT_OF(edge) ((long)values[edge] - shift)
#endif

// What an edge of the row costs, less the price of its column.
#define OFFER_OF(edge) ((Offer){WEIGHT_OF(edge) * scale - price[indices[edge]], LONG_MAX, edge})

typedef struct {
    long best, second;  // cost of the best edge of a row, and of the best one to another column
    long edge;          // the best one; -1 if there is none
} Offer;

// The better one of two offers of a row; of equal ones the first edge. Edges to one column do not compete.
Offer better(const Offer a, const Offer b, __global const INDEX *restrict indices)
{
    if (a.edge < 0)
        return b;
    if (b.edge < 0)
        return a;
    const bool is_first = a.best < b.best || (a.best == b.best && a.edge < b.edge);
    Offer won = is_first ? a : b;
    const Offer lost = is_first ? b : a;
    won.second = min(won.second, lost.second);
    if (indices[lost.edge] != indices[won.edge])
        won.second = min(won.second, lost.best);
    return won;
}

// The best of the offers of a team of work-items, of which this one is `member`, in the first one's `offers`: for all
// work-items of a work-group at once.
void gather(__local Offer *restrict offers, const uint item, const uint member, const uint team,
            __global const INDEX *restrict indices)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = team / 2; distance > 0; distance /= 2) {
        if (member < distance)
            offers[item] = better(offers[item], offers[item + distance], indices);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// By how much the best edge is ahead; 0 if there is no other column.
long ahead(const Offer offer)
{
    return offer.second < LONG_MAX ? offer.second - offer.best : 0;
}
