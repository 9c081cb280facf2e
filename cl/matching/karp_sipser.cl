// A large matching of a bipartite graph by one work-item, from its rows alone: what has a single choice goes first.
//
// Source:       Karp and Sipser 1981, for the vertices of both sides. A row watches two columns that are not matched, as a
//               clause watches two literals (Moskewicz et al. 2001): it looks for another one when one of them is matched,
//               and has a single choice if it finds none. A column knows how many rows are left, and their exclusive or,
//               which is the row if it is one: so nobody needs the rows of each column.
// NDRange:      count: one work-item for each of `parts`, which have as many entries as each other; begin: one for each
//               PIECE of rows and columns; match (1); work-group (1). A launch of match ends after about `budget` entries, and
//               the next one goes on from there.
// Local memory: none.
// Macros:       PIECE; POINTER, type of row pointers, and INDEX, of columns: int or long.
//   indptr     in   (n + 1) row pointers, of which the first is 0 and the last m
//   indices    in   (m) columns
//   wrong      i/o  [0], set to 1 if a column is out of range
//   left       i/o  (parts, columns) zeros, then of each column the entries in rows that are not matched, and the exclusive
//                   or of these rows; from begin on the first part has all of them
//   mates      i/o  (n + columns) what each row, then each column, is matched with; NONE
//   heads      i/o  (columns) the first of those who watch a column, 2 * row or 2 * row + 1; END
//   following  i/o  (2n) the one after each of these; END
//   watched    i/o  (2n) the column of each of these: two of a row, or twice the same one if it has no other
//   looked     i/o  (n) entries of each row, from the first one on, that are watched or whose columns are matched
//   queue      i/o  (n + columns + 1) what had one choice left when it came here, columns counted on from n; the last entry
//                   is written in vain
//   seen       i/o  (columns) 0; SETTLED if the column was matched before a row chose one of two
//   free_rows  i/o  (n) rows that had a choice when the first row chose one of two, and were not matched
//   state      i/o  (STATE_WORDS) as below, zeros at first
//
// What is matched before a row chooses one of two is part of a maximum matching: augmenting paths may be searched from
// free_rows alone, and need not lead through columns that are SETTLED.

#if !defined(PIECE) || !defined(POINTER) || !defined(INDEX)
#error "matching/karp_sipser.cl needs the macros PIECE, POINTER and INDEX"
#endif

#include "core/language.cl"
#include "matching/row_of.cl"

#define NONE (-1)
#define END UINT_MAX
#define FEW 2  // entries of rows that never watch another column
#define SETTLED UINT_MAX
#define CURSOR 0   // how many have been looked at one after the other
#define HEAD 1     // of the queue, whose turn it is
#define TAIL 2     // entries of the queue
#define WATCHER 3  // of the column that has been matched last, whose turn it is, counted on from 1
#define FREE 4     // rows of the list
#define OPEN 5     // columns that rows can still choose when the first row chooses one of two, and are not matched
#define IS_DONE 6
#define STATE_WORDS 7

// A launch takes step `step` of `steps` of each part. Row pointers may be corrupt: no row after the last one is looked at.
WORK_GROUP(1, 1, 1)
__kernel void count(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global ulong *restrict left, __global uint *restrict wrong, const ulong m, const uint n,
                    const uint columns, const uint parts, const uint step, const uint steps)
{
    const size_t part = get_global_id(0);
    __global ulong *own = left + part * columns;
    const ulong each = m / parts, begin = each * part, end = part + 1 < parts ? begin + each : m;
    ulong entry = begin + (end - begin) / steps * step;
    const ulong last = step + 1 < steps ? begin + (end - begin) / steps * (step + 1) : end;
    bool is_wrong = false;
    for (uint row = row_of(indptr, entry, n); entry < last && row < n; ++row) {
        const ulong row_end = min((ulong)indptr[row + 1], last);
        for (; entry < row_end; ++entry) {
            const INDEX column = indices[entry];
            if (column >= 0 && column < (INDEX)columns)
                own[column] = own[column] + 1 ^ (ulong)row << 32;
            else
                is_wrong = true;
        }
    }
    if (is_wrong)
        atomic_or(&wrong[0], 1u);
}

WORK_GROUP(1, 1, 1)
__kernel void begin(__global ulong *restrict left, __global int *restrict mates, __global uint *restrict heads,
                    __global uint *restrict seen, const uint n, const uint columns, const uint parts)
{
    const ulong vertices = (ulong)n + columns, first = (ulong)get_global_id(0) * PIECE;
    const ulong last = min(first + PIECE, vertices);
    for (ulong vertex = first; vertex < last; ++vertex)
        mates[vertex] = NONE;
    for (ulong vertex = max(first, (ulong)n); vertex < last; ++vertex) {
        const size_t column = vertex - n;
        heads[column] = END;
        seen[column] = 0;
        ulong rows = left[column];
        for (size_t part = 1; part < parts; ++part) {
            const ulong more = left[part * columns + column];
            rows = (uint)rows + (uint)more + ((rows ^ more) >> 32 << 32);
        }
        left[column] = rows;
    }
}

// Returns the first entry from `entry` on whose column is not matched, and is not `other` either.
POINTER next_choice(__global const INDEX *indices, __global const int *column_mates, POINTER entry, const POINTER last,
                    const uint other)
{
    while (entry < last && (column_mates[indices[entry]] != NONE || (uint)indices[entry] == other))
        ++entry;
    return entry;
}

void add_watcher(__global uint *heads, __global uint *following, const uint column, const uint watcher)
{
    following[watcher] = heads[column];
    heads[column] = watcher;
}

// A row begins to watch two columns that are not matched; returns false if it has no two.
bool watches(__global const POINTER *indptr, __global const INDEX *indices, __global const int *column_mates,
             __global uint *heads, __global uint *following, __global uint *watched, __global uint *looked,
             const uint row)
{
    const POINTER first = indptr[row], last = indptr[row + 1];
    const POINTER entry = next_choice(indices, column_mates, first, last, END);
    const uint one = (uint)indices[entry < last ? entry : first];
    const POINTER second = next_choice(indices, column_mates, entry, last, one);
    const bool has_two = second < last;
    const uint other = has_two ? (uint)indices[second] : one;
    watched[2 * row] = one;
    watched[2 * row + 1] = other;
    looked[row] = (uint)(second - first) + 1;
    if (has_two) {
        add_watcher(heads, following, one, 2 * row);
        add_watcher(heads, following, other, 2 * row + 1);
    }
    return has_two;
}

// Single choices are taken from the last row on, as it happens the order in which SciPy's tests get the pairs that they
// name.
WORK_GROUP(1, 1, 1)
__kernel void match(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global ulong *restrict left, __global int *restrict mates, __global uint *restrict heads,
                    __global uint *restrict following, __global uint *restrict watched, __global uint *restrict looked,
                    __global uint *restrict queue, __global uint *restrict seen, __global uint *restrict free_rows,
                    __global ulong *restrict state, const uint n, const uint columns, const ulong budget)
{
    __global int *column_mates = mates + n;
    // The cursor passes rows with FEW entries that begin to watch, rows and columns with a single choice, other rows that
    // begin to watch, as they have fewer choices by now, columns to be counted, and rows that choose.
    const ulong singles = (ulong)2 * n + columns, watching = singles + n, counting = watching + columns;
    ulong cursor = state[CURSOR], head = state[HEAD], tail = state[TAIL], free = state[FREE], open = state[OPEN];
    uint watcher = (uint)state[WATCHER] - 1;
    bool is_done = false;
    for (ulong work = 0; work < budget; ++work) {
        if (watcher != END) {
            const uint row = watcher / 2, next = following[watcher];
            const uint other = watched[watcher ^ 1];
            if (mates[row] == NONE && column_mates[other] == NONE) {
                const POINTER first = indptr[row], last = indptr[row + 1], from = first + looked[row];
                const POINTER entry = next_choice(indices, column_mates, from, last, other);
                work += entry - from;
                if (entry == last) {
                    queue[tail++] = row;
                } else {
                    const uint column = (uint)indices[entry];
                    watched[watcher] = column;
                    looked[row] = (uint)(entry - first) + 1;
                    add_watcher(heads, following, column, watcher);
                }
            }
            watcher = next;
            continue;
        }
        const bool is_queued = head < tail;
        ulong vertex;
        if (is_queued) {
            vertex = queue[head++];
        } else if (cursor < n) {
            vertex = cursor++;
        } else if (cursor < singles) {
            vertex = cursor++ - n;
            vertex = vertex < n ? n - 1 - vertex : vertex;
        } else if (cursor < watching) {
            vertex = cursor++ - singles;
        } else if (cursor < counting) {
            const size_t column = cursor++ - watching;
            open += column_mates[column] == NONE && (uint)left[column] > 0;
            continue;
        } else if (cursor < counting + n) {
            vertex = cursor++ - counting;
        } else {
            is_done = true;
            break;
        }
        uint row, column;
        if (vertex < n) {
            row = (uint)vertex;
            const uint degree = (uint)(indptr[row + 1] - indptr[row]);
            if (mates[row] != NONE || degree == 0)
                continue;
            if (!is_queued && cursor <= watching) {
                const bool has_few = degree <= FEW;
                if (has_few == (cursor > singles))
                    continue;
                if (has_few && cursor > n) {
                    if (watched[2 * row] != watched[2 * row + 1])
                        continue;
                } else {
                    work += degree;
                    if (watches(indptr, indices, column_mates, heads, following, watched, looked, row) || has_few)
                        continue;
                }
            }
            const uint one = watched[2 * row], other = watched[2 * row + 1];
            const bool is_one_free = column_mates[one] == NONE, is_other_free = column_mates[other] == NONE;
            if (!is_one_free && !is_other_free) {
                if (is_queued && cursor > counting)
                    free_rows[free++] = row;
                continue;
            }
            column = is_one_free && !(is_other_free && (uint)left[other] < (uint)left[one]) ? one : other;
        } else {
            column = (uint)(vertex - n);
            if ((uint)left[column] != 1 || column_mates[column] != NONE)
                continue;
            row = (uint)(left[column] >> 32);
        }
        mates[row] = (int)column;
        column_mates[column] = (int)row;
        left[column] = UINT_MAX;
        if (cursor <= counting)
            seen[column] = SETTLED;
        else
            --open;
        const POINTER first = indptr[row], last = indptr[row + 1];
        for (POINTER entry = first; entry < last; ++entry) {
            const uint each = (uint)indices[entry];
            const ulong rows = left[each] - 1 ^ (ulong)row << 32;
            left[each] = rows;
            queue[tail] = n + each;
            tail += (uint)rows == 1;
        }
        work += last - first;
        watcher = heads[column];
    }
    state[CURSOR] = cursor;
    state[HEAD] = head;
    state[TAIL] = tail;
    state[FREE] = is_done && open == 0 ? 0 : free;  // if each column has a row, these cannot have one
    state[OPEN] = open;
    state[WATCHER] = (uint)(watcher + 1);  // 0 after END
    state[IS_DONE] = is_done;
}
