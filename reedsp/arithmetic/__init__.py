"""The types that path weights are computed in, so that no answer is rounded or wraps."""
