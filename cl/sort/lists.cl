// Merge sort as Dulle describes it: lists sorted by a network in local memory, then merged by binary searches.
//
// Source:       thesis section 5.3 of Dulle, Algorithm 11 and RANK; RANK returns the count rather than its negative, and
//               counts what equals the element for the second list rather than for the first, so that the sort is stable.
// NDRange:      sort_lists: global (lists * LIST), work-group (LIST); merge_step: global n rounded up to the work-group
//               size, which is free.
// Local memory: of sort_lists: LIST * (sizeof(KEY) + 4).
// Macros:       LIST, records of a list; BITONIC, 1 if lists are sorted by Batcher's bitonic network, which takes LIST to
//               be a power of two, 0 if by odd-even transposition; those of sort/order.cl.
//   width  records of each list that is merged

#if !defined(LIST) || !defined(BITONIC) || LIST < 2 || (BITONIC && (LIST & (LIST - 1)))
#error "sort/lists.cl needs BITONIC, and LIST of at least 2: a power of two for a bitonic network"
#endif

#include "core/dispatch.cl"
#include "sort/order.cl"

// Whether two records are in the wrong order; what lies behind the last record comes last. A bitonic network moves
// records past equal ones, which their index in the list keeps apart.
bool is_wrong(const KEY a, const uint a_source, const KEY b, const uint b_source, const uint count)
{
    if (a_source >= count || b_source >= count)
        return a_source > b_source;
    return precedes(b, a) || (!precedes(a, b) && a_source > b_source);
}

void compare_and_exchange(__local KEY *list, __local uint *sources, const uint i, const uint j, const uint count)
{
    const KEY a = list[i], b = list[j];
    const uint a_source = sources[i], b_source = sources[j];
    if (is_wrong(a, a_source, b, b_source, count)) {
        list[i] = b;
        list[j] = a;
        sources[i] = b_source;
        sources[j] = a_source;
    }
}

WORK_GROUP(LIST, 1, 1)
__kernel void sort_lists(__global const KEY *restrict keys, __global const VALUE *restrict values,
                         __global KEY *restrict moved_keys, __global RESULT *restrict moved_values, const uint numbered,
                         const uint keeps_keys, const ulong n)
{
    __local KEY list[LIST];
    __local uint sources[LIST];
    const uint item = get_local_id(0);
    const size_t first = GROUP_OF_LAUNCH(0) * (size_t)LIST;
    const uint count = (uint)min((size_t)LIST, n - first);
    list[item] = keys[first + min(item, count - 1)];
    sources[item] = item;
    barrier(CLK_LOCAL_MEM_FENCE);
#if BITONIC
    for (uint length = 2; length <= LIST; length *= 2) {
        for (uint stride = length / 2; stride > 0; stride /= 2) {
            const uint other = item ^ stride;
            if (other > item) {
                const bool ascends = (item & length) == 0;
                compare_and_exchange(list, sources, ascends ? item : other, ascends ? other : item, count);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
#else
    for (uint round = 0; round < LIST; ++round) {
        if (item % 2 == round % 2 && item + 1 < LIST)
            compare_and_exchange(list, sources, item, item + 1, count);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    if (item < count) {
#if CARRIED
        const size_t source = first + sources[item];
        moved_values[first + item] = numbered ? (RESULT)source : (RESULT)values[source];
        if (keeps_keys)
            moved_keys[first + item] = list[item];
#else
        moved_keys[first + item] = list[item];
#endif
    }
}

// How many elements of a sorted list come before x, or before it or equal to it.
size_t rank_of(__global const KEY *list, const size_t length, const KEY x, const bool counts_equal)
{
    size_t low = 0, high = length;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (counts_equal ? !precedes(x, list[middle]) : precedes(list[middle], x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__kernel void merge_step(__global const KEY *restrict keys, __global const VALUE *restrict values,
                         __global KEY *restrict moved_keys, __global RESULT *restrict moved_values, const uint numbered,
                         const uint keeps_keys, const ulong width, const ulong n)
{
    const size_t i = get_global_id(0);
    if (i >= n)
        return;
    const size_t first = i / (2 * width) * (2 * width);
    const size_t middle = min(first + width, (size_t)n), last = min(middle + width, (size_t)n);
    const KEY key = keys[i];
    const size_t target = i < middle ? i + rank_of(keys + middle, last - middle, key, false)
                                     : i - width + rank_of(keys + first, middle - first, key, true);
#if CARRIED
    moved_values[target] = numbered ? (RESULT)i : (RESULT)values[i];
    if (keeps_keys)
        moved_keys[target] = key;
#else
    moved_keys[target] = key;
#endif
}
