// How fast local memory is read, one way a kernel: from its banks with some stride, in place of global memory where many
// want one word, and by tiles of a matrix, whose rows may be padded.
//
// Source:       thesis sections 3.2.4 and 3.2.5, Algorithm 5 and figure 4.2.
// NDRange:      read_local, read_same: any, work-group (GROUP_SIZE); transpose, (columns, rows / TILE * TILE_ROWS),
//               work-group (TILE, TILE_ROWS); multiply, (columns, rows), work-group (TILE, TILE). A matrix has whole
//               tiles.
// Local memory: read_local (LOCAL_WORDS), read_same with STAGED (GROUP_SIZE), transpose TILE * (TILE + PAD), multiply
//               TILE * (2 * TILE + PAD) words.
// Macros:       GROUP_SIZE, a power of 2; STAGED, 1: a work-item loads each word for all; TILE, the side of one, and
//               TILE_ROWS, which divides it; PAD, words between the rows of a tile; TRANSPOSED, 1: the rows of b are
//               the columns of the product's right-hand side.
//   table   in   (mask + 1) words, a power of 2
//   results out  one for each work-item: the sum of all that it has read
//   steps   of each work-item

#if !defined(GROUP_SIZE) || !defined(STAGED)
#error "experiments/banks.cl needs the macros GROUP_SIZE and STAGED"
#endif
#if !defined(TILE) || !defined(TILE_ROWS) || !defined(PAD) || !defined(TRANSPOSED)
#error "experiments/banks.cl needs the macros TILE, TILE_ROWS, PAD and TRANSPOSED"
#endif

#include "core/dispatch.cl"
#include "core/language.cl"

#define LOCAL_WORDS 4096

// Numbers that look like random ones; the low bits do so the least.
uint mixed(const uint x)
{
    return (x * 2654435761u) >> 3;
}

// As neighbours read a column of a two-dimensional array with rows of `stride` words.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void read_local(__global uint *restrict results, const uint stride, const uint steps)
{
    __local uint words[LOCAL_WORDS];
    for (uint i = get_local_id(0); i < LOCAL_WORDS; i += GROUP_SIZE)
        words[i] = mixed(i);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint place = get_local_id(0) * stride;
    uint sum = 0;
    for (uint i = 0; i < steps; ++i)
        sum += words[(place + i) % LOCAL_WORDS];
    results[get_global_id(0)] = sum;
}

// All of a group want the same words, as many as it has work-items, one after the other.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void read_same(__global const uint *restrict table, __global uint *restrict results, const uint mask,
                        const uint steps)
{
#if STAGED
    __local uint words[GROUP_SIZE];
#endif
    const uint group = (uint)GROUP_OF_LAUNCH(0);
    uint sum = 0;
    for (uint i = 0; i < steps; ++i) {
        const uint first = mixed(group * 40503u + i) / GROUP_SIZE * GROUP_SIZE & mask;
#if STAGED
        words[get_local_id(0)] = table[first + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < GROUP_SIZE; ++k)
            sum = sum * 3 + words[k];
        barrier(CLK_LOCAL_MEM_FENCE);
#else
        for (uint k = 0; k < GROUP_SIZE; ++k)
            sum = sum * 3 + table[first + k];
#endif
    }
    results[get_global_id(0)] = sum;
}

WORK_GROUP(TILE, TILE_ROWS, 1)
__kernel void transpose(__global const uint *restrict a, __global uint *restrict transposed, const uint rows,
                        const uint columns)
{
    __local uint tile[TILE][TILE + PAD];
    const size_t first_column = GROUP_OF_LAUNCH(0) * TILE, first_row = GROUP_OF_LAUNCH(1) * TILE;
    const uint x = get_local_id(0);
    for (uint y = get_local_id(1); y < TILE; y += TILE_ROWS)
        tile[y][x] = a[(first_row + y) * columns + first_column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint y = get_local_id(1); y < TILE; y += TILE_ROWS)
        transposed[(first_column + y) * rows + first_row + x] = tile[x][y];
}

// Algorithm 5, whose tile of b is read along rows; with TRANSPOSED it is read down a column, as figure 4.2 has it.
WORK_GROUP(TILE, TILE, 1)
__kernel void multiply(__global const uint *restrict a, __global const uint *restrict b, __global uint *restrict c,
                       const uint inner, const uint columns)
{
    __local uint a_tile[TILE][TILE];
    __local uint b_tile[TILE][TILE + PAD];
    const size_t column = get_global_id(0), row = get_global_id(1);
    const uint x = get_local_id(0), y = get_local_id(1);
    uint sum = 0;
    for (size_t first = 0; first < inner; first += TILE) {
        a_tile[y][x] = a[row * inner + first + x];
#if TRANSPOSED
        b_tile[y][x] = b[(column - x + y) * inner + first + x];
#else
        b_tile[y][x] = b[(first + y) * columns + column];
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; ++k)
            sum += a_tile[y][k] * (TRANSPOSED ? b_tile[x][k] : b_tile[k][x]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * columns + column] = sum;
}
