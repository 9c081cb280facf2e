// Augmenting paths of a matching of a bipartite graph, until it is a maximum one, by one work-item.
//
// Source:       Pothen and Fan 1990, with lookahead; every second phase looks at a row from its last entry on (Duff, Kaya and
//               Ucar 2011).
// NDRange:      (1); work-group (1). A launch ends after about `budget` entries, and the next one goes on from there.
// Local memory: none.
// Macros:       POINTER, type of row pointers, and INDEX, of columns: int or long.
//   indptr     in   (n + 1) row pointers
//   indices    in   (m) columns
//   mates      i/o  (n + columns) what each row, then each column, is matched with; NONE
//   stack      i/o  (n) the rows of a path
//   positions  i/o  (n) how many entries of these rows have been looked at in this phase
//   looked     i/o  (n) how many entries of each row, from the first one on, have columns that are matched; zeros at first
//   seen       i/o  (columns) the phase in which a search has last come to each column; 0 at first, or UINT_MAX where none
//                   need come to
//   free_rows  i/o  (n) rows with entries that are not matched
//   state      i/o  (STATE_WORDS) as below, zeros before list_free_rows; then zeros but for [FREE] and [PHASE], which is 1
//
// When augment is done, the columns that were seen in phase state[PHASE] are those that an alternating path leads to from
// a row of the list.

#if !defined(POINTER) || !defined(INDEX)
#error "matching/depth_first.cl needs the macros POINTER and INDEX"
#endif

#include "core/language.cl"

#define NONE (-1)
#define CURSOR 0  // rows that have been looked at
#define IS_DONE 1
#define PHASE 2
#define FREE 3   // rows of the list
#define NEXT 4   // of these, whose turn it is
#define LEFT 5   // of those before, that are still free
#define FOUND 6  // augmenting paths of this phase
#define TOTAL 7  // augmenting paths
#define TOP 8    // entries of the stack
#define STATE_WORDS 9

// Lists the rows that are not matched.
WORK_GROUP(1, 1, 1)
__kernel void list_free_rows(__global const POINTER *restrict indptr, __global const int *restrict mates,
                             __global int *restrict free_rows, __global ulong *restrict state, const uint n,
                             const ulong budget)
{
    ulong row = state[CURSOR], count = state[FREE];
    const ulong last = min(row + budget, (ulong)n);
    for (; row < last; ++row) {
        if (mates[row] == NONE && indptr[row] < indptr[row + 1])
            free_rows[count++] = (int)row;
    }
    state[CURSOR] = row;
    state[FREE] = count;
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
            if (seen[column] < phase) {
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
