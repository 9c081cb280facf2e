// A matrix as a user has it becomes one that products are computed with.
//
// Source:       our own.
// NDRange:      a work-group for each PIECE of entries of the target, which are counted row by row.
// Local memory: none.
// Macros:       those of minplus/common.cl;
//               GROUP_SIZE, 1 on CPU devices;
//               PIECE, entries of a work-group;
//               VALUE, type of the entries: char to long, uchar to ulong, float or double;
//               ABSENT, whether `x` is no weight, which becomes "no path";
//               OF_GRAPH, 1: each vertex has a path to itself, which weighs 0 or less.
//   matrix  in   (rows, columns), entry (row, column) at first + row * row_stride + column * column_stride
//   target  out  (target_rows, target_columns), filled up with "no path"
//
// A weight that the type of the target does not hold becomes any number.

#if !defined(GROUP_SIZE) || !defined(PIECE) || !defined(VALUE) || !defined(ABSENT) || !defined(OF_GRAPH)
#error "minplus/from_user.cl needs the macros GROUP_SIZE, PIECE, VALUE, ABSENT and OF_GRAPH"
#endif

#include "core/dispatch.cl"
#include "minplus/common.cl"

WEIGHT weight_of(const VALUE x)
{
    return (ABSENT) ? (WEIGHT)NO_PATH : (WEIGHT)x;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void convert_entries(__global const VALUE *restrict matrix, __global WEIGHT *restrict target, const long first,
                              const long row_stride, const long column_stride, const ulong rows, const ulong columns,
                              const ulong target_rows, const ulong target_columns)
{
    const ulong group = GROUP_OF_LAUNCH(0), item = get_local_id(0);
    const ulong last = min((group + 1) * PIECE, target_rows * target_columns);
    for (ulong index = group * PIECE; index < last;) {
        const ulong row = index / target_columns, column = index - row * target_columns;
        const ulong count = min(last - index, target_columns - column);
        const ulong given = row < rows && column < columns ? min(count, columns - column) : 0;
        const long begin = first + (long)row * row_stride + (long)column * column_stride;
        __global WEIGHT *to = target + index;
        ulong i = item;
        if (column_stride == 1) {
            for (; i < given; i += GROUP_SIZE)
                to[i] = weight_of(matrix[begin + (long)i]);
        } else {
            for (; i < given; i += GROUP_SIZE)
                to[i] = weight_of(matrix[begin + (long)i * column_stride]);
        }
        for (; i < count; i += GROUP_SIZE)
            to[i] = NO_PATH;
#if OF_GRAPH
        if (row < rows && column <= row && row < column + count && (row - column) % GROUP_SIZE == item)
            to[row - column] = to[row - column] < 0 ? to[row - column] : (WEIGHT)0;
#endif
        index += count;
    }
}
