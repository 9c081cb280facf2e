// A large matching of a bipartite graph by one work-item, from its rows alone: what has a single choice goes first.
//
// Source:       Karp and Sipser 1981, for the vertices of both sides. A row watches two columns that are not matched, as a
//               clause watches two literals (Moskewicz et al. 2001): it looks for another one when one of them is matched,
//               and has a single choice if it finds none. A column knows how many rows are left, and their exclusive or,
//               which is the row if it is one: so the rows of each column are not needed. Hubs, the rows with more than
//               `most` entries, are left out of all this, and take what they find in the end.
// NDRange:      count: one work-item for each of `parts`, which have as many entries as each other; begin: one for each
//               PIECE of rows and columns; match (1); work-group (1). A launch of match ends after about `budget` entries, and
//               the next one goes on from there.
// Local memory: none.
// Macros:       PIECE; POINTER, type of row pointers, and INDEX, of columns: int or long; PREFETCH_BUILT_IN
//               (core/prefetch.cl).
//   indptr     in   (n + 1) row pointers, of which the first is 0 and the last m
//   indices    in   (m) columns
//   wrong      i/o  [0], set to 1 if a column is out of range
//   left       i/o  (parts, columns) zeros, then of each column the entries in rows that are not matched and no hubs, and
//                   the exclusive or of these rows; from begin on the first part has all of them
//   mates      i/o  (n + columns) what each row, then each column, is matched with; NONE
//   heads      i/o  (columns) the first of those who watch a column, 2 * row or 2 * row + 1; END
//   watch      i/o  (n) what each row watches
//   queue      i/o  (n + columns + 1) what had one choice left when it came here, columns counted on from n; the last entry
//                   is written in vain
//   listed     i/o  (n) rows with more than FEW entries: in front those that are no hubs, in the back, from the end on, hubs
//   seen       i/o  (columns) 0; SETTLED if the column was matched before a row chose one of two, and there are no hubs
//   free_rows  i/o  (n) rows with FEW entries at most; then those of them with a single choice; then rows that had a choice
//                   when the first row chose one of two, and were not matched, and hubs that were not
//   state      i/o  (STATE_WORDS) as below, zeros at first
//
// What is matched before a row chooses one of two is part of a maximum matching of the rows that are no hubs: augmenting
// paths may be searched from free_rows alone. Without hubs they need not lead through columns that are SETTLED. From a row
// without a choice left a path can only lead to rows that had none either: hubs do not change that.

#if !defined(PIECE) || !defined(POINTER) || !defined(INDEX)
#error "matching/karp_sipser.cl needs the macros PIECE, POINTER and INDEX"
#endif

#include "core/language.cl"
#include "core/prefetch.cl"
#include "matching/row_of.cl"

#define NONE (-1)
#define END UINT_MAX
#define SETTLED UINT_MAX
#define MATCHED ULONG_MAX  // instead of what is left of a column
#define FEW 2              // entries of rows that never watch another column

// Places of the queue, after the next one, that are looked at before it is their turn.
#define FAR_AHEAD 8
#define AHEAD 4
#define NEAR_AHEAD 2

// Stages, each of which goes on when the queue is empty.
#define LISTING 0   // of all rows
#define FEW_ROWS 1  // those with FEW entries begin to watch
#define SINGLES 2   // those of them with a single choice take it
#define COLUMNS 3   // with a single choice take it, when all of them are in the queue
#define OTHERS 4    // rows begin to watch, as they have fewer choices by now
#define COUNTING 5  // of columns to choose
#define CHOOSING 6  // rows choose one of two
#define HUBS 7      // take any column
#define DONE 8

#define STAGE 0
#define CURSOR 1   // how many of the stage have been looked at
#define LENGTH 2   // how many there are
#define HEAD 3     // of the queue, whose turn it is
#define TAIL 4     // entries of the queue
#define WATCHER 5  // of the column that has been matched last, whose turn it is, counted on from 1
#define FREE 6     // entries of free_rows
#define FRONT 7    // of listed
#define BACK 8
#define OPEN 9  // columns that rows can still choose when the first row chooses one of two, and are not matched
#define IS_DONE 10
#define STATE_WORDS 11

// A launch takes step `step` of `steps` of each part. Row pointers may be corrupt: no row after the last one is looked at.
WORK_GROUP(1, 1, 1)
__kernel void count(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global ulong *restrict left, __global uint *restrict wrong, const ulong m, const uint n,
                    const uint columns, const uint most, const uint parts, const uint step, const uint steps)
{
    const size_t part = get_global_id(0);
    __global ulong *own = left + part * columns;
    const ulong each = m / parts, begin = each * part, end = part + 1 < parts ? begin + each : m;
    ulong entry = begin + (end - begin) / steps * step;
    const ulong last = step + 1 < steps ? begin + (end - begin) / steps * (step + 1) : end;
    bool is_wrong = false;
    for (uint row = row_of(indptr, entry, n); entry < last && row < n; ++row) {
        const ulong row_end = min((ulong)indptr[row + 1], last);
        if ((ulong)indptr[row + 1] - (ulong)indptr[row] > most) {
            ulong largest = 0;
            for (; entry < row_end; ++entry)
                largest = max(largest, (ulong)indices[entry]);  // negative ones become large
            is_wrong |= largest >= columns;
        }
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

// What a row watches. If it watches nothing, or no more, there is END instead of the columns.
typedef struct {
    uint columns[2];  // two, or twice the same one if there is no other
    uint next[2];     // who watches each of them after this row; END
    POINTER entry;    // the first entry that has not been looked at
    POINTER last;     // entry of the row, and one more
} Watch;

bool is_free(__global const ulong *left, const uint column)
{
    return (long)left[column] >= 0;
}

// Returns the first entry from `entry` on whose column is not matched, and is not `other` either.
POINTER next_choice(__global const INDEX *indices, __global const ulong *left, POINTER entry, const POINTER last,
                    const uint other)
{
    while (entry < last && (!is_free(left, (uint)indices[entry]) || (uint)indices[entry] == other))
        ++entry;
    return entry;
}

// A row begins to watch two columns that are not matched; returns false if it has no two.
bool watches(__global const POINTER *indptr, __global const INDEX *indices, __global const ulong *left,
             __global uint *heads, __global Watch *watch, const uint row)
{
    const POINTER first = indptr[row], last = indptr[row + 1];
    const POINTER entry = next_choice(indices, left, first, last, END);
    const uint one = (uint)indices[entry < last ? entry : first];
    const POINTER second = next_choice(indices, left, entry, last, one);
    const bool has_two = second < last;
    const uint other = has_two ? (uint)indices[second] : one;
    watch[row] = (Watch){{one, other}, {END, END}, second + 1, last};
    if (has_two) {
        watch[row].next[0] = heads[one];
        watch[row].next[1] = heads[other];
        heads[one] = 2 * row;
        heads[other] = 2 * row + 1;
    }
    return has_two;
}

uint row_left(__global const ulong *left, const uint column, const uint n)
{
    return min((uint)(left[column] >> 32), n - 1);  // of a column that is matched it is any number
}

// Asks, in three steps, for what the rows and columns that wait in the queue lead to.
void ask_for(__global const POINTER *indptr, __global const INDEX *indices, __global const ulong *left,
             __global const Watch *watch, __global const uint *queue, const uint n)
{
    const uint far = queue[FAR_AHEAD], middle = queue[AHEAD], near = queue[NEAR_AHEAD];
    if (far < n) {
        PREFETCH(watch + far);
    } else {
        PREFETCH(left + (far - n));
    }
    if (middle >= n) {
        PREFETCH(indptr + row_left(left, middle - n, n));
    }
    if (near >= n) {
        const uint row = row_left(left, near - n, n);
        PREFETCH(indices + indptr[row]);
        PREFETCH(indices + indptr[row + 1] - 1);
    }
}

// Single choices are taken from the last row on, as it happens the order in which SciPy's tests get the pairs that they
// name.
WORK_GROUP(1, 1, 1)
__kernel void match(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                    __global ulong *restrict left, __global int *restrict mates, __global uint *restrict heads,
                    __global Watch *restrict watch, __global uint *restrict queue, __global uint *restrict listed,
                    __global uint *restrict seen, __global uint *restrict free_rows, __global ulong *restrict state,
                    const uint n, const uint columns, const uint most, const ulong budget)
{
    ulong stage = state[STAGE], cursor = state[CURSOR], length = stage == LISTING ? n : state[LENGTH];
    ulong head = state[HEAD], tail = state[TAIL], free = state[FREE], open = state[OPEN];
    ulong front = state[FRONT], back = state[BACK];
    uint watcher = (uint)state[WATCHER] - 1;
    for (ulong work = 0; work < budget && stage < DONE; ++work) {
        if (watcher != END) {
            __global Watch *own = watch + watcher / 2;
            const uint side = watcher % 2, other = own->columns[1 - side], next = own->next[side];
            if (other != END && is_free(left, other)) {
                const POINTER begun = own->entry;
                const POINTER entry = next_choice(indices, left, begun, own->last, other);
                work += entry - begun;
                if (entry == own->last) {
                    queue[tail++] = watcher / 2;
                } else {
                    const uint column = (uint)indices[entry];
                    own->columns[side] = column;
                    own->entry = entry + 1;
                    own->next[side] = heads[column];
                    heads[column] = watcher;
                }
            }
            watcher = next;
            continue;
        }
        const bool is_queued = head < tail && (stage != COLUMNS || cursor == length);
        if (!is_queued && cursor == length) {
            ++stage;
            cursor = 0;
            if (stage == FEW_ROWS || stage == SINGLES) {
                length = free;
                free = 0;
            } else if (stage == COLUMNS || stage == COUNTING) {
                length = columns;
            } else if (stage == OTHERS) {
                length = front;
            } else if (stage == CHOOSING) {
                length = open > 0 ? n : 0;
            } else if (stage == HUBS) {
                length = back;
                free = open > 0 ? free : 0;  // if each column has a row, these cannot have one
            }
            continue;
        }
        const ulong pause = min(length, cursor + (budget - work));
        ulong vertex;
        if (is_queued) {
            vertex = queue[head++];
            if (head + FAR_AHEAD < tail)
                ask_for(indptr, indices, left, watch, queue + head, n);
        } else if (stage == LISTING) {
            for (; cursor < pause; ++cursor, ++work) {  // what does not belong is overwritten
                const uint degree = (uint)(indptr[cursor + 1] - indptr[cursor]);
                free_rows[free] = (uint)cursor;
                listed[front] = (uint)cursor;
                listed[n - 1 - back] = (uint)cursor;
                watch[cursor].columns[0] = END;
                free += degree > 0 && degree <= FEW;
                front += degree > FEW && degree <= most;
                back += degree > most;
            }
            continue;
        } else if (stage == FEW_ROWS) {
            const uint row = free_rows[cursor++];
            free_rows[free] = row;
            free += !watches(indptr, indices, left, heads, watch, row);
            continue;
        } else if (stage == SINGLES) {
            vertex = free_rows[length - ++cursor];
        } else if (stage == COLUMNS) {
            for (; cursor < pause; ++cursor, ++work) {
                queue[tail] = n + (uint)cursor;
                tail += (uint)left[cursor] == 1;
            }
            continue;
        } else if (stage == OTHERS) {
            vertex = listed[cursor++];
            if (mates[vertex] != NONE)
                continue;
            work += indptr[vertex + 1] - indptr[vertex];
            if (watches(indptr, indices, left, heads, watch, (uint)vertex))
                continue;
        } else if (stage == COUNTING) {
            for (; cursor < pause; ++cursor, ++work)
                open += is_free(left, (uint)cursor) && (uint)left[cursor] > 0;
            continue;
        } else if (stage == CHOOSING) {
            vertex = cursor++;
        } else {
            const uint row = listed[n - ++cursor];
            const POINTER first = indptr[row], last = indptr[row + 1];
            const POINTER entry = next_choice(indices, left, first, last, END);
            work += entry - first;
            if (entry < last) {
                mates[row] = (int)indices[entry];
                mates[n + indices[entry]] = (int)row;
                left[indices[entry]] = MATCHED;
            } else {
                free_rows[free++] = row;
            }
            continue;
        }
        uint row, column;
        if (vertex < n) {
            row = (uint)vertex;
            const uint one = watch[row].columns[0], other = watch[row].columns[1];
            if (one == END)
                continue;
            const bool is_one_free = is_free(left, one), is_other_free = is_free(left, other);
            if (!is_one_free && !is_other_free) {
                if (is_queued && stage == CHOOSING)
                    free_rows[free++] = row;
                continue;
            }
            column = is_one_free && !(is_other_free && (uint)left[other] < (uint)left[one]) ? one : other;
        } else {
            column = (uint)(vertex - n);
            if ((uint)left[column] != 1)
                continue;
            row = (uint)(left[column] >> 32);
        }
        mates[row] = (int)column;
        mates[n + column] = (int)row;
        watch[row].columns[0] = watch[row].columns[1] = END;
        left[column] = MATCHED;
        if (stage < CHOOSING)
            seen[column] = back > 0 ? 0 : SETTLED;
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
    state[STAGE] = stage;
    state[CURSOR] = cursor;
    state[LENGTH] = length;
    state[HEAD] = head;
    state[TAIL] = tail;
    state[WATCHER] = (uint)(watcher + 1);  // 0 after END
    state[FREE] = free;
    state[FRONT] = front;
    state[BACK] = back;
    state[OPEN] = open;
    state[IS_DONE] = stage == DONE;
}
