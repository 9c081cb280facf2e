// What reductions, scans and compactions share: the operator, the elements, and what becomes of each one's prefix.
//
// Macros, all set by the host (reedsp/primitives/operators.py):
//   ELEMENT      type of the elements that are combined: int, uint, long, ulong, float or double
//   OPERATION    OpenCL C expression in a and b: the associative operator
//   IDENTITY     its identity element
//   COMMUTATIVE  1 if elements may be combined in any order
//   EXCLUSIVE    1 if the prefix of an element leaves out the element itself
//   SEGMENTED    1 if marks[i] != 0 starts a segment at element i, whose prefixes begin there (thesis section 5.4.1)
//   COMPACTION   1: collect the x[i] with marks[i] != 0; 2: collect their indices i (section 5.4.2). The elements
//                that are scanned are then 1 where marks[i] != 0 and 0 elsewhere. 0: neither, store the prefixes
//   VALUE, MARK  types of x and out, and of the marks
//   COUNTED      1 if the device alone knows how many elements there are: a word in memory, argument `n` of a scan
//
// Arrays of elements:
//   x      in   (n) values; not read if indices are collected
//   marks  in   (n) heads of segments, or what to collect; not read by plain scans
//   out    out  (n) prefixes; may be x itself. Or what was collected, which has to be another array

#if !defined(ELEMENT) || !defined(OPERATION) || !defined(IDENTITY) || !defined(COMMUTATIVE) || !defined(EXCLUSIVE)
#error "primitives/elements.cl needs the macros ELEMENT, OPERATION, IDENTITY, COMMUTATIVE and EXCLUSIVE"
#endif
#if !defined(SEGMENTED) || !defined(COMPACTION) || !defined(VALUE) || !defined(MARK) || !defined(COUNTED)
#error "primitives/elements.cl needs the macros SEGMENTED, COMPACTION, VALUE, MARK and COUNTED"
#endif

#include "core/language.cl"

#if COUNTED
typedef __global const uint *Length;
#define LENGTH_OF(n) ((size_t)*(n))
#else
typedef ulong Length;
#define LENGTH_OF(n) ((size_t)(n))
#endif

// One element, or several combined; HEAD_OF: whether a segment starts among them, 0 or 1.
#if SEGMENTED
typedef VECTOR(ELEMENT, 2) Item;
#define VALUE_OF(item) ((item).x)
#define HEAD_OF(item) ((item).y)
#define ITEM(value, head) ((Item)(value, head))
#define STORE_ITEM(items, i, item) vstore2(item, i, (__global ELEMENT *)(items))
#else
typedef ELEMENT Item;
#define VALUE_OF(item) (item)
#define ITEM(value, head) (value)
#define STORE_ITEM(items, i, item) (items)[i] = (item)
#endif
#define IDENTITY_ITEM ITEM(IDENTITY, 0)

ELEMENT combine(const ELEMENT a, const ELEMENT b)
{
    return OPERATION;
}

// The operator on items: as associative as `combine`, and never commutative if there are segments.
Item combine_items(const Item left, const Item right)
{
#if SEGMENTED
    const bool head = HEAD_OF(right) != 0;
    return ITEM(head ? VALUE_OF(right) : combine(VALUE_OF(left), VALUE_OF(right)), head ? 1 : HEAD_OF(left));
#else
    return combine(left, right);
#endif
}

Item item_at(__global const VALUE *x, __global const MARK *marks, const size_t i)
{
#if COMPACTION
    return marks[i] != 0;
#else
    return ITEM(x[i], marks[i] != 0);
#endif
}

// What a scan stores for element i, given the combination of all items before it and the combination that includes it.
ELEMENT prefix(__global const MARK *marks, const size_t i, const Item before, const Item after)
{
#if EXCLUSIVE && SEGMENTED
    return marks[i] ? IDENTITY : VALUE_OF(before);
#elif EXCLUSIVE
    return VALUE_OF(before);
#else
    return VALUE_OF(after);
#endif
}

void put(__global VALUE *out, __global const VALUE *x, __global const MARK *marks, const size_t i, const Item before,
         const Item after)
{
#if COMPACTION == 1
    if (VALUE_OF(before) != VALUE_OF(after))
        out[VALUE_OF(before)] = x[i];
#elif COMPACTION == 2
    if (VALUE_OF(before) != VALUE_OF(after))
        out[VALUE_OF(before)] = i;
#else
    out[i] = prefix(marks, i, before, after);
#endif
}
