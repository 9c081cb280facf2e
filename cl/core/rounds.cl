// Rounds of an iteration that report whether they have changed anything.
//
// The host queues them one behind the other (reedsp/device/iterate.py). They report through four words, `updates`.
// Round r runs with phase = r % 3: it does nothing if word `phase` is 0, and sets the next word if it changes anything.
// It clears the word after that for the round to come, so that no word is read and written in one launch.

#define ROUNDS_RUN 3

bool round_is_skipped(__global uint *updates, const uint phase)
{
    return updates[phase] == 0;
}

// For one work-item of the launch.
void prepare_next_round(__global uint *updates, const uint phase)
{
    updates[(phase + 2) % 3] = 0;
    if (!round_is_skipped(updates, phase))
        updates[ROUNDS_RUN] += 1;
}

// For each work-item, or one of each work-group, that has changed something.
void report_update(__global uint *updates, const uint phase)
{
    atomic_or(&updates[(phase + 1) % 3], 1u);
}
