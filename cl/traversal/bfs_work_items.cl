// Breadth-first search by single work-items, for CPU devices: top-down, and bottom-up where that looks at fewer edges.
//
// Source:       Beamer, Asanovic and Patterson, "Direction-Optimizing Breadth-First Search" (2012); the tree is that
//               of shortest paths in which every edge weighs 1.
// NDRange:      global (1, rows) for top_down and advance, (parts, rows) for the others; work-group (1, 1). A part is
//               a range of words of 64 vertices; a row is the search from one source.
// Local memory: none.
// Macros:       those of core/prefetch.cl and traversal/bfs_direction.cl. Offsets are row pointers (traversal/queue.cl).
//
// One 64-bit word holds all about a vertex: its level above its predecessor. A later level or a larger predecessor is
// a greater word, so that the minimum word is the answer, whatever the order in which a level is searched. In a level of
// many vertices these are sorted, by bits: the first one that leads to another vertex is then its smallest predecessor,
// and a bit says whether there was one, which is near where the word would be far.
//   first_edge, targets  in   (n + 1), (m) successors of each vertex, ascending
//   first_in, sources    in   (n + 1), (m) predecessors of each vertex, ascending
//   found                i/o  (rows, n) the words
//   queue                i/o  (rows, n + BLOCK) traversal/queue.cl: vertices in the order of their levels, those apart
//                             that were found bottom-up
//   ends                 i/o  (rows, n) traversal/queue.cl; of the vertices of a wide level
//   marks                i/o  (rows, words) traversal/queue.cl; of what a wide level cannot lead to
//   level_bits           i/o  (rows, words) one bit for each vertex, all 0
//   level_words          i/o  (rows, words / 64, rounded up) one bit for each of these words, all 0
//   unvisited            i/o  (rows, words) one bit for each vertex that is to be looked at bottom-up
//   frontier             i/o  (rows, 2, words) one bit for each vertex of the last level, and of the next one; which
//                             is which changes with every level
//   sums                 i/o  (rows, parts, 2) what each part has found in a level: vertices, and edges that leave them
//   control              i/o  (rows, CONTROL_WORDS)
//   answers              out  (rows, 2, n) levels, and predecessors

#include "core/prefetch.cl"
#include "traversal/bfs_direction.cl"

#define POINTER OFFSET
#define INDEX int
#include "traversal/queue.cl"

#define FOUND(level, predecessor) ((ulong)(level) << 32 | (predecessor))
#define UNREACHED FOUND(0xFFFFFFFFu, NO_PREDECESSOR)
#define WORD_BITS MARKS

// Words of control.
#define STEP 0        // what comes next
#define LEVEL 1       // of the vertices that are searched from
#define HEAD 2        // indices in the queue: of the first vertex of this level that is still to be searched from,
#define END 3         // of the first vertex behind this level,
#define TAIL 4        // and behind the vertices found so far
#define UNEXPLORED 5  // edges that leave vertices not reached yet, and top-down also those not searched from yet
#define BOTTOM_UP_LEVELS 6
#define EDGE_FACTOR 7  // of bottom_up_pays
#define IS_WIDE 8      // whether the vertices of this level are sorted
#define BEGIN 9        // index in the queue of the first vertex of a wide level
#define MARKED 10      // entries of the queue that are marked
#define CONTROL_WORDS 11

// Steps.
#define TOP_DOWN 0
#define TO_BOTTOM_UP 1  // bottom-up, and the bits have to be written first
#define BOTTOM_UP 2
#define DONE 3

#define NARROW 64  // parts of all vertices; a level of more than one of them is wide

// How far PREFETCH is ahead.
#define FAR_AHEAD 16  // indices in the queue, or vertices
#define AHEAD 8
#define SOON 4

uint lowest_bit(const ulong bits)
{
    return 63 - (uint)clz(bits & -bits);
}

bool bit_of(__global const ulong *words, const uint vertex)
{
    return words[vertex / WORD_BITS] >> (vertex % WORD_BITS) & 1;
}

uint words_of(const uint n)
{
    return n / WORD_BITS + (n % WORD_BITS != 0);
}

__kernel void begin(__global const int *restrict start_vertices, __global const OFFSET *restrict first_edge,
                    __global ulong *restrict found, __global int *restrict queue, __global ulong *restrict marks,
                    __global ulong *restrict level_bits, __global ulong *restrict level_words,
                    __global ulong *restrict control, const ulong edge_factor, const uint part_words, const uint n)
{
    const size_t row = get_global_id(1);
    const uint source = (uint)start_vertices[row], words = words_of(n);
    const ulong first_word = get_global_id(0) * (ulong)part_words, first = first_word * WORD_BITS;
    const ulong last_word = min(first_word + part_words, (ulong)words), last = min(last_word * WORD_BITS, (ulong)n);
    found += row * n;
    for (ulong vertex = first; vertex < last; ++vertex)
        found[vertex] = vertex == source ? FOUND(0, NO_PREDECESSOR) : UNREACHED;
    marks += row * words;
    level_bits += row * words;
    for (ulong word = first_word; word < last_word; ++word) {
        marks[word] = word == source / WORD_BITS ? 1ul << source % WORD_BITS : 0;
        level_bits[word] = 0;
    }
    if (get_global_id(0) == 0) {
        queue[row * ((size_t)n + BLOCK)] = (int)source;
        level_words += row * words_of(words);
        for (uint word = 0; word < words_of(words); ++word)
            level_words[word] = 0;
        control += row * CONTROL_WORDS;
        control[STEP] = TOP_DOWN;
        control[LEVEL] = 0;
        control[HEAD] = 0;
        control[END] = 1;
        control[TAIL] = 1;
        control[UNEXPLORED] = first_edge[n];
        control[BOTTOM_UP_LEVELS] = 0;
        control[EDGE_FACTOR] = edge_factor;
        control[IS_WIDE] = control[BEGIN] = control[MARKED] = 0;
    }
}

// Sorts the vertices of a level.
void sort(__global int *queue, __global ulong *level_bits, __global ulong *level_words, const size_t first,
          const size_t last)
{
    uint lowest = UINT_MAX;
    for (size_t i = first; i < last; ++i) {
        const uint vertex = (uint)queue[i], word = vertex / WORD_BITS;
        level_bits[word] |= 1ul << vertex % WORD_BITS;
        level_words[word / WORD_BITS] |= 1ul << word % WORD_BITS;
        lowest = min(lowest, word / WORD_BITS);
    }
    size_t next = first;
    for (uint i = lowest; next < last; ++i) {
        for (ulong words = level_words[i]; words != 0; words &= words - 1) {
            const uint word = i * WORD_BITS + lowest_bit(words);
            for (ulong bits = level_bits[word]; bits != 0; bits &= bits - 1)
                queue[next++] = (int)(word * WORD_BITS + lowest_bit(bits));
            level_bits[word] = 0;
        }
        level_words[i] = 0;
    }
}

// Searches level after level, until bottom-up pays or about `budget` edges have been looked at. The edges that leave a
// level are counted only if there can be enough of them for bottom-up: no vertex has more than `largest_degree`.
__kernel void top_down(__global const OFFSET *restrict first_edge, __global const int *restrict targets,
                       __global ulong *restrict found, __global int *restrict queue, __global uint *restrict ends,
                       __global ulong *restrict marks, __global ulong *restrict level_bits,
                       __global ulong *restrict level_words, __global ulong *restrict control, const ulong budget,
                       const uint largest_degree, const uint n)
{
    const size_t row = get_global_id(1);
    control += row * CONTROL_WORDS;
    if (control[STEP] != TOP_DOWN)
        return;
    const uint words = words_of(n);
    found += row * n;
    queue += row * ((size_t)n + BLOCK);
    ends += row * n;
    marks += row * words;
    level_bits += row * words;
    level_words += row * words_of(words);
    ulong level = control[LEVEL], unexplored = control[UNEXPLORED], spent = 0;
    size_t begin = control[BEGIN], head = control[HEAD], end = control[END], tail = control[TAIL];
    size_t marked = control[MARKED];
    const ulong edge_factor = control[EDGE_FACTOR];
    ulong step = TOP_DOWN;
    bool is_wide = control[IS_WIDE];
    while (step == TOP_DOWN && spent < budget) {
        if (head == end) {
            ulong level_edges = 0;
            ++level;
            if (is_wide) {
                for (size_t i = begin, place = end; i < end; ++i)
                    for (; place < ends[i]; ++place)
                        found[queue[place]] = FOUND(level, (uint)queue[i]);
                marked = tail;
            }
            is_wide = tail - end > n / NARROW;
            if (is_wide) {
                for (; marked < tail; ++marked)
                    marks[queue[marked] / MARKS] |= 1ul << queue[marked] % MARKS;
                sort(queue, level_bits, level_words, end, tail);
            }
            if (bottom_up_pays((tail - end) * largest_degree, 0, edge_factor, n))
                for (size_t index = end; index < tail; ++index)
                    level_edges += first_edge[queue[index] + 1] - first_edge[queue[index]];
            if (end == tail) {
                step = DONE;
            } else if (bottom_up_pays(level_edges, unexplored - level_edges, edge_factor, n)) {
                step = TO_BOTTOM_UP;
                unexplored -= level_edges;
            }
            spent += tail - end;
            begin = end;
            end = tail;
            continue;
        }
        PREFETCH(first_edge + queue[min(head + FAR_AHEAD, tail - 1)]);
        PREFETCH(targets + first_edge[queue[min(head + AHEAD, tail - 1)]]);
        const int source = queue[head++];
        const OFFSET first = first_edge[source], last = first_edge[source + 1];
        unexplored -= last - first;
        spent += last - first + 1;
        if (is_wide) {
            tail = append_all(targets, first, last, marks, queue, tail);
            ends[head - 1] = (uint)tail;
            continue;
        }
        const int soon = queue[min(head + SOON, tail - 1)];
        if (first_edge[soon] < first_edge[soon + 1]) {
            PREFETCH(found + targets[first_edge[soon]]);
            PREFETCH(found + targets[first_edge[soon + 1] - 1]);
        }
        // No branch, which would be mispredicted: each target is written to the queue, and stays if it is new. A larger
        // predecessor is a greater word.
        const ulong word = FOUND(level + 1, (uint)source);
        for (OFFSET edge = first; edge < last; ++edge) {
            const int target = targets[edge];
            const ulong before = found[target];
            queue[tail] = target;
            tail += before == UNREACHED;
            found[target] = min(before, word);
        }
    }
    control[STEP] = step;
    control[LEVEL] = level;
    control[HEAD] = head;
    control[END] = end;
    control[TAIL] = tail;
    control[UNEXPLORED] = unexplored;
    control[IS_WIDE] = is_wide;
    control[BEGIN] = begin;
    control[MARKED] = marked;
}

__kernel void write_bits(__global const ulong *restrict found, __global ulong *restrict unvisited,
                         __global ulong *restrict frontier, __global const ulong *restrict control,
                         const uint part_words, const uint n)
{
    const size_t row = get_global_id(1);
    const uint words = words_of(n);
    control += row * CONTROL_WORDS;
    if (control[STEP] != TO_BOTTOM_UP)
        return;
    const ulong level = control[LEVEL];
    found += row * n;
    unvisited += row * words;
    frontier += (2 * row + (level & 1)) * words;
    const size_t first = get_global_id(0) * (size_t)part_words, last = min(first + part_words, (size_t)words);
    for (size_t word = first; word < last; ++word) {
        const size_t base = word * WORD_BITS;
        const uint bits = (uint)min((size_t)WORD_BITS, n - base);
        ulong new_unvisited = 0, new_frontier = 0;
        for (uint bit = 0; bit < bits; ++bit) {
            const ulong of_vertex = found[base + bit];
            new_unvisited |= (ulong)(of_vertex == UNREACHED) << bit;
            new_frontier |= (ulong)(of_vertex >> 32 == level) << bit;
        }
        unvisited[word] = new_unvisited;
        frontier[word] = new_frontier;
    }
}

// One level: every vertex that is not reached yet looks for its first predecessor in the last level.
__kernel void bottom_up(__global const OFFSET *restrict first_in, __global const int *restrict sources,
                        __global const OFFSET *restrict first_edge, __global ulong *restrict found,
                        __global ulong *restrict unvisited, __global ulong *restrict frontier,
                        __global ulong *restrict sums, __global const ulong *restrict control, const uint part_words,
                        const uint first_part, const uint parts, const uint n)
{
    const size_t row = get_global_id(1), part = first_part + get_global_id(0);
    const uint words = words_of(n);
    control += row * CONTROL_WORDS;
    if (control[STEP] == TOP_DOWN || control[STEP] == DONE)
        return;
    const ulong level = control[LEVEL];
    found += row * n;
    unvisited += row * words;
    __global const ulong *last_level = frontier + (2 * row + (level & 1)) * words;
    __global ulong *next_level = frontier + (2 * row + 1 - (level & 1)) * words;
    ulong vertices = 0, edges = 0;
    const size_t first_word = part * part_words, last_word = min(first_word + part_words, (size_t)words);
    for (size_t word = first_word; word < last_word; ++word) {
        const ulong before = unvisited[word];
        ulong reached = 0, unreachable = 0;
        for (ulong left = before; left != 0; left &= left - 1) {
            const ulong bit = left & -left;
            const size_t vertex = word * WORD_BITS + lowest_bit(left);
            const OFFSET first = first_in[vertex], last = first_in[vertex + 1];
            PREFETCH(sources + first_in[min(vertex + FAR_AHEAD, (size_t)n)]);
            OFFSET edge = first;
            while (edge < last && !bit_of(last_level, (uint)sources[edge]))
                ++edge;
            if (edge < last) {
                found[vertex] = FOUND(level + 1, (uint)sources[edge]);
                reached |= bit;
                edges += first_edge[vertex + 1] - first_edge[vertex];
            }
            if (first == last)
                unreachable |= bit;
        }
        next_level[word] = reached;
        if (before != 0)
            unvisited[word] = before & ~(reached | unreachable);
        vertices += popcount(reached);
    }
    sums[2 * (row * parts + part)] = vertices;
    sums[2 * (row * parts + part) + 1] = edges;
}

// Ends a level that was searched bottom-up.
__kernel void advance(__global const ulong *restrict frontier, __global int *restrict queue,
                      __global ulong *restrict marks, __global const ulong *restrict sums,
                      __global ulong *restrict control, const uint parts, const uint n)
{
    const size_t row = get_global_id(1);
    control += row * CONTROL_WORDS;
    if (control[STEP] == TOP_DOWN || control[STEP] == DONE)
        return;
    ulong vertices = 0, level_edges = 0;
    for (size_t part = row * parts; part < (row + 1) * parts; ++part) {
        vertices += sums[2 * part];
        level_edges += sums[2 * part + 1];
    }
    const ulong level = control[LEVEL] + 1, unexplored = control[UNEXPLORED] - level_edges;
    control[LEVEL] = level;
    control[BOTTOM_UP_LEVELS] += 1;
    const uint words = words_of(n);
    frontier += (2 * row + (level & 1)) * words;
    marks += row * words;
    for (size_t word = 0; word < words; ++word)
        marks[word] |= frontier[word];
    if (vertices == 0) {
        control[STEP] = DONE;
    } else if (bottom_up_pays(level_edges, unexplored, control[EDGE_FACTOR], n)) {
        control[STEP] = BOTTOM_UP;
        control[UNEXPLORED] = unexplored;
    } else {
        queue += row * ((size_t)n + BLOCK);
        size_t tail = control[TAIL];
        control[BEGIN] = control[HEAD] = tail;
        for (size_t word = 0; word < words; ++word)
            for (ulong left = frontier[word]; left != 0; left &= left - 1)
                queue[tail++] = (int)(word * WORD_BITS + lowest_bit(left));
        control[END] = tail;
        control[TAIL] = tail;
        control[STEP] = TOP_DOWN;
    }
}

__kernel void split(__global const ulong *restrict found, __global int *restrict answers, const uint part_words,
                    const uint n)
{
    const size_t row = get_global_id(1);
    const ulong first = get_global_id(0) * (ulong)part_words * WORD_BITS;
    const ulong last = min(first + (ulong)part_words * WORD_BITS, (ulong)n);
    found += row * n;
    __global int *levels = answers + 2 * row * n, *predecessors = levels + n;
    for (ulong vertex = first; vertex < last; ++vertex) {
        levels[vertex] = (int)(found[vertex] >> 32);
        predecessors[vertex] = (int)found[vertex];
    }
}
