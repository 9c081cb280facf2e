// The columns of a sparse pattern: for each of them the rows that have an entry there. Corrupt rows are found on the way.
//
// Source:       our own: a sort by counting. The thesis has both sides in compact adjacency, too (section 5.5, figure 5.7).
// NDRange:      look: a work-item for each PIECE of rows; combine: one for each PIECE of columns, of which there is one more;
//               count and scatter: one for each of `parts`, which have as many entries as each other, or for each entry;
//               work-group of any size.
// Local memory: none.
// Macros:       APART, 1: parts count apart from each other, so that rows ascend in each column; 0: work-items count
//               together by atomic operations, and the rows of a column come in any order;
//               PIECE;
//               POINTER, type of row pointers, and INDEX, of columns: int or long.
//   indptr     in   (n + 1) row pointers, of which the first is 0 and the last m
//   indices    in   (m) columns
//   counts     i/o  (parts, columns) zeros, then the entries of each column; if APART, combine leaves those of the parts
//                   before. Otherwise there is one part
//   totals     out  (columns + 1) entries of each column, then 0
//   first_row  in   (columns + 1) sums of the totals before
//   rows       out  (m) rows of the first column, then those of the second one, and so on
//   wrong      i/o  [0], set to 1 if row pointers do not ascend from 0 to m, or a column is out of range
//
// If APART, a launch of count or scatter takes step `step` of `steps` of each part, so that none takes long.

#if !defined(APART) || !defined(PIECE) || !defined(POINTER) || !defined(INDEX)
#error "matching/rows.cl needs the macros APART, PIECE, POINTER and INDEX"
#endif

#include "core/language.cl"
#include "matching/row_of.cl"

__kernel void look(__global const POINTER *restrict indptr, __global uint *restrict wrong, const ulong m, const uint n)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)n);
    uint is_wrong = 0;
    for (size_t row = first; row < last; ++row)
        is_wrong |= (indptr[row] < 0) | (indptr[row + 1] < indptr[row]) | (indptr[row + 1] > (POINTER)m);
    if (is_wrong)
        atomic_or(&wrong[0], 1u);
}

#if APART
// First entry of a step of a part; of one step more, the end of the part.
ulong first_entry(const ulong m, const uint parts, const size_t part, const uint step, const uint steps)
{
    const ulong each = m / parts, begin = each * part, end = part + 1 < parts ? begin + each : m;
    return step < steps ? begin + (end - begin) / steps * step : end;
}
#endif

__kernel void count(__global const INDEX *restrict indices, __global uint *restrict counts,
                    __global uint *restrict wrong, const ulong m, const uint columns, const uint parts, const uint step,
                    const uint steps)
{
#if APART
    const size_t part = get_global_id(0);
    if (part >= parts)
        return;
    __global uint *own = counts + part * columns;
    const ulong last = first_entry(m, parts, part, step + 1, steps);
    bool is_wrong = false;
    for (ulong entry = first_entry(m, parts, part, step, steps); entry < last; ++entry) {
        const INDEX column = indices[entry];
        if (column >= 0 && column < (INDEX)columns)
            ++own[column];
        else
            is_wrong = true;
    }
    if (is_wrong)
        atomic_or(&wrong[0], 1u);
#else
    const ulong entry = get_global_id(0);
    if (entry >= m)
        return;
    const INDEX column = indices[entry];
    if (column >= 0 && column < (INDEX)columns)
        atomic_inc(&counts[column]);
    else
        atomic_or(&wrong[0], 1u);
#endif
}

__kernel void combine(__global uint *restrict counts, __global uint *restrict totals, const uint columns,
                      const uint parts)
{
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)columns + 1);
    for (size_t column = first; column < last; ++column) {
        uint sum = 0;
        if (column < columns) {
#if APART
            for (size_t part = 0; part < parts; ++part) {
                const uint own = counts[part * columns + column];
                counts[part * columns + column] = sum;
                sum += own;
            }
#else
            sum = counts[column];
#endif
        }
        totals[column] = sum;
    }
}

__kernel void scatter(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                      __global uint *restrict counts, __global const uint *restrict first_row,
                      __global int *restrict rows, const ulong m, const uint n, const uint columns, const uint parts,
                      const uint step, const uint steps)
{
#if APART
    const size_t part = get_global_id(0);
    if (part >= parts)
        return;
    __global uint *own = counts + part * columns;
    const ulong last = first_entry(m, parts, part, step + 1, steps);
    ulong entry = first_entry(m, parts, part, step, steps);
    if (entry >= last)
        return;
    for (uint row = row_of(indptr, entry, n); entry < last; ++row) {
        const ulong end = min((ulong)indptr[row + 1], last);
        for (; entry < end; ++entry) {
            const INDEX column = indices[entry];
            rows[first_row[column] + own[column]++] = (int)row;
        }
    }
#else
    const ulong entry = get_global_id(0);
    if (entry >= m)
        return;
    const INDEX column = indices[entry];
    rows[first_row[column] + atomic_dec(&counts[column]) - 1] = (int)row_of(indptr, entry, n);
#endif
}
