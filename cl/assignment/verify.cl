// Whether a full matching has the minimum weight: prices of rows and columns that no other matching can undercut.
//
// Source:       duality of linear programming, for the assignment problem Kuhn 1955: two prices are never above the weight
//               between them, and equal to it in the matching; what may stay free has no price above 0, and 0 if it does.
// NDRange:      check_rows a work-item for each of the rows from `begin` to `end`, check_columns for each column; any
//               work-group.
// Local memory: none.
// Macros:       VALUE, type of weights; SUM, type of prices: long or double; IS_INTEGER, 1 for long; NEGATED, 1 where the
//               negative weights count.
//   indptr        in   (rows + 1)
//   indices       in   (m)
//   values        in   (m)
//   edge_of       in   (rows) the edge by which each row is matched; -1 for none
//   row_price     in   (rows)
//   column_price  in   (columns)
//   matched       i/o  (columns) how often each column is matched; 0 at first
//   offenders     i/o  the smallest row or column that breaks each rule; UINT_MAX at first
//   tolerance     -    what may be lost in rounding; 0 for integers

#if !defined(VALUE) || !defined(SUM) || !defined(IS_INTEGER) || !defined(NEGATED)
#error "assignment/verify.cl needs the macros VALUE, SUM, IS_INTEGER and NEGATED"
#endif

#include "core/language.cl"

#define FEASIBLE 0
#define TIGHT 1
#define FREE_ROW 2
#define FREE_COLUMN 3
#define MATCHED_ONCE 4

#if IS_INTEGER
#define SUM_OF(a, b) add_sat(a, b)
#else
#define SUM_OF(a, b) ((a) + (b))
#endif
#if NEGATED
#define WEIGHT_OF(edge) (-(SUM)values[edge])
#else
#define WEIGHT_OF(edge) ((SUM)values[edge])
#endif

__kernel void check_rows(__global const long *restrict indptr, __global const int *restrict indices,
                         __global const VALUE *restrict values, __global const long *restrict edge_of,
                         __global const SUM *restrict row_price, __global const SUM *restrict column_price,
                         __global uint *restrict matched, __global uint *restrict offenders, const SUM tolerance,
                         const uint may_be_free, const uint begin, const uint end)
{
    const size_t row = begin + get_global_id(0);
    if (row >= end)
        return;
    const SUM price = row_price[row];
    bool is_feasible = true;
    for (long edge = indptr[row]; edge < indptr[row + 1]; ++edge)
        is_feasible &= SUM_OF(price, column_price[indices[edge]]) <= SUM_OF(WEIGHT_OF(edge), tolerance);
    if (!is_feasible)
        atomic_min(&offenders[FEASIBLE], (uint)row);
    const long edge = edge_of[row];
    if (edge < 0) {
        if (!may_be_free || price != 0)
            atomic_min(&offenders[FREE_ROW], (uint)row);
        return;
    }
    if (may_be_free && !(price <= 0))
        atomic_min(&offenders[FREE_ROW], (uint)row);
    if (edge < indptr[row] || edge >= indptr[row + 1]) {
        atomic_min(&offenders[TIGHT], (uint)row);
        return;
    }
    if (!(SUM_OF(SUM_OF(price, column_price[indices[edge]]), tolerance) >= WEIGHT_OF(edge)))
        atomic_min(&offenders[TIGHT], (uint)row);
    atomic_inc(&matched[indices[edge]]);
}

__kernel void check_columns(__global const uint *restrict matched, __global const SUM *restrict column_price,
                            __global uint *restrict offenders, const uint may_be_free, const uint columns)
{
    const size_t column = get_global_id(0);
    if (column >= columns)
        return;
    if (matched[column] > 1)
        atomic_min(&offenders[MATCHED_ONCE], (uint)column);
    const bool is_free = matched[column] == 0;
    if (may_be_free ? !(column_price[column] <= 0) || (is_free && column_price[column] != 0) : is_free)
        atomic_min(&offenders[FREE_COLUMN], (uint)column);
}
