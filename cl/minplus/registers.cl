// Min-plus product for GPUs: each work-group a tile of C, each work-item a block of it in registers.
//
// Source:       thesis Algorithm 5 (section 4.1.4), with the tile of C in registers as in Lund and Smith, section 4.1,
//               more than one entry a work-item, and the next tiles of A and B on their way while these are used.
// NDRange:      global (columns / TILE_COLUMNS * GROUP_SIZE, rows / TILE_ROWS), without those left out; work-group
//               (GROUP_SIZE, 1), GROUP_SIZE = TILE_ROWS / ITEM_ROWS * TILE_COLUMNS / ITEM_COLUMNS.
// Local memory: 2 * DEPTH * (TILE_ROWS + QUAD + TILE_COLUMNS) * sizeof(WEIGHT).
// Macros:       TILE_ROWS, TILE_COLUMNS, tile of C; DEPTH, columns of A and rows of B in local memory at once;
//               ITEM_ROWS, ITEM_COLUMNS, entries of a work-item; those of minplus/common.cl and minplus/blocks.cl.
//
// Sizes and places are multiples: rows of TILE_ROWS, columns of TILE_COLUMNS, inner of DEPTH; the host fills up with
// NO_PATH. The entries of a work-item lie in quads that are a whole row or column of work-items apart, so that
// neighbouring work-items read neighbouring quads of local memory.

#if !defined(TILE_ROWS) || !defined(TILE_COLUMNS) || !defined(DEPTH) || !defined(ITEM_ROWS) || !defined(ITEM_COLUMNS)
#error "minplus/registers.cl needs TILE_ROWS, TILE_COLUMNS, DEPTH, ITEM_ROWS and ITEM_COLUMNS"
#endif

#include "minplus/blocks.cl"

#define QUAD 4
#define ITEMS_ACROSS (TILE_COLUMNS / ITEM_COLUMNS)
#define ITEMS_DOWN (TILE_ROWS / ITEM_ROWS)
#define GROUP_SIZE (ITEMS_ACROSS * ITEMS_DOWN)
#define A_QUADS (TILE_ROWS * DEPTH / QUAD / GROUP_SIZE)
#define B_QUADS (DEPTH * TILE_COLUMNS / QUAD / GROUP_SIZE)

#if ITEM_ROWS % QUAD || ITEM_COLUMNS % QUAD || DEPTH % QUAD || TILE_ROWS % ITEM_ROWS || TILE_COLUMNS % ITEM_COLUMNS
#error "minplus/registers.cl: entries of a work-item come in quads, and fill the tile"
#endif
#if A_QUADS * QUAD * GROUP_SIZE != TILE_ROWS * DEPTH || B_QUADS * QUAD * GROUP_SIZE != DEPTH * TILE_COLUMNS
#error "minplus/registers.cl: the work-items of a group have to share the loads evenly"
#endif

typedef VECTOR(WEIGHT, 4) Quad;

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void multiply(BLOCK_PARAMETERS)
{
    __local WEIGHT a_tile[2][DEPTH][TILE_ROWS + QUAD];  // transposed, and padded against bank conflicts
    __local WEIGHT b_tile[2][DEPTH][TILE_COLUMNS];
    const uint item = get_local_id(0);
    const uint across = item % ITEMS_ACROSS * QUAD, down = item / ITEMS_ACROSS * QUAD;
    const size_t first_row = leave_out(get_group_id(1) * TILE_ROWS, hole.s0, hole.s1);
    const size_t first_column = leave_out(get_group_id(0) * TILE_COLUMNS, hole.s2, hole.s3);
    const uint inner = shape.s1;
    a += firsts.s0;
    b += firsts.s1;
    c += firsts.s2 + (first_row + down) * strides.s2 + first_column + across;

    ORDER least[ITEM_ROWS][ITEM_COLUMNS];
#pragma unroll
    for (uint i = 0; i < ITEM_ROWS; ++i) {
#pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; ++j)
            least[i][j] = NONE;
    }

    Quad a_next[A_QUADS], b_next[B_QUADS];
    for (size_t step = 0; step <= inner; step += DEPTH) {
        const uint side = step / DEPTH % 2;
        if (step < inner) {
#pragma unroll
            for (uint n = 0; n < A_QUADS; ++n) {
                const uint quad = item + n * GROUP_SIZE, row = quad / (DEPTH / QUAD), k = quad % (DEPTH / QUAD) * QUAD;
                a_next[n] = *(__global const Quad *)(a + (first_row + row) * strides.s0 + step + k);
            }
#pragma unroll
            for (uint n = 0; n < B_QUADS; ++n) {
                const uint quad = item + n * GROUP_SIZE;
                const uint k = quad / (TILE_COLUMNS / QUAD), column = quad % (TILE_COLUMNS / QUAD) * QUAD;
                b_next[n] = *(__global const Quad *)(b + (step + k) * strides.s1 + first_column + column);
            }
        }
        if (step > 0) {  // what was loaded one step ago
#pragma unroll
            for (uint k = 0; k < DEPTH; k += 2) {  // two at a time: some GPUs take the minimum of three
                WEIGHT a_own[2][ITEM_ROWS], b_own[2][ITEM_COLUMNS];
#pragma unroll
                for (uint n = 0; n < 2; ++n) {
#pragma unroll
                    for (uint i = 0; i < ITEM_ROWS; i += QUAD)
                        vstore4(*(__local const Quad *)&a_tile[1 - side][k + n][i * ITEMS_DOWN + down], 0,
                                a_own[n] + i);
#pragma unroll
                    for (uint j = 0; j < ITEM_COLUMNS; j += QUAD)
                        vstore4(*(__local const Quad *)&b_tile[1 - side][k + n][j * ITEMS_ACROSS + across], 0,
                                b_own[n] + j);
                }
#pragma unroll
                for (uint i = 0; i < ITEM_ROWS; ++i) {
#pragma unroll
                    for (uint j = 0; j < ITEM_COLUMNS; ++j) {
                        const ORDER either = shorter(least[i][j], a_own[0][i], b_own[0][j]);
                        least[i][j] = shorter(either, a_own[1][i], b_own[1][j]);
                    }
                }
            }
        }
        if (step < inner) {
#pragma unroll
            for (uint n = 0; n < A_QUADS; ++n) {
                const uint quad = item + n * GROUP_SIZE, row = quad / (DEPTH / QUAD), k = quad % (DEPTH / QUAD) * QUAD;
                a_tile[side][k][row] = a_next[n].s0;
                a_tile[side][k + 1][row] = a_next[n].s1;
                a_tile[side][k + 2][row] = a_next[n].s2;
                a_tile[side][k + 3][row] = a_next[n].s3;
            }
#pragma unroll
            for (uint n = 0; n < B_QUADS; ++n) {
                const uint quad = item + n * GROUP_SIZE;
                const uint k = quad / (TILE_COLUMNS / QUAD), column = quad % (TILE_COLUMNS / QUAD) * QUAD;
                *(__local Quad *)&b_tile[side][k][column] = b_next[n];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    // c may be a or b where a group alone reads and replaces one tile of it, as in Floyd-Warshall
#if IN_PLACE
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif

#pragma unroll
    for (uint i = 0; i < ITEM_ROWS; ++i) {
        const size_t row = i / QUAD * QUAD * ITEMS_DOWN + i % QUAD;
#pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j += QUAD) {
            __global Quad *const quad = (__global Quad *)(c + row * strides.s2 + j * ITEMS_ACROSS);
            WEIGHT entries[QUAD];
#if ACCUMULATE
            vstore4(*quad, 0, entries);
#endif
#pragma unroll
            for (uint n = 0; n < QUAD; ++n)
                entries[n] = finish(least[i][j + n], entries[n]);
            *quad = vload4(0, entries);
        }
    }
}
