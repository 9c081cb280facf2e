// What there is to see in a matrix as a user has it, before it is known in which arithmetic it is to be computed with.
//
// Source:       our own.
// NDRange:      a work-group for each PIECE of entries, which are counted row by row.
// Local memory: GROUP_SIZE * sizeof(Fact).
// Macros:       GROUP_SIZE, 1 on CPU devices, which then take eight entries at a time;
//               PIECE, entries of a work-group;
//               VALUE, type of the entries: char to long, uchar to ulong, float or double;
//               WORD, signed integers of as many bits;
//               IS_FLOAT, 1 if VALUE is float or double;
//               ABSENT, whether `x` is no weight: an expression that holds for vectors of entries as well.
//   matrix  in   entry (row, column) is at first + row * row_stride + column * column_stride
//   facts   out  one for each work-group
//
// An entry that is absent counts as 0.

#if !defined(GROUP_SIZE) || !defined(PIECE) || !defined(VALUE) || !defined(WORD) || !defined(IS_FLOAT) || \
    !defined(ABSENT)
#error "minplus/entries.cl needs the macros GROUP_SIZE, PIECE, VALUE, WORD, IS_FLOAT and ABSENT"
#endif

#include "core/dispatch.cl"
#include "core/language.cl"

#define FRACTIONAL 1u
#define SIGNED 2u  // a sign bit, if only that of -0.0
#define NOWHERE ULONG_MAX

#define WIDTH (GROUP_SIZE == 1 ? 8 : 1)
#if GROUP_SIZE == 1
#define VALUES VECTOR(VALUE, 8)
#define WORDS VECTOR(WORD, 8)
#define ANY_OF(words) any(words)
#else
#define VALUES VALUE
#define WORDS WORD
#define ANY_OF(words) ((words) != 0)
#endif

typedef struct {
    VALUE low, high;  // of the weights and 0
    uint flags;
    ulong wrong;  // index of the first entry that is NaN or -inf
} Fact;

typedef struct {
    VALUES low, high;
    WORDS signs, fractions, wrong;
} Seen;

#define IS_WRONG(x) (((x) != (x)) | ((x) == -(VALUE)INFINITY))

void look_at(const VALUES x, Seen *seen)
{
    const VALUES weight = (ABSENT) ? (VALUES)0 : x;
    seen->low = weight < seen->low ? weight : seen->low;
    seen->high = weight > seen->high ? weight : seen->high;
#if IS_FLOAT
    seen->signs |= AS_TYPE(WORDS, weight);
    seen->fractions |= weight != rint(weight);
    seen->wrong |= IS_WRONG(weight);
#endif
}

// Joins what was seen in each of the entries that were taken at a time.
void add_to_fact(const Seen seen, Fact *fact)
{
    VALUE low[WIDTH], high[WIDTH];
    WORD signs[WIDTH], fractions[WIDTH];
#if GROUP_SIZE == 1
    vstore8(seen.low, 0, low);
    vstore8(seen.high, 0, high);
    vstore8(seen.signs, 0, signs);
    vstore8(seen.fractions, 0, fractions);
#else
    low[0] = seen.low;
    high[0] = seen.high;
    signs[0] = seen.signs;
    fractions[0] = seen.fractions;
#endif
    for (uint i = 0; i < WIDTH; ++i) {
        fact->low = low[i] < fact->low ? low[i] : fact->low;
        fact->high = high[i] > fact->high ? high[i] : fact->high;
        fact->flags |= (fractions[i] == 0 ? 0 : FRACTIONAL) | (signs[i] < 0 ? SIGNED : 0);
    }
}

// Looks at `count` entries of a row from the work-item's own on; `index` is that of the first one.
void look_at_row(__global const VALUE *restrict row, const long stride, const ulong count, const ulong index,
                 Fact *fact)
{
    Seen seen;
    seen.low = seen.high = 0;
    seen.signs = seen.fractions = seen.wrong = 0;
    ulong i = get_local_id(0);
#if GROUP_SIZE == 1
    if (stride == 1) {
        for (; i + WIDTH <= count; i += WIDTH)
            look_at(vload8(0, row + i), &seen);
    } else {
        for (; i + WIDTH <= count; i += WIDTH) {
            __global const VALUE *x = row + (long)i * stride;
            look_at((VALUES)(x[0], x[stride], x[2 * stride], x[3 * stride], x[4 * stride], x[5 * stride], x[6 * stride],
                             x[7 * stride]),
                    &seen);
        }
    }
#endif
    for (; i < count; i += GROUP_SIZE)
        look_at((VALUES)row[(long)i * stride], &seen);
    add_to_fact(seen, fact);
#if IS_FLOAT
    if (fact->wrong != NOWHERE || !ANY_OF(seen.wrong))
        return;
    for (i = get_local_id(0); i < count; i += GROUP_SIZE) {
        const VALUE x = row[(long)i * stride];
        if (!(ABSENT) && IS_WRONG(x)) {
            fact->wrong = index + i;
            return;
        }
    }
#endif
}

WORK_GROUP(GROUP_SIZE, 1, 1)
__kernel void look_at_entries(__global const VALUE *restrict matrix, __global Fact *restrict facts, const long first,
                              const long row_stride, const long column_stride, const ulong rows, const ulong columns)
{
    __local Fact found[GROUP_SIZE];
    const ulong group = GROUP_OF_LAUNCH(0);
    const ulong last = min((group + 1) * PIECE, rows * columns);
    Fact fact = {0, 0, 0, NOWHERE};
    for (ulong index = group * PIECE; index < last;) {
        const ulong row = index / columns, column = index - row * columns;
        const ulong count = min(last - index, columns - column);
        const long begin = first + (long)row * row_stride + (long)column * column_stride;
        look_at_row(matrix + begin, column_stride, count, index, &fact);
        index += count;
    }
    found[get_local_id(0)] = fact;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) > 0)
        return;
    for (uint i = 1; i < GROUP_SIZE; ++i) {
        fact.low = found[i].low < fact.low ? found[i].low : fact.low;
        fact.high = found[i].high > fact.high ? found[i].high : fact.high;
        fact.flags |= found[i].flags;
        fact.wrong = min(fact.wrong, found[i].wrong);
    }
    facts[group] = fact;
}
