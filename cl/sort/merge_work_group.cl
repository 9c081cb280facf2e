// Stable sort by comparisons, for GPUs: work-groups sort tiles in local memory and then merge pairs of runs.
//
// Source:       the merge sort of thesis section 5.3 of Dulle (Algorithm 11), divided among work-groups, and within each
//               among work-items, along merge paths (Green, McColl and Bader 2012).
// NDRange:      global (tiles * GROUP_SIZE), work-group (GROUP_SIZE).
// Local memory: TILE * (sizeof(KEY) + 2 * CARRIED) + 16 bytes.
// Macros:       GROUP_SIZE, work-items of a work-group; ITEMS, records of a work-item in a tile; those of
//               sort/order.cl.
//   width  records of each run that is merged, a multiple of TILE

#if !defined(GROUP_SIZE) || !defined(ITEMS) || GROUP_SIZE < 2 || GROUP_SIZE * ITEMS > 65535
#error "sort/merge_work_group.cl needs GROUP_SIZE of at least 2, and ITEMS; a tile has less than 65,536 keys"
#endif

#include "sort/order.cl"

#define TILE (GROUP_SIZE * ITEMS)

DEFINE_CUT(cut_of, __global)
DEFINE_CUT(local_cut_of, __local)

// Merge two sorted lists that lie side by side in local memory, each work-item some of the result.
// Work-items whose `count` is 0 take no part.
void merge_in_tile(__local KEY *tile, __local ushort *sources, const uint left, const uint left_length,
                   const uint right_length, const uint target, const uint count)
{
    KEY own[ITEMS];
    ushort own_sources[ITEMS];
    if (count > 0) {
        const uint right = left + left_length, end = right + right_length;
        uint a = left + (uint)local_cut_of(tile + left, left_length, tile + right, right_length, target - left);
        uint b = right + (target - a);
        for (uint j = 0; j < count; ++j) {
            const bool is_right = a == right || (b < end && precedes(tile[b], tile[a]));
            const uint source = is_right ? b : a;
            own[j] = tile[source];
#if CARRIED
            own_sources[j] = sources[source];
#endif
            a += !is_right;
            b += is_right;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < count; ++j) {
        tile[target + j] = own[j];
#if CARRIED
        sources[target + j] = own_sources[j];
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void sort_tiles(__global const KEY *restrict keys, __global const VALUE *restrict values,
                         __global KEY *restrict moved_keys, __global RESULT *restrict moved_values, const uint numbered,
                         const uint keeps_keys, const ulong n)
{
    __local KEY tile[TILE];
    __local ushort sources[CARRIED ? TILE : 1];
    const uint item = get_local_id(0);
    const size_t first = get_group_id(0) * (size_t)TILE;
    const uint count = (uint)min((size_t)TILE, n - first);
    for (uint i = item; i < count; i += GROUP_SIZE) {
        tile[i] = keys[first + i];
#if CARRIED
        sources[i] = i;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint begin = min(item * ITEMS, count), end = min(begin + ITEMS, count);
    for (uint i = begin + 1; i < end; ++i) {  // by insertion
        const KEY key = tile[i];
        uint place = i;
        for (; place > begin && precedes(key, tile[place - 1]); --place) {
            tile[place] = tile[place - 1];
#if CARRIED
            sources[place] = sources[place - 1];
#endif
        }
        tile[place] = key;
#if CARRIED
        sources[place] = i;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = ITEMS; width < TILE; width *= 2) {
        const uint left = begin / (2 * width) * (2 * width);
        const uint right = min(left + width, count);
        merge_in_tile(tile, sources, left, right - left, min(right + width, count) - right, begin, end - begin);
    }
    for (uint i = item; i < count; i += GROUP_SIZE) {
#if CARRIED
        const size_t source = first + sources[i];
        moved_values[first + i] = numbered ? (RESULT)source : (RESULT)values[source];
        if (keeps_keys)
            moved_keys[first + i] = tile[i];
#else
        moved_keys[first + i] = tile[i];
#endif
    }
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void merge_tiles(__global const KEY *restrict keys, __global const VALUE *restrict values,
                          __global KEY *restrict moved_keys, __global RESULT *restrict moved_values,
                          const uint keeps_keys, const ulong width, const ulong n)
{
    __local KEY tile[TILE];
    __local ushort sources[CARRIED ? TILE : 1];
    __local size_t cuts[2];
    const uint item = get_local_id(0);
    const size_t target = get_group_id(0) * (size_t)TILE;
    const uint count = (uint)min((size_t)TILE, n - target);
    const size_t first = target / (2 * width) * (2 * width);
    const size_t middle = min(first + width, (size_t)n), last = min(middle + width, (size_t)n);
    if (item < 2) {
        const size_t diagonal = target - first + (item == 0 ? 0 : count);
        cuts[item] = cut_of(keys + first, middle - first, keys + middle, last - middle, diagonal);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const size_t left = first + cuts[0], right = middle + (target - left);
    const uint left_length = (uint)(cuts[1] - cuts[0]);
    for (uint i = item; i < count; i += GROUP_SIZE) {
        tile[i] = keys[i < left_length ? left + i : right + (i - left_length)];
#if CARRIED
        sources[i] = i;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint begin = min(item * ITEMS, count), end = min(begin + ITEMS, count);
    merge_in_tile(tile, sources, 0, left_length, count - left_length, begin, end - begin);
    for (uint i = item; i < count; i += GROUP_SIZE) {
#if CARRIED
        const uint source = sources[i];
        moved_values[target + i] = values[source < left_length ? left + source : right + (source - left_length)];
        if (keeps_keys)
            moved_keys[target + i] = tile[i];
#else
        moved_keys[target + i] = tile[i];
#endif
    }
}
