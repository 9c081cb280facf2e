// How fast global memory is read, one way a kernel: by words and records of some size, in chains of reads that wait for
// each other, by neighbours in some order, and down a column; and how fast one word is raised by many.
//
// Source:       thesis sections 3.2.1 to 3.2.4.
// NDRange:      any, work-group (GROUP_SIZE).
// Local memory: -
// Macros:       GROUP_SIZE, a power of 2; WORD, what read_words reads, and LANES, its components; LENGTH, words of a
//               record, and VLOAD, 1: four of them are loaded at once.
//   table   in   (mask + 1) words, a power of 2
//   results out  one for each work-item: the sum of all that it has read; follow: i/o
//   steps   of each work-item

#if !defined(GROUP_SIZE) || !defined(WORD) || !defined(LANES) || !defined(LENGTH) || !defined(VLOAD)
#error "experiments/accesses.cl needs the macros GROUP_SIZE, WORD, LANES, LENGTH and VLOAD"
#endif

#include "core/dispatch.cl"
#include "core/language.cl"

// Numbers that look like random ones; the low bits do so the least.
uint mixed(const uint x)
{
    return (x * 2654435761u) >> 3;
}

// Neighbours read neighbouring words, and go on with the next ones.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void read_words(__global const WORD *restrict table, __global uint *restrict results, const uint items,
                         const uint steps)
{
    uint sum = 0;
    for (uint i = 0; i < steps; ++i) {
        const WORD word = table[(size_t)i * items + get_global_id(0)];
#if LANES == 4
        sum += word.x + word.y + word.z + word.w;
#elif LANES == 2
        sum += word.x + word.y;
#else
        sum += word;
#endif
    }
    results[get_global_id(0)] = sum;
}

// Records lie `apart` words from each other, the first one after `shift` words.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void read_records(__global const uint *restrict table, __global uint *restrict results, const uint items,
                           const uint apart, const uint shift, const uint steps)
{
    uint sum = 0;
    for (uint i = 0; i < steps; ++i) {
        __global const uint *record = table + shift + ((size_t)i * items + get_global_id(0)) * apart;
#if VLOAD
        const uint4 words = vload4(0, record);
        sum += words.x + words.y + words.z + words.w;
#else
        for (uint k = 0; k < LENGTH; ++k)
            sum += record[k];
#endif
    }
    results[get_global_id(0)] = sum;
}

// Each read has to wait for the one before; chains go on where `results` says, and write there where they end.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void follow(__global const uint *restrict table, __global uint *restrict results, const uint steps)
{
    uint at = results[get_global_id(0)];
    for (uint i = 0; i < steps; ++i)
        at = table[at];
    results[get_global_id(0)] = at;
}

// Neighbours read words that are `stride` apart, in an order that an odd `factor` gives; the group goes on elsewhere.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void read_neighbours(__global const uint *restrict table, __global uint *restrict results, const uint mask,
                              const uint stride, const uint factor, const uint shift, const uint steps)
{
    const uint place = get_local_id(0) * factor % GROUP_SIZE * stride + shift;
    const uint group = (uint)GROUP_OF_LAUNCH(0);
    uint sum = 0;
    for (uint i = 0; i < steps; ++i)
        sum += table[(mixed(group * 40503u + i) / GROUP_SIZE * GROUP_SIZE + place) & mask];
    results[get_global_id(0)] = sum;
}

// Each work-item adds up a row of a matrix, or a column: words that are `across` apart, from `down` times its number on.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void add_lines(__global const uint *restrict table, __global uint *restrict results, const uint down,
                        const uint across, const uint steps)
{
    uint sum = 0;
    for (uint i = 0; i < steps; ++i)
        sum += table[get_global_id(0) * down + (size_t)i * across];
    results[get_global_id(0)] = sum;
}

// Work-items raise words of which there are (mask + 1), by turns.
WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void raise_words(volatile __global uint *restrict words, const uint mask, const uint steps)
{
    const uint item = (uint)get_global_id(0);
    for (uint i = 0; i < steps; ++i)
        atomic_max(&words[item & mask], mixed(item * 40503u + i));
}
