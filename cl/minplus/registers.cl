// Min-plus product for GPUs: each work-group a tile of C, each work-item a block of it in registers.
//
// Source:       thesis Algorithm 5 (section 4.1.4), with the tile of C in registers as in Lund and Smith, section 4.1,
//               more than one entry a work-item, and the next tiles of A and B on their way while these are used.
// NDRange:      global (columns / TILE_COLUMNS * GROUP_SIZE, rows / TILE_ROWS), without those left out; work-group
//               (GROUP_SIZE, 1), GROUP_SIZE = TILE_ROWS / ITEM_ROWS * TILE_COLUMNS / ITEM_COLUMNS.
// Local memory: 2 * DEPTH * (TILE_ROWS + QUAD + TILE_COLUMNS / WEIGHTS_EACH) * sizeof(REGISTER).
// Macros:       TILE_ROWS, TILE_COLUMNS, tile of C; DEPTH, columns of A and rows of B in local memory at once;
//               ITEM_ROWS, ITEM_COLUMNS, entries of a work-item; PAIRS, 1: weights have 16 bits, and a register holds
//               two neighbouring ones of a row of B or C; PTX, with PAIRS, 1: NVIDIA's instructions for pairs, which
//               its compiler of OpenCL C does not use by itself; those of minplus/common.cl and minplus/blocks.cl.
//
// Sizes and offsets are multiples: rows of TILE_ROWS, columns of TILE_COLUMNS, inner of DEPTH; the host fills up with
// NO_PATH. The registers of a work-item lie in quads that are a row or column of work-items apart, so that
// neighbouring work-items read neighbouring quads of local memory.

#if !defined(TILE_ROWS) || !defined(TILE_COLUMNS) || !defined(DEPTH) || !defined(ITEM_ROWS) || !defined(ITEM_COLUMNS)
#error "minplus/registers.cl needs TILE_ROWS, TILE_COLUMNS, DEPTH, ITEM_ROWS and ITEM_COLUMNS"
#endif
#if !defined(PAIRS) || PAIRS && !defined(PTX)
#error "minplus/registers.cl needs PAIRS, and PTX with it"
#endif

#include "minplus/blocks.cl"

#if PAIRS
#define REGISTER uint
#define MINIMUM_REGISTER uint
#define WEIGHTS_EACH 2
#define STEPS 1
#define SPREAD(weight) ((uint)(weight) * 0x10001u)  // as both weights of a register

// Sums of two weights stay below 2^16, so that both weights of a register are added at once.
uint relaxed_register(const uint minimum, const uint a, const uint b)
{
#if PTX
    uint sum, smaller_one;
    asm("add.u16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    asm("min.u16x2 %0, %1, %2;" : "=r"(smaller_one) : "r"(minimum), "r"(sum));
    return smaller_one;
#else
    return as_uint(min(as_ushort2(minimum), as_ushort2(a + b)));
#endif
}

uint finish_register(const uint minimum, const uint present)
{
    return (uint)finish(minimum & 0xFFFFu, present & 0xFFFFu) | (uint)finish(minimum >> 16, present >> 16) << 16;
}
#else
#define REGISTER WEIGHT
#define MINIMUM_REGISTER ORDER
#define WEIGHTS_EACH 1
#define STEPS 2  // of k at a time: some GPUs take the minimum of three
#define SPREAD(weight) (weight)
#define relaxed_register relaxed
#define finish_register finish
#endif

#define QUAD 4
#define ITEM_REGISTERS (ITEM_COLUMNS / WEIGHTS_EACH)
#define TILE_REGISTERS (TILE_COLUMNS / WEIGHTS_EACH)
#define ITEMS_ACROSS (TILE_COLUMNS / ITEM_COLUMNS)
#define ITEMS_DOWN (TILE_ROWS / ITEM_ROWS)
#define GROUP_SIZE (ITEMS_ACROSS * ITEMS_DOWN)
#define A_QUADS (TILE_ROWS * DEPTH / QUAD / GROUP_SIZE)
#define B_QUADS (DEPTH * TILE_REGISTERS / QUAD / GROUP_SIZE)

#if ITEM_ROWS % QUAD || ITEM_COLUMNS % (QUAD * WEIGHTS_EACH) || DEPTH % QUAD
#error "minplus/registers.cl: registers of a work-item come in quads"
#endif
#if TILE_ROWS % ITEM_ROWS || TILE_COLUMNS % ITEM_COLUMNS
#error "minplus/registers.cl: the entries of the work-items have to fill the tile"
#endif
#if A_QUADS * QUAD * GROUP_SIZE != TILE_ROWS * DEPTH || B_QUADS * QUAD * GROUP_SIZE != DEPTH * TILE_REGISTERS
#error "minplus/registers.cl: the work-items of a group have to share the loads evenly"
#endif

typedef VECTOR(WEIGHT, 4) Weights;
typedef VECTOR(REGISTER, 4) Registers;

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void multiply(BLOCK_PARAMETERS)
{
    __local REGISTER a_tile[2][DEPTH][TILE_ROWS + QUAD];  // transposed, and padded against bank conflicts
    __local REGISTER b_tile[2][DEPTH][TILE_REGISTERS];
    const uint item = get_local_id(0);
    const uint across = item % ITEMS_ACROSS * QUAD, down = item / ITEMS_ACROSS * QUAD;
    const size_t first_row = leave_out(get_group_id(1) * TILE_ROWS, excluded.s0, excluded.s1);
    const size_t first_column = leave_out(get_group_id(0) * TILE_COLUMNS, excluded.s2, excluded.s3);
    const uint inner = shape.s1;
    a += firsts.s0;
    b += firsts.s1;
    c += firsts.s2 + (first_row + down) * strides.s2 + first_column + WEIGHTS_EACH * across;

    MINIMUM_REGISTER minimum[ITEM_ROWS][ITEM_REGISTERS];
#pragma unroll
    for (uint i = 0; i < ITEM_ROWS; ++i) {
#pragma unroll
        for (uint j = 0; j < ITEM_REGISTERS; ++j)
            minimum[i][j] = SPREAD(NONE);
    }

    Weights a_next[A_QUADS];
    Registers b_next[B_QUADS];
    for (size_t step = 0; step <= inner; step += DEPTH) {
        const uint side = step / DEPTH % 2;
        if (step < inner) {
#pragma unroll
            for (uint n = 0; n < A_QUADS; ++n) {
                const uint quad = item + n * GROUP_SIZE, row = quad / (DEPTH / QUAD), k = quad % (DEPTH / QUAD) * QUAD;
                a_next[n] = *(__global const Weights *)(a + (first_row + row) * strides.s0 + step + k);
            }
#pragma unroll
            for (uint n = 0; n < B_QUADS; ++n) {
                const uint quad = item + n * GROUP_SIZE;
                const uint k = quad / (TILE_REGISTERS / QUAD), column = quad % (TILE_REGISTERS / QUAD) * QUAD;
                b_next[n] =
                    *(__global const Registers *)(b + (step + k) * strides.s1 + first_column + WEIGHTS_EACH * column);
            }
        }
        if (step > 0) {  // what was loaded one step ago
#pragma unroll
            for (uint k = 0; k < DEPTH; k += STEPS) {
                REGISTER a_own[STEPS][ITEM_ROWS], b_own[STEPS][ITEM_REGISTERS];
#pragma unroll
                for (uint n = 0; n < STEPS; ++n) {
                    // No pointer to a row: NVIDIA's compiler (driver 580) then reads beyond local memory.
#pragma unroll
                    for (uint i = 0; i < ITEM_ROWS; i += QUAD)
                        vstore4(*(__local const Registers *)&a_tile[1 - side][k + n][i * ITEMS_DOWN + down], 0,
                                a_own[n] + i);
#pragma unroll
                    for (uint j = 0; j < ITEM_REGISTERS; j += QUAD)
                        vstore4(*(__local const Registers *)&b_tile[1 - side][k + n][j * ITEMS_ACROSS + across], 0,
                                b_own[n] + j);
                }
#pragma unroll
                for (uint i = 0; i < ITEM_ROWS; ++i) {
#pragma unroll
                    for (uint j = 0; j < ITEM_REGISTERS; ++j) {
#pragma unroll
                        for (uint n = 0; n < STEPS; ++n)
                            minimum[i][j] = relaxed_register(minimum[i][j], a_own[n][i], b_own[n][j]);
                    }
                }
            }
        }
        if (step < inner) {
#pragma unroll
            for (uint n = 0; n < A_QUADS; ++n) {
                const uint quad = item + n * GROUP_SIZE, row = quad / (DEPTH / QUAD), k = quad % (DEPTH / QUAD) * QUAD;
                a_tile[side][k][row] = SPREAD(a_next[n].s0);
                a_tile[side][k + 1][row] = SPREAD(a_next[n].s1);
                a_tile[side][k + 2][row] = SPREAD(a_next[n].s2);
                a_tile[side][k + 3][row] = SPREAD(a_next[n].s3);
            }
#pragma unroll
            for (uint n = 0; n < B_QUADS; ++n) {
                const uint quad = item + n * GROUP_SIZE;
                const uint k = quad / (TILE_REGISTERS / QUAD), column = quad % (TILE_REGISTERS / QUAD) * QUAD;
                *(__local Registers *)&b_tile[side][k][column] = b_next[n];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

#pragma unroll
    for (uint i = 0; i < ITEM_ROWS; ++i) {
        const size_t row = i / QUAD * QUAD * ITEMS_DOWN + i % QUAD;
#pragma unroll
        for (uint j = 0; j < ITEM_REGISTERS; j += QUAD) {
            __global Registers *const quad =
                (__global Registers *)(c + row * strides.s2 + WEIGHTS_EACH * j * ITEMS_ACROSS);
            REGISTER entries[QUAD];
            vstore4(accumulate ? *quad : (Registers)(SPREAD(NO_PATH)), 0, entries);
#pragma unroll
            for (uint n = 0; n < QUAD; ++n)
                entries[n] = finish_register(minimum[i][j + n], entries[n]);
            *quad = vload4(0, entries);
        }
    }
}
