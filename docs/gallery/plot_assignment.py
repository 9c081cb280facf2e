"""
Who does what, at the least cost
================================

``reedsp.full_matching`` gives each worker a task of their own so that the sum of the costs is least, and prices that
prove it. Here points are matched to points of a circle.
"""

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection

import reedsp

rng = np.random.default_rng(4)
points = rng.normal(0, 0.6, (150, 2))
angle = 2 * np.pi * np.arange(150) / 150
circle = 1.5 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
costs = np.round(1e6 * ((points[:, None] - circle) ** 2).sum(axis=2)).astype(np.int64) + 1
found = reedsp.full_matching(costs)
pairs = np.array(found.pairs())
print(f"sum of the squares: {costs[pairs[:, 0], pairs[:, 1]].sum() / 1e6:.3f}")

# %%
# Whichever pairs change partners, the sum becomes no smaller.

figure, axes = plt.subplots(figsize=(5.5, 5.5), layout="constrained")
axes.add_collection(LineCollection(np.stack([points[pairs[:, 0]], circle[pairs[:, 1]]], axis=1), color="0.6", lw=0.8))
axes.plot(*points.T, "o", ms=4)
axes.plot(*circle.T, "s", ms=3)
axes.set(aspect="equal", xticks=[], yticks=[])
plt.show()
