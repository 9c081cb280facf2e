// A full matching of minimum weight of a square matrix by an auction in integers, all free rows in lock-step.
//
// Source:       Bertsekas 1988, the Jacobi form, with smaller and smaller epsilon: weights are multiplied by rows + 1, so that
//               the last auction, with epsilon 1, ends with the minimum.
// NDRange:      bid `team` work-items for each row, assign and relax for each column, in work-groups of GROUP_SIZE; restart a
//               work-item for each row, work-group (GROUP_SIZE).
// Local memory: of bid GROUP_SIZE * 3 * sizeof(long), of assign GROUP_SIZE * sizeof(int), of relax GROUP_SIZE * sizeof(long).
// Macros:       GROUP_SIZE, a power of two; POINTER, type of row pointers, and INDEX, of columns: int or long; VALUE, type of
//               weights: int or long; NEGATED, 1 to find the maximum weight.
//   indptr, indices, values  in  the matrix by rows, (rows + 1), (m), (m)
//   first_in  in   (rows + 1) the same by columns: where the entries of each column begin
//   rows_in   in   (m) their rows, ascending within a column
//   edges_in  in   (m) their indices in the matrix
//   edge_of   i/o  (rows) index of the edge by which each row is matched; -1 for none
//   row_of    i/o  (rows) the row that each column is matched with; -1 for none
//   price     i/o  (rows) of columns
//   bid_edge  i/o  (rows) the edge that each free row bids for; -1 for none
//   bid_price i/o  (rows) the price that it offers for the column
//   is_wanted i/o  (rows) whether a row bids for each column; 0 at first
//   control   i/o  [ANY]: whether a price has changed
//   shift     -    what is taken from every weight
//   scale     -    what weights are multiplied by then
//   team      -    a power of two, not above GROUP_SIZE
// A row reads prices alone, and a column the bids of its rows: no word is read and changed in one launch.

#if !defined(GROUP_SIZE) || !defined(POINTER) || !defined(INDEX) || !defined(VALUE) || !defined(NEGATED)
#error "assignment/auction_rounds.cl needs GROUP_SIZE, POINTER, INDEX, VALUE and NEGATED"
#endif

#include "core/language.cl"

#define ANY 0
#define CONTROL_WORDS 1

#include "assignment/offers.cl"

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void restart(__global long *restrict edge_of, __global int *restrict row_of, const uint rows)
{
    const size_t row = get_global_id(0);
    if (row >= rows)
        return;
    edge_of[row] = -1;
    row_of[row] = -1;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void bid(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                  __global const VALUE *restrict values, __global const long *restrict edge_of,
                  __global const long *restrict price, __global long *restrict bid_edge,
                  __global long *restrict bid_price, __global uint *restrict is_wanted, const long shift,
                  const long scale, const long epsilon, const uint rows, const uint team)
{
    __local Offer offers[GROUP_SIZE];
    const size_t row = get_global_id(0) / team;
    const uint item = get_local_id(0), member = item % team;
    const bool is_free = row < rows && edge_of[row] < 0;
    Offer offer = {LONG_MAX, LONG_MAX, -1};
    if (is_free)
        for (long edge = indptr[row] + member; edge < indptr[row + 1]; edge += team) {
            const Offer other = OFFER_OF(edge);
            offer = better(offer, other, indices);
        }
    offers[item] = offer;
    gather(offers, item, member, team, indices);
    if (row >= rows || member > 0)
        return;
    offer = offers[item];
    bid_edge[row] = offer.edge;
    if (offer.edge < 0)
        return;
    const size_t column = indices[offer.edge];
    bid_price[row] = price[column] - ahead(offer) - epsilon;
    atomic_or(&is_wanted[column], 1u);
}

// The lower one of two bids, given as a row that bids; of equal ones the smaller row. -1 is none.
int lower_bid(const int a, const int b, __global const long *restrict bid_price)
{
    if (a < 0 || b < 0)
        return max(a, b);
    return bid_price[a] < bid_price[b] || (bid_price[a] == bid_price[b] && a < b) ? a : b;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void assign(__global const INDEX *restrict indices, __global const long *restrict first_in,
                     __global const int *restrict rows_in, __global long *restrict edge_of,
                     __global int *restrict row_of, __global long *restrict price,
                     __global const long *restrict bid_edge, __global const long *restrict bid_price,
                     __global uint *restrict is_wanted, const uint rows, const uint team)
{
    __local int winners[GROUP_SIZE];
    const size_t column = get_global_id(0) / team;
    const uint item = get_local_id(0), member = item % team;
    const bool is_asked_for = column < rows && is_wanted[column];
    int winner = -1;
    if (is_asked_for)
        for (long entry = first_in[column] + member; entry < first_in[column + 1]; entry += team) {
            const int row = rows_in[entry];
            if (bid_edge[row] >= 0 && (size_t)indices[bid_edge[row]] == column)
                winner = lower_bid(winner, row, bid_price);
        }
    winners[item] = winner;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (uint distance = team / 2; distance > 0; distance /= 2) {
        if (member < distance)
            winners[item] = lower_bid(winners[item], winners[item + distance], bid_price);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (!is_asked_for || member > 0)
        return;
    winner = winners[item];
    is_wanted[column] = 0;
    if (row_of[column] >= 0)
        edge_of[row_of[column]] = -1;
    row_of[column] = winner;
    price[column] = bid_price[winner];
    edge_of[winner] = bid_edge[winner];
}

// Lowers the prices of columns until no row would rather have another one; reads `price` and writes `lower`.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void relax(__global const INDEX *restrict indices, __global const VALUE *restrict values,
                    __global const long *restrict first_in, __global const int *restrict rows_in,
                    __global const long *restrict edges_in, __global const long *restrict edge_of,
                    __global const long *restrict price, __global long *restrict lower, __global uint *restrict control,
                    const long shift, const uint columns, const uint team)
{
    __local long prices[GROUP_SIZE];
    const size_t column = get_global_id(0) / team;
    const uint item = get_local_id(0), member = item % team;
    long lowest = LONG_MAX;
    if (column < columns)
        for (long entry = first_in[column] + member; entry < first_in[column + 1]; entry += team) {
            const long own = edge_of[rows_in[entry]];
            lowest = min(lowest, price[indices[own]] + WEIGHT_OF(edges_in[entry]) - WEIGHT_OF(own));
        }
    prices[item] = lowest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = team / 2; distance > 0; distance /= 2) {
        if (member < distance)
            prices[item] = min(prices[item], prices[item + distance]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (column >= columns || member > 0)
        return;
    lowest = min(price[column], prices[item]);
    if (lowest < price[column])
        atomic_or(&control[ANY], 1u);
    lower[column] = lowest;
}
