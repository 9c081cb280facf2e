"""
A picture cut in two
====================

A maximum flow from what is surely the thing to what is surely behind it is as large as the least cut between them:
the outline along which the picture changes most (Boykov and Jolly, 2001).
"""

import numpy as np
from matplotlib import pyplot as plt

import reedsp

side = 48
y, x = np.mgrid[:side, :side]
thing = ((x - 24) ** 2 / 190 + (y - 25) ** 2 / 110 < 1) | ((x - 31) ** 2 + (y - 14) ** 2 < 60)
grey = np.where(thing, 0.68, 0.32) + np.random.default_rng(6).normal(0, 0.13, thing.shape)

number = np.arange(side * side).reshape(side, side)
pairs = np.concatenate(
    [
        np.stack([number[:, :-1], number[:, 1:]], -1).reshape(-1, 2),
        np.stack([number[:-1], number[1:]], -1).reshape(-1, 2),
    ]
)
likeness = np.ceil(300 * np.exp(-8 * np.diff(grey.ravel()[pairs], axis=1)[:, 0] ** 2)).astype(np.int64)
front, back = side * side, side * side + 1
seems = np.clip(np.round(1000 * (grey.ravel() - 0.5)), -1000, 1000).astype(np.int64)
light, dark = np.flatnonzero(seems > 0), np.flatnonzero(seems < 0)
source = np.concatenate([pairs[:, 0], pairs[:, 1], np.full(len(light), front), dark])
target = np.concatenate([pairs[:, 1], pairs[:, 0], light, np.full(len(dark), back)])
capacity = np.concatenate([likeness, likeness, seems[light], -seems[dark]])
flow = reedsp.maximum_flow(reedsp.Graph.from_edges(side * side + 2, source, target, capacity), front, back)
inside = flow.is_source_side[number]
print(
    f"a flow of {flow.value:,} and a cut of {flow.cut().capacity:,}; {np.mean(inside == thing):.1%} of pixels are right"
)

# %%
# What was given, and what was found.

figure, panels = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
panels[0].imshow(grey, cmap="gray")
panels[1].imshow(grey, cmap="gray")
panels[1].contour(inside, [0.5], colors="crimson")
for axes in panels:
    axes.set(xticks=[], yticks=[])
plt.show()
