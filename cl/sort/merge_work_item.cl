// Stable sort by comparisons, for CPU devices: work-items sort short runs and then merge pairs of runs, no barrier.
//
// Source:       the merge sort of thesis section 5.3 of Dulle (Algorithm 11), divided among work-items along merge paths
//               (Green, McColl and Bader 2012) rather than by a binary search for each element.
// NDRange:      sort_runs: global (runs); merge_runs: global (pieces of PIECE records); work-group (1).
// Local memory: none.
// Macros:       RUN, records of a run; PIECE, records that a work-item merges; those of sort/order.cl.
//   width  records of each run that is merged

#if !defined(RUN) || !defined(PIECE)
#error "sort/merge_work_item.cl needs the macros RUN and PIECE"
#endif

#include "sort/order.cl"

DEFINE_CUT(cut_of, __global)

__kernel void sort_runs(__global const KEY *restrict keys, __global const VALUE *restrict values,
                        __global KEY *restrict moved_keys, __global RESULT *restrict moved_values, const uint numbered,
                        const uint keeps_keys, const ulong n)
{
    const size_t first = get_global_id(0) * RUN;
    const uint count = (uint)min((size_t)RUN, n - first);
    KEY run[RUN];
    ushort sources[RUN];
    for (uint i = 0; i < count; ++i) {  // by insertion
        const KEY key = keys[first + i];
        uint place = i;
        for (; place > 0 && precedes(key, run[place - 1]); --place) {
            run[place] = run[place - 1];
            sources[place] = sources[place - 1];
        }
        run[place] = key;
        sources[place] = i;
    }
    for (uint i = 0; i < count; ++i) {
#if CARRIED
        const size_t source = first + sources[i];
        moved_values[first + i] = numbered ? (RESULT)source : (RESULT)values[source];
        if (keeps_keys)
            moved_keys[first + i] = run[i];
#else
        moved_keys[first + i] = run[i];
#endif
    }
}

#if CARRIED
#define MOVE(target, source)               \
    moved_values[target] = values[source]; \
    if (keeps_keys)                        \
    moved_keys[target] = keys[source]
#else
#define MOVE(target, source) moved_keys[target] = keys[source]
#endif

__kernel void merge_runs(__global const KEY *restrict keys, __global const VALUE *restrict values,
                         __global KEY *restrict moved_keys, __global RESULT *restrict moved_values,
                         const uint keeps_keys, const ulong width, const ulong n)
{
    const size_t piece = get_global_id(0) * PIECE, end = min(piece + PIECE, (size_t)n);
    for (size_t target = piece; target < end;) {
        const size_t first = target / (2 * width) * (2 * width);
        const size_t middle = min(first + width, (size_t)n), last = min(middle + width, (size_t)n);
        size_t left = first + cut_of(keys + first, middle - first, keys + middle, last - middle, target - first);
        size_t right = middle + (target - left);
        const size_t stop = min(last, end);
        while (target < stop) {
            // So many steps neither run ends, and nothing but the order decides which one gives the next record.
            const size_t steps = min(stop - target, min(middle - left, last - right));
            const size_t both_end = target + steps;
            for (; target < both_end; ++target) {
                const bool is_right = precedes(keys[right], keys[left]);
                const size_t source = is_right ? right : left;
                left += !is_right;
                right += is_right;
                MOVE(target, source);
            }
            for (; target < stop && (left == middle || right == last); ++target) {
                const size_t source = left == middle ? right++ : left++;
                MOVE(target, source);
            }
        }
    }
}
