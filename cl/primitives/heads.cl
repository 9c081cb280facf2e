// From the indices at which segments begin to one mark an element.
//
// Source:       the heads of thesis section 5.4.1, which are the entries of `vertex_edge_index`.
// NDRange:      global count rounded up to the work-group size, which is free.
// Local memory: none.
// Macros:       INDEX, type of the indices: int, uint, long or ulong.
//   indices  in   (count) elements at which a segment begins; those outside 0 to n - 1 begin none
//   marks   i/o  (words of four elements) one byte an element, set to 1; as words, because work-items may share one

#ifndef INDEX
#error "primitives/heads.cl needs the macro INDEX"
#endif

__kernel void clear(__global uint *restrict marks, const ulong words)
{
    const size_t i = get_global_id(0);
    if (i < words)
        marks[i] = 0;
}

__kernel void mark_heads(__global const INDEX *restrict indices, __global uint *restrict marks, const ulong count,
                         const ulong n)
{
    const size_t i = get_global_id(0);
    if (i >= count || indices[i] < 0 || (ulong)indices[i] >= n)
        return;
    const ulong index = indices[i];
#ifdef __ENDIAN_LITTLE__
    atomic_or(&marks[index / 4], 1u << (8 * (index % 4)));
#else
    atomic_or(&marks[index / 4], 1u << (8 * (3 - index % 4)));
#endif
}
