"""
Arbitrage is a negative cycle
=============================

Rates of exchange multiply; their negated logarithms add. A round trip that gains money is then a cycle of negative
weight, and ``reedsp.sssp`` names one instead of answering.
"""

import itertools

import numpy as np
from matplotlib import pyplot as plt

import reedsp

currencies = ["EUR", "USD", "JPY", "GBP", "CHF", "SEK"]
worth = np.array([1.08, 1.0, 0.0067, 1.27, 1.13, 0.095])
rates = worth[:, None] / worth * 0.997  # what banks take
rates[[0, 2, 4], [2, 4, 0]] *= 1.004  # three that lag behind
source, target = np.nonzero(~np.eye(len(currencies), dtype=bool))
millionths = np.round(-1e6 * np.log(rates[source, target])).astype(np.int64)
market = reedsp.Graph.from_edges(len(currencies), source, target, millionths)

try:
    reedsp.sssp(market, 0)
except reedsp.NegativeCycleError as error:
    cycle, weight = error.cycle, error.weight
trip = " > ".join(currencies[each] for each in cycle)
print(f"{trip}: gains {np.exp(-weight / 1e6) - 1:.2%}")

# %%
# The market, and the trip.

figure, axes = plt.subplots(figsize=(5, 5), layout="constrained")
angle = 2 * np.pi * np.arange(len(currencies)) / len(currencies)
at = np.stack([np.cos(angle), np.sin(angle)], axis=1)
for each, other in zip(source, target, strict=True):
    axes.plot(*at[[each, other]].T, color="0.85", zorder=0)
for each, other in itertools.pairwise(cycle):
    axes.annotate(
        "",
        at[other],
        at[each],
        arrowprops={"arrowstyle": "->", "color": "crimson", "lw": 2, "shrinkA": 16, "shrinkB": 16},
    )
for name, place in zip(currencies, at, strict=True):
    axes.text(*place, name, ha="center", va="center", bbox={"boxstyle": "circle", "facecolor": "white"})
axes.set(aspect="equal", xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))
axes.axis("off")
plt.show()
