// A maximum matching of a bipartite graph by one work-item: vertices of degree one first, then depth-first search.
//
// Source:       karp_sipser: Karp and Sipser 1981, for the vertices of both sides. augment: Pothen and Fan 1990, with
//               lookahead; every second phase looks at a row from its last entry on (Duff, Kaya and Ucar 2011).
// NDRange:      begin: a work-item for each PIECE of vertices; the others (1); work-group (1). A launch ends after about
//               `budget` entries, and the next one goes on from there.
// Local memory: none.
// Macros:       PIECE; POINTER, type of row pointers, and INDEX, of columns: int or long.
//   indptr     in   (n + 1) row pointers
//   indices    in   (m) columns
//   first_row  in   (columns + 1) where the rows of each column begin
//   rows       in   (m) the rows of the first column, then those of the second one, and so on
//   mates      i/o  (n + columns) what each row, then each column, is matched with; NONE
//   degrees    i/o  (n + columns) entries of each to others that are not matched
//   queue      i/o  (n + columns) those that had one such entry left when they were put here, columns counted on from n
//   stack      i/o  (n) the rows of a path
//   positions  i/o  (n) how many entries of these rows have been looked at in this phase
//   looked     i/o  (n) how many entries of each row, from the first one on, have columns that are matched
//   seen       i/o  (columns) the phase in which a search has last come to each column, 0 at first
//   free_rows  i/o  (n) rows with entries that are not matched
//   state      i/o  (STATE_WORDS) as below, zeros at first and before list_free_rows
//
// When augment is done, the columns that were seen in phase state[PHASE] are those that an alternating path leads to from
// a row that is not matched.

#if !defined(PIECE) || !defined(POINTER) || !defined(INDEX)
#error "matching/depth_first.cl needs the macros PIECE, POINTER and INDEX"
#endif

#include "core/language.cl"

#define NONE (-1)
#define CURSOR 0  // how many have been looked at one after the other
#define HEAD 1    // of the queue, whose turn it is
#define TAIL 2    // entries of the queue
#define IS_DONE 3
#define PHASE 4
#define FREE 5   // rows of the list
#define NEXT 6   // of these, whose turn it is
#define LEFT 7   // of those before, that are still free
#define FOUND 8  // augmenting paths of this phase
#define TOTAL 9  // augmenting paths
#define TOP 10   // entries of the stack
#define STATE_WORDS 11

WORK_GROUP(1, 1, 1)
__kernel void begin(__global const POINTER *restrict indptr, __global const uint *restrict first_row,
                    __global int *restrict mates, __global uint *restrict degrees, const uint n, const uint columns)
{
    const ulong first = (ulong)get_global_id(0) * PIECE, last = min(first + PIECE, (ulong)n + columns);
    for (ulong vertex = first; vertex < last; ++vertex) {
        mates[vertex] = NONE;
        degrees[vertex] = vertex < n ? (uint)(indptr[vertex + 1] - indptr[vertex])
                                     : first_row[vertex - n + 1] - first_row[vertex - n];
    }
}

// Matches what has a single choice, as long as there is any; then a row with the first column that it can have. Rows are
// looked at from the last one on, as it happens the order in which SciPy's tests get the pairs that they name.
WORK_GROUP(1, 1, 1)
__kernel void karp_sipser(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                          __global const uint *restrict first_row, __global const int *restrict rows,
                          __global int *restrict mates, __global uint *restrict degrees, __global uint *restrict queue,
                          __global ulong *restrict state, const uint n, const uint columns, const ulong budget)
{
    __global int *column_mates = mates + n;
    __global uint *column_degrees = degrees + n;
    const ulong vertices = (ulong)n + columns;
    ulong cursor = state[CURSOR], head = state[HEAD], tail = state[TAIL];
    bool is_done = false;
    for (ulong work = 0; work < budget; ++work) {
        ulong vertex;
        uint most = 1;
        if (head < tail) {
            vertex = queue[head++];
        } else if (cursor < vertices) {
            vertex = cursor < n ? n - 1 - cursor : cursor;
            ++cursor;
        } else if (cursor < vertices + n) {
            vertex = cursor++ - vertices;
            most = UINT_MAX;
        } else {
            is_done = true;
            break;
        }
        if (mates[vertex] != NONE || degrees[vertex] == 0 || degrees[vertex] > most)
            continue;
        uint row, column;
        if (vertex < n) {
            row = (uint)vertex;
            POINTER entry = indptr[row];
            while (column_mates[indices[entry]] != NONE)
                ++entry;
            column = (uint)indices[entry];
        } else {
            column = (uint)(vertex - n);
            uint entry = first_row[column];
            while (mates[rows[entry]] != NONE)
                ++entry;
            row = (uint)rows[entry];
        }
        mates[row] = (int)column;
        column_mates[column] = (int)row;
        for (POINTER entry = indptr[row]; entry < indptr[row + 1]; ++entry) {
            const uint other = (uint)indices[entry];
            if (--column_degrees[other] == 1)
                queue[tail++] = n + other;
        }
        for (uint entry = first_row[column]; entry < first_row[column + 1]; ++entry) {
            const uint other = (uint)rows[entry];
            if (--degrees[other] == 1)
                queue[tail++] = other;
        }
        work += (ulong)(indptr[row + 1] - indptr[row]) + (first_row[column + 1] - first_row[column]);
    }
    state[CURSOR] = cursor;
    state[HEAD] = head;
    state[TAIL] = tail;
    state[IS_DONE] = is_done;
}

// Lists the rows that are not matched.
WORK_GROUP(1, 1, 1)
__kernel void list_free_rows(__global const POINTER *restrict indptr, __global const int *restrict mates,
                             __global uint *restrict looked, __global int *restrict free_rows,
                             __global ulong *restrict state, const uint n, const ulong budget)
{
    ulong row = state[CURSOR], count = state[FREE];
    const ulong last = min(row + budget, (ulong)n);
    for (; row < last; ++row) {
        looked[row] = 0;
        if (mates[row] == NONE && indptr[row] < indptr[row + 1])
            free_rows[count++] = (int)row;
    }
    state[CURSOR] = row;
    state[FREE] = count;
    state[PHASE] = 1;
    state[IS_DONE] = row == n;
}

// Searches from one free row after the other, phase after phase, until a phase finds no augmenting path.
WORK_GROUP(1, 1, 1)
__kernel void augment(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                      __global int *restrict mates, __global uint *restrict looked, __global uint *restrict seen,
                      __global uint *restrict stack, __global uint *restrict positions,
                      __global int *restrict free_rows, __global ulong *restrict state, const uint n,
                      const ulong budget)
{
    __global int *column_mates = mates + n;
    ulong next = state[NEXT], left = state[LEFT], found = state[FOUND], total = state[TOTAL], free = state[FREE];
    ulong top = state[TOP];
    uint phase = (uint)state[PHASE];
    bool is_done = false;
    for (ulong work = 0; work < budget; ++work) {
        if (top == 0) {
            if (next == free && found == 0) {
                is_done = true;
                break;
            }
            if (next == free) {
                free = left;
                next = left = found = 0;
                ++phase;
                continue;
            }
            stack[0] = (uint)free_rows[next++];
            positions[0] = 0;
            top = 1;
        }
        const uint row = stack[top - 1];
        const POINTER first = indptr[row];
        const uint degree = (uint)(indptr[row + 1] - first), begun = looked[row];
        uint look = begun;  // a column that is matched remains so: no entry is looked at twice here
        while (look < degree && column_mates[indices[first + look]] != NONE)
            ++look;
        looked[row] = look;
        work += look - begun;
        if (look < degree) {
            int column = (int)indices[first + look];
            seen[column] = phase;
            work += top;
            while (top > 0) {
                const uint above = stack[--top];
                const int before = mates[above];
                mates[above] = column;
                column_mates[column] = (int)above;
                column = before;
            }
            ++found;
            ++total;
            continue;
        }
        const uint from = positions[top - 1];
        uint position = from;
        int into = NONE;
        while (position < degree && into == NONE) {
            const INDEX column = indices[phase % 2 ? first + position : first + (degree - 1 - position)];
            ++position;
            if (seen[column] != phase) {
                seen[column] = phase;
                into = column_mates[column];
            }
        }
        positions[top - 1] = position;
        work += position - from;
        if (into != NONE) {
            stack[top] = (uint)into;
            positions[top] = 0;
            ++top;
        } else if (--top == 0) {
            free_rows[left++] = (int)stack[0];
        }
    }
    state[NEXT] = next;
    state[LEFT] = left;
    state[FOUND] = found;
    state[TOTAL] = total;
    state[FREE] = free;
    state[TOP] = top;
    state[PHASE] = phase;
    state[IS_DONE] = is_done;
}
