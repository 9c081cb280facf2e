// The queue of a breadth-first search by one work-item, and marks of what is in it.
//
// Macros: POINTER, type of row pointers, and INDEX, of columns.
//   marks    a bit for each vertex: whether it is in the queue
//   queue    vertices; up to BLOCK entries behind the end are written in vain
//   ends     where in the queue ends what each of its vertices has put there; what the vertex before has put there
//            ends where this begins
//
// Whether a vertex has been reached before cannot be foreseen: without a branch, each edge writes an entry, and the next
// one replaces it if it was in vain.

#if !defined(POINTER) || !defined(INDEX)
#error "traversal/queue.cl needs the macros POINTER and INDEX"
#endif

#define MARKS 64  // bits of a word
#define BLOCK 64  // edges
#define FEW 6     // edges

inline uint is_marked(__global const ulong *marks, const uint vertex)
{
    return marks[vertex / MARKS] >> vertex % MARKS & 1;
}

// Write a vertex to the end of the queue, and return the new end, which is the old one if it has been in the queue.
inline size_t append(const uint vertex, __global ulong *marks, __global int *queue, const size_t tail)
{
    const ulong mask = 1ul << vertex % MARKS, word = marks[vertex / MARKS];
    queue[tail] = (int)vertex;
    marks[vertex / MARKS] = word | mask;
    return tail + !(word & mask);
}

// Append what the edges from `first` to `last` lead to. Where there are more than a few, marks are only read at first, so
// that no edge waits for the one before, and written for what is left.
inline size_t append_all(__global const INDEX *indices, const POINTER first, const POINTER last, __global ulong *marks,
                         __global int *queue, size_t tail)
{
    if (last - first < FEW) {
        for (POINTER entry = first; entry < last; ++entry)
            tail = append((uint)indices[entry], marks, queue, tail);
        return tail;
    }
    for (POINTER begin = first; begin < last; begin += BLOCK) {
        const POINTER end = min(begin + BLOCK, last);
        size_t new = tail;
        for (POINTER entry = begin; entry < end; ++entry) {
            queue[new] = (int)indices[entry];
            new += !is_marked(marks, (uint)indices[entry]);
        }
        for (size_t i = tail, count = new - tail; count; ++i, --count)
            tail = append((uint)queue[i], marks, queue, tail);  // it may occur twice
    }
    return tail;
}
