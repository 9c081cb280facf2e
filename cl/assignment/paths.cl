// A full matching of minimum weight by shortest augmenting paths, by one work-item.
//
// Source:       Jonker and Volgenant 1987: augmenting row reduction, then a path from each row that is still free; each
//               path by Dijkstra's algorithm with a heap, which touches what it looks at alone. Before them, for prices
//               to begin with, the auction of Bertsekas 1988, a row after the other, with smaller and smaller epsilon.
// NDRange:      (1); work-group (1). A launch ends after about `budget` edges, and the next one goes on from there.
// Local memory: none.
// Macros:       POINTER, type of row pointers, and INDEX, of columns: int or long; VALUE, type of weights; SUM, type of
//               sums of weights: long or double; SUM_MAX, its largest number; NEGATED, 1 to find the maximum weight.
//   indptr      in   (rows + 1)
//   indices     in   (m) columns, in any order, also several times in a row
//   values      in   (m) weights
//   edge_of     i/o  (rows) index of the edge by which each row is matched; -1 at first
//   row_of      i/o  (columns) the row that each column is matched with; -1 at first
//   price       i/o  (columns) 0 at first; 0 or less, and without an auction 0 while the column is free
//   dist        i/o  (columns) length of a path to each column; SUM_MAX at first
//   edge_to     i/o  (columns) the last edge of that path
//   row_to      i/o  (columns) the row that this edge leaves
//   heap        i/o  (columns) columns that have been reached; those whose length is final follow from the end
//   slot        i/o  (columns) where each column is in the heap; NOT_REACHED at first; FINAL
//   free_rows   i/o  (rows) rows that are to be matched; 0, 1, 2, ... at first
//   state       i/o  (STATE_WORDS) 0 at first, but FREE, the number of rows
//   sums        i/o  (SUMS) 0 at first, but EPSILON, that of the first auction; 0 if there is none: only where there are as
//                    many rows as columns may there be one
//   shift       -    what is taken from every weight
//   last_epsilon -   that of the last auction
// But in an auction, the edge by which a row is matched has the minimum reduced weight, less the price, of its edges.

#if !defined(POINTER) || !defined(INDEX) || !defined(VALUE) || !defined(SUM) || !defined(SUM_MAX) || !defined(NEGATED)
#error "assignment/paths.cl needs the macros POINTER, INDEX, VALUE, SUM, SUM_MAX and NEGATED"
#endif

#include "core/language.cl"

#define STEP 0
#define FREE 1   // rows in free_rows
#define NEXT 2   // the one of these that is looked at
#define LATER 3  // rows that the next pass looks at
#define PASS 4
#define ROWS_LOOKED_AT 5
#define HEAP 6     // columns in the heap
#define FINALS 7   // columns whose length is final
#define ROW 8      // the row whose edges are to be looked at
#define NEAREST 9  // the nearest free column
#define STATE_WORDS 10

#define BID 0
#define BEGIN_PATH 1
#define PATH 2
#define DONE 3
#define INFEASIBLE 4

#define OFFSET 0  // length of the path to a row, less the reduced weight of the edge by which it is matched
#define LIMIT 1   // length of the path to the nearest free column
#define EPSILON 2
#define SUMS 3

#define NOT_REACHED -1
#define FINAL -2
#define PASSES 2
#define REFINEMENT 5
#define PATIENCE 8  // looks at a row, on average, before paths are searched

#if NEGATED
#define WEIGHT_OF(edge) (shift - (SUM)values[edge])
#else
#define WEIGHT_OF(edge) ((SUM)values[edge] - shift)
#endif

// Moves a column towards the root of the heap.
void rise(__global int *restrict heap, __global int *restrict slot, __global const SUM *restrict dist, const int column,
          int at)
{
    while (at > 0) {
        const int above = (at - 1) / 2, other = heap[above];
        if (dist[other] <= dist[column])
            break;
        heap[at] = other;
        slot[other] = at;
        at = above;
    }
    heap[at] = column;
    slot[column] = at;
}

// Takes the root out of a heap of `size` columns.
void remove_root(__global int *restrict heap, __global int *restrict slot, __global const SUM *restrict dist,
                 const int size)
{
    const int column = heap[size - 1];
    int at = 0;
    for (int below = 1; below < size - 1; below = 2 * at + 1) {
        below += below + 1 < size - 1 && dist[heap[below + 1]] < dist[heap[below]];
        if (dist[column] <= dist[heap[below]])
            break;
        heap[at] = heap[below];
        slot[heap[at]] = at;
        at = below;
    }
    heap[at] = column;
    slot[column] = at;
}

WORK_GROUP(1, 1, 1)
__kernel void solve(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global const VALUE *restrict values, __global long *restrict edge_of,
                    __global int *restrict row_of, __global SUM *restrict price, __global SUM *restrict dist,
                    __global long *restrict edge_to, __global int *restrict row_to, __global int *restrict heap,
                    __global int *restrict slot, __global int *restrict free_rows, __global int *restrict state,
                    __global SUM *restrict sums, const SUM shift, const SUM last_epsilon, const int rows,
                    const int columns, const ulong budget)
{
    int step = state[STEP], next = state[NEXT], later = state[LATER], count = state[FREE];
    ulong looked_at = (ulong)(uint)state[ROWS_LOOKED_AT], work = 0;
    int size = state[HEAP], finals = state[FINALS], row = state[ROW], nearest = state[NEAREST];
    SUM offset = sums[OFFSET], limit = sums[LIMIT], epsilon = sums[EPSILON];
    while (step < DONE && work < budget) {
        if (step == BID) {
            const bool over = looked_at >= (ulong)rows * PATIENCE;
            if (epsilon > 0 && (over || next == count)) {
                epsilon = over || epsilon <= last_epsilon ? 0 : max(epsilon / REFINEMENT, last_epsilon);
                for (int i = 0; i < rows; ++i) {
                    free_rows[i] = i;
                    edge_of[i] = -1;
                }
                for (int i = 0; i < columns; ++i)
                    row_of[i] = -1;
                next = later = 0;
                count = rows;
                looked_at = 0;
                work += rows + columns;
                continue;
            }
            while (over && next < count)
                free_rows[later++] = free_rows[next++];
            if (next == count) {
                count = later;
                next = later = 0;
                ++state[PASS];
                if (over || state[PASS] == PASSES || count == 0)
                    step = BEGIN_PATH;
                continue;
            }
            row = free_rows[next++];
            ++looked_at;
            long best_edge = -1, second_edge = -1;
            SUM best = SUM_MAX, second = SUM_MAX;
            for (long edge = indptr[row]; edge < indptr[row + 1]; ++edge) {
                const SUM reduced = WEIGHT_OF(edge) - price[indices[edge]];
                if (best_edge < 0 || reduced < best) {
                    if (best_edge < 0 || indices[edge] != indices[best_edge]) {
                        second = best;
                        second_edge = best_edge;
                    }
                    best = reduced;
                    best_edge = edge;
                } else if (indices[edge] != indices[best_edge] && (second_edge < 0 || reduced < second)) {
                    second = reduced;
                    second_edge = edge;
                }
            }
            work += 1 + indptr[row + 1] - indptr[row];
            if (best_edge < 0) {
                step = INFEASIBLE;
                continue;
            }
            const SUM ahead = second_edge < 0 ? 0 : second - best;
            if (ahead + epsilon > 0)
                price[indices[best_edge]] -= ahead + epsilon;
            else if (second_edge >= 0 && row_of[indices[best_edge]] >= 0)
                best_edge = second_edge;
            const int column = (int)indices[best_edge], before = row_of[column];
            if (before >= 0 && ahead + epsilon == 0) {
                free_rows[later++] = row;  // a tie: there is no reason to take it from the other one
                continue;
            }
            edge_of[row] = best_edge;
            row_of[column] = row;
            if (before >= 0) {
                edge_of[before] = -1;
                free_rows[--next] = before;
            }
        } else if (step == BEGIN_PATH) {
            if (next == count) {
                step = DONE;
            } else {
                row = free_rows[next];
                offset = 0;
                limit = SUM_MAX;
                nearest = -1;
                size = finals = 0;
                step = PATH;
            }
        } else {
            for (long edge = indptr[row]; edge < indptr[row + 1]; ++edge) {
                const int column = (int)indices[edge];
                const SUM length = WEIGHT_OF(edge) - price[column] + offset;
                if (length >= limit || slot[column] == FINAL || length >= dist[column])
                    continue;
                dist[column] = length;
                edge_to[column] = edge;
                row_to[column] = row;
                if (row_of[column] < 0) {
                    limit = length;
                    nearest = column;
                }
                rise(heap, slot, dist, column, slot[column] == NOT_REACHED ? size++ : slot[column]);
            }
            work += 1 + indptr[row + 1] - indptr[row];
            if (size == 0) {
                step = INFEASIBLE;
                continue;
            }
            const int column = heap[0];
            if (dist[column] < limit) {
                remove_root(heap, slot, dist, size--);
                slot[column] = FINAL;
                heap[columns - ++finals] = column;
                row = row_of[column];
                offset = dist[column] - (WEIGHT_OF(edge_of[row]) - price[column]);
                continue;
            }
            for (int i = 0; i < size; ++i) {
                dist[heap[i]] = SUM_MAX;
                slot[heap[i]] = NOT_REACHED;
            }
            for (int i = columns - finals; i < columns; ++i) {
                price[heap[i]] += dist[heap[i]] - limit;
                dist[heap[i]] = SUM_MAX;
                slot[heap[i]] = NOT_REACHED;
            }
            work += size + finals;
            int end = nearest;
            while (end >= 0) {
                const int taken = row_to[end];
                const long before = edge_of[taken];
                edge_of[taken] = edge_to[end];
                row_of[end] = taken;
                end = before < 0 ? -1 : (int)indices[before];
            }
            ++next;
            step = BEGIN_PATH;
        }
    }
    state[STEP] = step;
    state[FREE] = count;
    state[NEXT] = next;
    state[LATER] = later;
    state[ROWS_LOOKED_AT] = (int)looked_at;
    state[HEAP] = size;
    state[FINALS] = finals;
    state[ROW] = row;
    state[NEAREST] = nearest;
    sums[OFFSET] = offset;
    sums[LIMIT] = limit;
    sums[EPSILON] = epsilon;
}
