// A maximum matching of a bipartite graph as balls that choose bins by labels.
//
// Source:       choose_bin and choose_ball: thesis Algorithms 15-17 (Dulle, section 5.5); search: Algorithm 14 (Khosla 2013).
// NDRange:      choose_bin: a work-item for each PIECE of balls; choose_ball: for each PIECE of bins; search (1);
//               work-group of any size.
// Local memory: none.
// Macros:       PIECE; POINTER, type of row pointers, and INDEX, of columns: int or long.
//   indptr     in   (n + 1) where the candidates of each ball begin: balls are rows
//   indices    in   (m) candidates: bins are columns
//   first_row  in   (columns + 1) where the balls of each bin begin
//   rows       in   (m) balls
//   bin_of     i/o  (n) the bin that each ball has chosen; NO_BIN, or UNMATCHED for good
//   ball_of    i/o  (columns) the ball in each bin; NONE
//   of_balls   i/o  (n) labels
//   of_bins    i/o  (columns) labels, 0 at first
//   updates    i/o  core/rounds.cl; a round is choose_bin and choose_ball, and changes something if a ball has chosen
//   state      i/o  [CURSOR]: balls taken up so far; [HELD]: one more than the ball in the hand, or 0; [IS_DONE]; zeros
//
// Other than as printed:
// - A ball that its bin has not taken finds that out itself, in the next round: in Algorithm 17 the bin writes to the ball,
//   while other bins read there.
// - The bin with the least label is one of the ball's candidates, the ball with the largest one among those that have chosen
//   the bin; ties are broken by the least index.
// - A ball gives up if the least label is `limit` or more, as in Algorithm 14, and rounds go on until none chooses. n rounds
//   are not enough, and labels grow without limit.

#if !defined(PIECE) || !defined(POINTER) || !defined(INDEX)
#error "matching/balls.cl needs the macros PIECE, POINTER and INDEX"
#endif

#include "core/language.cl"
#include "core/rounds.cl"

#define NONE (-1)
#define NO_BIN (-1)
#define UNMATCHED (-2)
#define ENDLESS UINT_MAX  // label: this bin is not left any more, or there is no other one
#define CURSOR 0
#define HELD 1
#define IS_DONE 2
#define STATE_WORDS 3

typedef struct {
    int bin;            // with the least label; NO_BIN without candidates
    uint label, other;  // its label, and the least one of the other candidates
} Choice;

Choice best_bin(__global const INDEX *restrict indices, __global const uint *restrict of_bins, const POINTER first,
                const POINTER last)
{
    Choice best = {NO_BIN, ENDLESS, ENDLESS};
    for (POINTER entry = first; entry < last; ++entry) {
        const int bin = (int)indices[entry];
        const uint label = of_bins[bin];
        if (best.bin == NO_BIN || label < best.label || (label == best.label && bin < best.bin)) {
            best.other = min(best.other, best.label);
            best.bin = bin;
            best.label = label;
        } else if (bin != best.bin) {
            best.other = min(best.other, label);
        }
    }
    return best;
}

__kernel void choose_bin(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                         __global int *restrict bin_of, __global const int *restrict ball_of,
                         __global uint *restrict of_balls, __global const uint *restrict of_bins,
                         __global uint *restrict updates, const uint n, const uint limit, const uint phase)
{
    if (get_global_id(0) == 0)
        prepare_next_round(updates, phase);
    if (round_is_skipped(updates, phase))
        return;
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)n);
    bool has_chosen = false;
    for (size_t ball = first; ball < last; ++ball) {
        const int before = bin_of[ball];
        if (before == UNMATCHED || (before != NO_BIN && ball_of[before] == (int)ball))
            continue;
        const Choice best = best_bin(indices, of_bins, indptr[ball], indptr[ball + 1]);
        if (best.bin == NO_BIN || best.label >= limit) {
            bin_of[ball] = UNMATCHED;
        } else {
            bin_of[ball] = best.bin;
            of_balls[ball] = best.other;
            has_chosen = true;
        }
    }
    if (has_chosen)
        report_update(updates, phase);
}

__kernel void choose_ball(__global const uint *restrict first_row, __global const int *restrict rows,
                          __global const int *restrict bin_of, __global int *restrict ball_of,
                          __global const uint *restrict of_balls, __global uint *restrict of_bins,
                          __global const uint *restrict updates, const uint columns, const uint phase)
{
    if (updates[(phase + 1) % 3] == 0)
        return;
    const size_t first = get_global_id(0) * PIECE, last = min(first + PIECE, (size_t)columns);
    for (size_t bin = first; bin < last; ++bin) {
        int best = NONE;
        uint largest = 0;
        for (uint entry = first_row[bin]; entry < first_row[bin + 1]; ++entry) {
            const int ball = rows[entry];
            if (bin_of[ball] != (int)bin)
                continue;
            const uint label = of_balls[ball];
            if (best == NONE || label > largest || (label == largest && ball < best)) {
                best = ball;
                largest = label;
            }
        }
        if (best != NONE) {
            ball_of[bin] = best;
            of_bins[bin] = largest == ENDLESS ? ENDLESS : largest + 1;
        }
    }
}

// One ball after the other; one that is replaced is next. A launch ends after about `budget` candidates.
__kernel void search(__global const POINTER *restrict indptr, __global const INDEX *restrict indices,
                     __global int *restrict ball_of, __global uint *restrict of_bins, __global ulong *restrict state,
                     const uint n, const uint limit, const ulong budget)
{
    if (get_global_id(0) > 0)
        return;
    ulong cursor = state[CURSOR], held = state[HELD];
    for (ulong work = 0; work < budget && (held > 0 || cursor < n); ++work) {
        if (held == 0)
            held = ++cursor;
        const uint ball = (uint)(held - 1);
        const Choice best = best_bin(indices, of_bins, indptr[ball], indptr[ball + 1]);
        work += indptr[ball + 1] - indptr[ball];
        held = 0;
        if (best.bin == NO_BIN || best.label >= limit)
            continue;
        of_bins[best.bin] = best.other == ENDLESS ? ENDLESS : best.other + 1;
        held = (ulong)(ball_of[best.bin] + 1);
        ball_of[best.bin] = (int)ball;
    }
    state[CURSOR] = cursor;
    state[HELD] = held;
    state[IS_DONE] = held == 0 && cursor == n;
}
