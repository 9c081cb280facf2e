// Rounds of an auction in which few rows are free, many in one launch, by one work-group.
//
// Source:       Bertsekas 1988, the Jacobi form, as in assignment/auction_rounds.cl: the same rows bid the same.
// NDRange:      (GROUP_SIZE); work-group (GROUP_SIZE).
// Local memory: GROUP_SIZE * 3 * sizeof(long) + MOST_FREE * (sizeof(long) + 2 * sizeof(int)) + 4.
// Macros:       GROUP_SIZE and TEAM, powers of two, the latter not above the former, work-items for a row at least; POINTER,
//               type of row pointers, and INDEX, of columns: int or long; VALUE, type of weights: int or long; NEGATED, 1 to
//               find the maximum weight.
//   indptr, indices, values  in  the matrix by rows, (rows + 1), (m), (m)
//   edge_of   i/o  (rows) index of the edge by which each row is matched; -1 for none
//   row_of    i/o  (rows) the row that each column is matched with; -1 for none
//   price     i/o  (rows) of columns
//   control   out  [FREE]: rows that are free at the end; [ROUNDS]: rounds that were made, of `budget` at most, and none if
//                  more than MOST_FREE rows are free
//   shift     -    what is taken from every weight
//   scale     -    what weights are multiplied by then
//   widest    -    work-items for a row at most, a power of two from TEAM to GROUP_SIZE

#if !defined(GROUP_SIZE) || !defined(TEAM) || !defined(POINTER) || !defined(INDEX) || !defined(VALUE) || \
    !defined(NEGATED)
#error "assignment/auction_few.cl needs GROUP_SIZE, TEAM, POINTER, INDEX, VALUE and NEGATED"
#endif

#include "core/language.cl"

#include "assignment/offers.cl"

#define FREE 0
#define ROUNDS 1
#define CONTROL_WORDS 2

#define MOST_FREE (GROUP_SIZE / TEAM)

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void rounds_of_few(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                            __global const VALUE *restrict values, __global long *restrict edge_of,
                            __global int *restrict row_of, __global long *restrict price,
                            __global uint *restrict control, const long shift, const long scale, const long epsilon,
                            const uint rows, const uint widest, const uint budget)
{
    __local Offer offers[GROUP_SIZE];
    __local long bids[MOST_FREE];
    __local int columns[MOST_FREE], free_rows[MOST_FREE];
    __local uint count;
    const uint item = get_local_id(0);
    if (item == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t row = item; row < rows; row += GROUP_SIZE)
        if (edge_of[row] < 0) {
            const uint position = atomic_inc(&count);
            if (position < MOST_FREE)
                free_rows[position] = (int)row;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint left = count, rounds = 0;
    while (0 < left && left <= MOST_FREE && rounds < budget) {
        uint width = widest;
        while (width * left > GROUP_SIZE)
            width /= 2;
        const uint team = item / width, member = item & (width - 1);  // Oclgrind ends at a division beside its %
        const bool is_first = team < left && member == 0;
        const int row = team < left ? free_rows[team] : -1;
        Offer offer = {LONG_MAX, LONG_MAX, -1};
        if (team < left)
            for (long edge = indptr[row] + member; edge < indptr[row + 1]; edge += width) {
                const Offer other = OFFER_OF(edge);
                offer = better(offer, other, indices);
            }
        offers[item] = offer;
        gather(offers, item, member, width, indices);
        offer = offers[item];
        const bool bids_at_all = is_first && offer.edge >= 0;
        if (is_first)
            columns[team] = -1;
        if (bids_at_all) {
            columns[team] = (int)indices[offer.edge];
            bids[team] = price[columns[team]] - ahead(offer) - epsilon;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        bool wins = bids_at_all;
        for (uint other = 0; wins && other < left; ++other)
            if (columns[other] == columns[team])
                wins = bids[team] < bids[other] || (bids[team] == bids[other] && row <= free_rows[other]);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (wins) {
            const int column = columns[team], before = row_of[column];
            if (before >= 0)
                edge_of[before] = -1;
            row_of[column] = row;
            edge_of[row] = offer.edge;
            price[column] = bids[team];
            free_rows[team] = before;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (item == 0) {
            count = 0;
            for (uint each = 0; each < left; ++each)
                if (free_rows[each] >= 0)
                    free_rows[count++] = free_rows[each];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        left = count;
        ++rounds;
    }
    if (item == 0) {
        control[FREE] = left;
        control[ROUNDS] = rounds;
    }
}
