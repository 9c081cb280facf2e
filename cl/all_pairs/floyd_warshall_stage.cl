// One stage of blocked Floyd-Warshall in one launch: every work-group solves the tile on the diagonal for itself.
//
// Source:       Lund and Smith, section 3.2, whose three kernels for a stage are one here.
// NDRange:      T x T tiles, each of PARTS work-groups side by side, of (ITEMS, ITEMS) work-items.
// Local memory: TILE * TILE * sizeof(WEIGHT); if STAGED, TILE * (2 * TILE + WIDTH) * sizeof(WEIGHT).
// Macros:       TILE, side of a tile; SIDE, rows and columns of the tile on the diagonal that a work-item holds; ACROSS,
//               columns of the result that it computes, for as many rows; STAGED, 1 if there is local memory for the
//               tiles beside the one on the diagonal; those of minplus/common.cl.
//
// To wait for another launch takes longer than to multiply two tiles. So no work-group waits for what others make of the
// tile on the diagonal, or of the row and the column of tiles that it is in: each makes what it needs of them itself,
// from what was there before the stage. That stays as it is, and what comes after it goes to another matrix.
//   before  in   matrix of T x T tiles, a row `strides.s0` elements after the one before, from element firsts.s0 on
//   after   out  the same after the stage; strides.s1, firsts.s1
//   stage   in   number of the tile on the diagonal

#if !defined(TILE) || !defined(SIDE) || !defined(ACROSS) || !defined(STAGED)
#error "all_pairs/floyd_warshall_stage.cl needs the macros TILE, SIDE, ACROSS and STAGED"
#endif
#if TILE % (2 * SIDE) || SIDE % ACROSS
#error "all_pairs/floyd_warshall_stage.cl: SIDE has to divide half of TILE, and ACROSS has to divide SIDE"
#endif

#include "minplus/common.cl"

#define ITEMS (TILE / SIDE)     // work-items in a row or column
#define WIDTH (ITEMS * ACROSS)  // columns of a work-group
#define PARTS (TILE / WIDTH)
#define HALF (TILE / 2)
#define UNROLL _Pragma("unroll")  // in macros

typedef VECTOR(WEIGHT, SIDE) Run;
typedef VECTOR(WEIGHT, ACROSS) ShortRun;

// The elements of a vector, which are in consecutive memory of some address space.
#define READ(space, length, address, elements) \
    VECTOR(vstore, length)(*(space const VECTOR(WEIGHT, length) *)(address), 0, elements)

#define CLEAR(minimum, columns)                         \
    {                                                   \
        UNROLL for (uint i = 0; i < SIDE; ++i)          \
        {                                               \
            UNROLL for (uint j = 0; j < (columns); ++j) \
            {                                           \
                minimum[i][j] = NONE;                   \
            }                                           \
        }                                               \
    }

// SIDE rows of a product, and some columns: those of a begin at `left`, those of b at `right`.
#define MULTIPLY(minimum, columns, a_space, left, a_stride, b_space, right, b_stride, depth) \
    {                                                                                        \
        for (uint k = 0; k < (depth); k += SIDE) {                                           \
            WEIGHT a_own[SIDE][SIDE], b_own[SIDE][columns];                                  \
            UNROLL for (uint n = 0; n < SIDE; ++n)                                           \
            {                                                                                \
                READ(a_space, SIDE, (left) + n * (size_t)(a_stride) + k, a_own[n]);          \
                READ(b_space, columns, (right) + (k + n) * (size_t)(b_stride), b_own[n]);    \
            }                                                                                \
            UNROLL for (uint n = 0; n < SIDE; ++n)                                           \
            {                                                                                \
                UNROLL for (uint i = 0; i < SIDE; ++i)                                       \
                {                                                                            \
                    UNROLL for (uint j = 0; j < (columns); ++j)                              \
                    {                                                                        \
                        minimum[i][j] = relaxed(minimum[i][j], a_own[i][n], b_own[n][j]);    \
                    }                                                                        \
                }                                                                            \
            }                                                                                \
        }                                                                                    \
    }

#if STAGED
#define MULTIPLY_BY_ROW_TILE(minimum) \
    {MULTIPLY(minimum, ACROSS, __local, shared + own_row * TILE, TILE, __local, row_tile + x * ACROSS, WIDTH, TILE)}
#define MULTIPLY_COLUMN_TILE(minimum, columns, first) \
    {MULTIPLY(minimum, columns, __local, column_tile + own_row * TILE, TILE, __local, shared + (first), TILE, TILE)}
#else
#define MULTIPLY_BY_ROW_TILE(minimum) \
    {MULTIPLY(minimum, ACROSS, __local, shared + own_row * TILE, TILE, __global, in_row, strides.s0, TILE)}
#define MULTIPLY_COLUMN_TILE(minimum, columns, first) \
    {MULTIPLY(minimum, columns, __global, in_column, strides.s0, __local, shared + (first), TILE, TILE)}
#endif

// Floyd-Warshall within the tile on the diagonal, of which each work-item holds a square.
//
// SIDE steps at a time: what they need of their rows and columns as these are before the first of the steps is put into
// local memory; a work-item for each of the 2 * TILE lines across these makes of it what each step needs, for which it
// makes the square on the diagonal, too; then all relax what they hold. What a step needs is added to, and has to be a
// result.
void solve_tile(ORDER (*own)[SIDE], __local WEIGHT *shared)
{
    const uint x = get_local_id(0), y = get_local_id(1);
    __local WEIGHT *const needed = shared + 2 * SIDE * TILE;
    for (uint holder = 0; holder < ITEMS; ++holder) {
        if (y == holder) {
#pragma unroll
            for (uint i = 0; i < SIDE; ++i) {
#pragma unroll
                for (uint j = 0; j < SIDE; ++j)
                    shared[i * TILE + x * SIDE + j] = AS_TYPE(WEIGHT, own[i][j]);
            }
        }
        if (x == holder) {
#pragma unroll
            for (uint j = 0; j < SIDE; ++j) {
#pragma unroll
                for (uint i = 0; i < SIDE; ++i)
                    shared[(SIDE + j) * TILE + y * SIDE + i] = AS_TYPE(WEIGHT, own[i][j]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint line = y * ITEMS + x; line < 2 * TILE; line += ITEMS * ITEMS) {
            const uint first = line / TILE * (SIDE * TILE);  // of rows, or of columns, where all is transposed
            ORDER values[SIDE], square[SIDE][SIDE];
#pragma unroll
            for (uint i = 0; i < SIDE; ++i) {
                values[i] = AS_TYPE(ORDER, shared[first + i * TILE + line % TILE]);
                WEIGHT elements[SIDE];
                READ(__local, SIDE, shared + first + i * TILE + holder * SIDE, elements);
#pragma unroll
                for (uint j = 0; j < SIDE; ++j)
                    square[i][j] = AS_TYPE(ORDER, elements[j]);
            }
#pragma unroll
            for (uint k = 0; k < SIDE; ++k) {
                const WEIGHT value = result(values[k]);
                needed[first + k * TILE + line % TILE] = value;
#pragma unroll
                for (uint i = k + 1; i < SIDE; ++i) {
                    const WEIGHT before = result(square[i][k]);
                    values[i] = relaxed(values[i], before, value);
#pragma unroll
                    for (uint j = k + 1; j < SIDE; ++j)
                        square[i][j] = relaxed(square[i][j], before, result(square[k][j]));
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint k = 0; k < SIDE; ++k) {
            WEIGHT row[SIDE], column[SIDE];
            READ(__local, SIDE, needed + k * TILE + x * SIDE, row);
            READ(__local, SIDE, needed + (SIDE + k) * TILE + y * SIDE, column);
#pragma unroll
            for (uint i = 0; i < SIDE; ++i) {
#pragma unroll
                for (uint j = 0; j < SIDE; ++j)
                    own[i][j] = relaxed(own[i][j], column[i], row[j]);
            }
        }
    }
}

WORK_GROUP(ITEMS, ITEMS, 1)
__kernel void relax_stage(__global const WEIGHT *restrict before, __global WEIGHT *restrict after, const ulong2 firsts,
                          const uint2 strides, const uint stage)
{
    __local WEIGHT shared[TILE * TILE] __attribute__((aligned(64)));
#if STAGED
    __local WEIGHT column_tile[TILE * TILE] __attribute__((aligned(64)));
    __local WEIGHT row_tile[TILE * WIDTH] __attribute__((aligned(64)));
#endif
    const uint x = get_local_id(0), y = get_local_id(1);
    const uint tile_row = get_group_id(1), tile_column = get_group_id(0) / PARTS;
    const uint own_row = y * SIDE, own_column = get_group_id(0) % PARTS * WIDTH + x * ACROSS;
    const size_t row = (size_t)tile_row * TILE + own_row, column = (size_t)tile_column * TILE + own_column;
    const size_t first = (size_t)stage * TILE;  // row and column of the tile on the diagonal
    before += firsts.s0;
    after += firsts.s1 + row * strides.s1 + column;
    __global const WEIGHT *const in_row = before + first * strides.s0 + column;
    __global const WEIGHT *const in_column = before + row * strides.s0 + first;

    ORDER own[SIDE][SIDE], present[SIDE][ACROSS];
#pragma unroll
    for (uint i = 0; i < SIDE; ++i) {
        WEIGHT elements[SIDE];
        READ(__global, SIDE, before + (first + own_row + i) * strides.s0 + first + x * SIDE, elements);
#pragma unroll
        for (uint j = 0; j < SIDE; ++j)
            own[i][j] = AS_TYPE(ORDER, elements[j]);
        READ(__global, ACROSS, before + (row + i) * strides.s0 + column, elements);
#pragma unroll
        for (uint j = 0; j < ACROSS; ++j)
            present[i][j] = AS_TYPE(ORDER, elements[j]);
    }
#if STAGED
    Run column_run[SIDE];
    ShortRun row_run[SIDE];
#pragma unroll
    for (uint i = 0; i < SIDE; ++i) {
        column_run[i] = *(__global const Run *)(in_column + i * (size_t)strides.s0 + x * SIDE);
        row_run[i] = *(__global const ShortRun *)(in_row + (own_row + i) * (size_t)strides.s0);
    }
#endif
    solve_tile(own, shared);
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < SIDE; ++i) {
#pragma unroll
        for (uint j = 0; j < SIDE; ++j)
            shared[(own_row + i) * TILE + x * SIDE + j] = result(own[i][j]);
#if STAGED
        *(__local Run *)(column_tile + (own_row + i) * TILE + x * SIDE) = column_run[i];
        *(__local ShortRun *)(row_tile + (own_row + i) * WIDTH + x * ACROSS) = row_run[i];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    ORDER minimum[SIDE][ACROSS];
    CLEAR(minimum, ACROSS)
    if (tile_row == stage && tile_column == stage) {
#pragma unroll
        for (uint i = 0; i < SIDE; ++i) {
#pragma unroll
            for (uint j = 0; j < ACROSS; ++j)
                minimum[i][j] = AS_TYPE(ORDER, shared[(own_row + i) * TILE + own_column + j]);
        }
    } else if (tile_row == stage) {
        MULTIPLY_BY_ROW_TILE(minimum)
    } else if (tile_column == stage) {
        MULTIPLY_COLUMN_TILE(minimum, ACROSS, own_column)
    } else {
        ORDER row_own[SIDE][ACROSS], column_own[SIDE][SIDE];
        CLEAR(row_own, ACROSS)
        CLEAR(column_own, SIDE)
        MULTIPLY_BY_ROW_TILE(row_own)
        MULTIPLY_COLUMN_TILE(column_own, SIDE, x * SIDE)
        // half of the columns of the one, and as many rows of the other, where the tile on the diagonal was
        for (uint half_of = 0; half_of < 2; ++half_of) {
            __local WEIGHT *const rows_of_half = shared + TILE * HALF;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (x / (ITEMS / 2) == half_of) {
#pragma unroll
                for (uint i = 0; i < SIDE; ++i) {
#pragma unroll
                    for (uint j = 0; j < SIDE; ++j)
                        shared[(own_row + i) * HALF + x * SIDE % HALF + j] = result(column_own[i][j]);
                }
            }
            if (y / (ITEMS / 2) == half_of) {
#pragma unroll
                for (uint i = 0; i < SIDE; ++i) {
#pragma unroll
                    for (uint j = 0; j < ACROSS; ++j)
                        rows_of_half[(own_row % HALF + i) * WIDTH + x * ACROSS + j] = result(row_own[i][j]);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            MULTIPLY(minimum, ACROSS, __local, shared + own_row * HALF, HALF, __local, rows_of_half + x * ACROSS, WIDTH,
                     HALF)
        }
#pragma unroll
        for (uint i = 0; i < SIDE; ++i) {
#pragma unroll
            for (uint j = 0; j < ACROSS; ++j)
                minimum[i][j] = MINIMUM(minimum[i][j], present[i][j]);
        }
    }
#pragma unroll
    for (uint i = 0; i < SIDE; ++i) {
#pragma unroll
        for (uint j = 0; j < ACROSS; ++j)
            after[i * (size_t)strides.s1 + j] = result(minimum[i][j]);
    }
}
