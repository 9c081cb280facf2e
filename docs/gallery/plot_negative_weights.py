"""
Negative weights: a road that charges the battery
=================================================

Uphill costs charge, downhill gives some of it back: some weights are negative, and Dijkstra's algorithm would be
wrong. reedsp takes them on any device, and proves that no round trip gains charge.
"""

import numpy as np
from matplotlib import pyplot as plt

import reedsp

side = 60
x, y = np.meshgrid(np.linspace(-2, 2, side), np.linspace(-2, 2, side))
height = (300 * np.exp(-(x**2) - y**2) + 200 * np.exp(-((x - 1.2) ** 2) - (y + 1.2) ** 2)).astype(np.int64)  # metres
number = np.arange(side * side).reshape(side, side)
pairs = np.concatenate(
    [
        np.stack([number[:, :-1], number[:, 1:]], -1).reshape(-1, 2),
        np.stack([number[:-1], number[1:]], -1).reshape(-1, 2),
    ]
)
pairs = np.concatenate([pairs, pairs[:, ::-1]])
climb = height.ravel()[pairs[:, 1]] - height.ravel()[pairs[:, 0]]
watt_hours = 4 + np.where(climb > 0, 5 * climb, 3 * climb)
graph = reedsp.Graph.from_edges(side * side, *pairs.T, watt_hours)
print(f"{(watt_hours < 0).sum()} of {graph.m:,} roads give charge back")

summit = int(height.argmax())
paths = reedsp.sssp(graph, summit)
print(f"least of all charges needed: {paths.dist.min():,.0f} Wh, which is a gain")

# %%
# What a trip from the summit takes; contours are heights.

figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
picture = axes.imshow(paths.dist.reshape(side, side), origin="lower", cmap="RdBu_r")
axes.contour(height, colors="black", linewidths=0.4)
for target in (0, side - 1, side * side - side, side * side - 1):
    axes.plot(*np.divmod(paths.path(target), side)[::-1], color="black")
axes.set(xticks=[], yticks=[])
figure.colorbar(picture, label="watt-hours from the summit", shrink=0.8)
plt.show()
