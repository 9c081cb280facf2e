// Min-plus product for GPUs of 16-bit weights, two neighbouring entries of a row in each 32-bit register.
//
// Source:       minplus/registers.cl, which explains the order of entries and loads; a work-item owns pairs here.
// NDRange:      global (columns / TILE_COLUMNS * GROUP_SIZE, rows / TILE_ROWS), without those left out; work-group
//               (GROUP_SIZE, 1), GROUP_SIZE = TILE_ROWS / ITEM_ROWS * TILE_COLUMNS / ITEM_COLUMNS.
// Local memory: 2 * DEPTH * (TILE_ROWS + QUAD + TILE_COLUMNS / 2) * 4 bytes.
// Macros:       TILE_ROWS, TILE_COLUMNS, tile of C; DEPTH, columns of A and rows of B in local memory at once;
//               ITEM_ROWS, ITEM_COLUMNS, entries of a work-item; PTX, 1: NVIDIA's instructions for pairs, which its
//               compiler of OpenCL C does not use by itself; those of minplus/common.cl and minplus/blocks.cl.
//
// Sums of two weights stay below 2^16, so that both entries of a pair are added at once. Sizes and places are multiples
// as in minplus/registers.cl.

#if !defined(TILE_ROWS) || !defined(TILE_COLUMNS) || !defined(DEPTH) || !defined(ITEM_ROWS) || \
    !defined(ITEM_COLUMNS) || !defined(PTX)
#error "minplus/pairs.cl needs TILE_ROWS, TILE_COLUMNS, DEPTH, ITEM_ROWS, ITEM_COLUMNS and PTX"
#endif

#include "minplus/blocks.cl"

#define QUAD 4
#define OCTET (2 * QUAD)
#define ITEMS_ACROSS (TILE_COLUMNS / ITEM_COLUMNS)
#define ITEMS_DOWN (TILE_ROWS / ITEM_ROWS)
#define GROUP_SIZE (ITEMS_ACROSS * ITEMS_DOWN)
#define A_QUADS (TILE_ROWS * DEPTH / QUAD / GROUP_SIZE)
#define B_OCTETS (DEPTH * TILE_COLUMNS / OCTET / GROUP_SIZE)
#define TWICE(weight) ((uint)(weight) * 0x10001u)

#if ITEM_ROWS % QUAD || ITEM_COLUMNS % OCTET || DEPTH % QUAD || TILE_ROWS % ITEM_ROWS || TILE_COLUMNS % ITEM_COLUMNS
#error "minplus/pairs.cl: entries of a work-item come in quads and octets, and fill the tile"
#endif
#if A_QUADS * QUAD * GROUP_SIZE != TILE_ROWS * DEPTH || B_OCTETS * OCTET * GROUP_SIZE != DEPTH * TILE_COLUMNS
#error "minplus/pairs.cl: the work-items of a group have to share the loads evenly"
#endif

uint shorter_pair(const uint least, const uint a, const uint b)
{
#if PTX
    uint sum, shorter;
    asm("add.u16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    asm("min.u16x2 %0, %1, %2;" : "=r"(shorter) : "r"(least), "r"(sum));
    return shorter;
#else
    return as_uint(min(as_ushort2(least), as_ushort2(a + b)));
#endif
}

uint finish_pair(const uint least, const uint present)
{
    return (uint)finish(least & 0xFFFFu, present & 0xFFFFu) | (uint)finish(least >> 16, present >> 16) << 16;
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void multiply(BLOCK_PARAMETERS)
{
    __local uint a_tile[2][DEPTH][TILE_ROWS + QUAD];  // transposed, each weight twice
    __local uint b_tile[2][DEPTH][TILE_COLUMNS / 2];
    const uint item = get_local_id(0);
    const uint across = item % ITEMS_ACROSS * QUAD, down = item / ITEMS_ACROSS * QUAD;
    const size_t first_row = leave_out(get_group_id(1) * TILE_ROWS, hole.s0, hole.s1);
    const size_t first_column = leave_out(get_group_id(0) * TILE_COLUMNS, hole.s2, hole.s3);
    const uint inner = shape.s1;
    a += firsts.s0;
    b += firsts.s1;
    c += firsts.s2 + (first_row + down) * strides.s2 + first_column + 2 * across;

    uint least[ITEM_ROWS][ITEM_COLUMNS / 2];
#pragma unroll
    for (uint i = 0; i < ITEM_ROWS; ++i) {
#pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS / 2; ++j)
            least[i][j] = TWICE(NO_PATH);
    }

    ushort4 a_next[A_QUADS];
    uint4 b_next[B_OCTETS];
    for (size_t step = 0; step <= inner; step += DEPTH) {
        const uint side = step / DEPTH % 2;
        if (step < inner) {
#pragma unroll
            for (uint n = 0; n < A_QUADS; ++n) {
                const uint quad = item + n * GROUP_SIZE, row = quad / (DEPTH / QUAD), k = quad % (DEPTH / QUAD) * QUAD;
                a_next[n] = *(__global const ushort4 *)(a + (first_row + row) * strides.s0 + step + k);
            }
#pragma unroll
            for (uint n = 0; n < B_OCTETS; ++n) {
                const uint octet = item + n * GROUP_SIZE;
                const uint k = octet / (TILE_COLUMNS / OCTET), column = octet % (TILE_COLUMNS / OCTET) * OCTET;
                b_next[n] = *(__global const uint4 *)(b + (step + k) * strides.s1 + first_column + column);
            }
        }
        if (step > 0) {  // what was loaded one step ago
#pragma unroll
            for (uint k = 0; k < DEPTH; ++k) {
                uint a_own[ITEM_ROWS], b_own[ITEM_COLUMNS / 2];
#pragma unroll
                for (uint i = 0; i < ITEM_ROWS; i += QUAD)
                    vstore4(*(__local const uint4 *)&a_tile[1 - side][k][i * ITEMS_DOWN + down], 0, a_own + i);
#pragma unroll
                for (uint j = 0; j < ITEM_COLUMNS / 2; j += QUAD)
                    vstore4(*(__local const uint4 *)&b_tile[1 - side][k][j * ITEMS_ACROSS + across], 0, b_own + j);
#pragma unroll
                for (uint i = 0; i < ITEM_ROWS; ++i) {
#pragma unroll
                    for (uint j = 0; j < ITEM_COLUMNS / 2; ++j)
                        least[i][j] = shorter_pair(least[i][j], a_own[i], b_own[j]);
                }
            }
        }
        if (step < inner) {
#pragma unroll
            for (uint n = 0; n < A_QUADS; ++n) {
                const uint quad = item + n * GROUP_SIZE, row = quad / (DEPTH / QUAD), k = quad % (DEPTH / QUAD) * QUAD;
                a_tile[side][k][row] = TWICE(a_next[n].s0);
                a_tile[side][k + 1][row] = TWICE(a_next[n].s1);
                a_tile[side][k + 2][row] = TWICE(a_next[n].s2);
                a_tile[side][k + 3][row] = TWICE(a_next[n].s3);
            }
#pragma unroll
            for (uint n = 0; n < B_OCTETS; ++n) {
                const uint octet = item + n * GROUP_SIZE;
                const uint k = octet / (TILE_COLUMNS / OCTET), column = octet % (TILE_COLUMNS / OCTET) * OCTET;
                *(__local uint4 *)&b_tile[side][k][column / 2] = b_next[n];
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
        for (uint j = 0; j < ITEM_COLUMNS / 2; j += QUAD) {
            __global uint4 *const octet = (__global uint4 *)(c + row * strides.s2 + 2 * j * ITEMS_ACROSS);
            uint pairs[QUAD];
#if ACCUMULATE
            vstore4(*octet, 0, pairs);
#endif
#pragma unroll
            for (uint n = 0; n < QUAD; ++n)
                pairs[n] = finish_pair(least[i][j + n], pairs[n]);
            *octet = vload4(0, pairs);
        }
    }
}
