// A tree whose nodes are kept in the array of its leaves: each in the cell of its last leaf.
"use strict";
const trees = (() => {
  const ROW = 38;
  const MARGIN = 16;

  // For each level the values of its nodes, of the last step that wrote this level; null where none has.
  function levels(replay, name) {
    const leaves = replay.values(name).length;
    const heights = Math.round(Math.log2(Math.max(1, leaves)));
    const found = d3.range(heights + 1).map((level) => d3.range(leaves >> level).map(() => null));
    for (const { k, cells } of replay.history(name, replay.steps.length)) {
      const level = k === 0 ? 0 : replay.steps[k].level;
      if (!Number.isInteger(level) || level < 0 || level > heights) continue;
      found[level].forEach((_, j) => {
        found[level][j] = { value: cells[((j + 1) << level) - 1], k };
      });
    }
    return found;
  }

  function create(root) {
    const svg = d3.select(root).append("svg").attr("class", "tree").attr("role", "img");
    const [edges, nodes] = [svg.append("g"), svg.append("g")];

    function show(replay, name) {
      const isTree = replay.array(name).role === "tree" && replay.values(name).length > 1;
      svg.style("display", isTree ? null : "none");
      if (!isTree) return;
      const found = levels(replay, name);
      const height = MARGIN * 2 + ROW * (found.length - 1);
      svg.style("height", `${height}px`);
      const one = Math.max(40, svg.node().getBoundingClientRect().width) / found[0].length;
      const at = (level, j) => [Math.round(100 * one * (j + 0.5) * (1 << level)) / 100, height - MARGIN - ROW * level];
      const all = found.flatMap((row, level) => row.map((node, j) => ({ node, level, j, at: at(level, j) })));
      const inner = all.filter((each) => each.level > 0);
      edges
        .selectAll("path")
        .data(inner.flatMap((each) => [0, 1].map((side) => ({ from: each.at, to: at(each.level - 1, 2 * each.j + side) }))))
        .join("path")
        .attr("d", ({ from, to }) => `M${from}L${to}`);
      const groups = nodes
        .selectAll("g")
        .data(all)
        .join((enter) => {
          const made = enter.append("g");
          made.append("rect");
          made.append("text");
          return made;
        })
        .attr("class", ({ node }) => (!node ? "node none" : node.k === replay.k && node.k > 0 ? "node changed" : "node"))
        .attr("transform", (each) => `translate(${each.at})`);
      const wide = ({ level }) => Math.max(4, Math.min(46, one * (1 << level) - 3));
      groups.select("rect").attr("x", (each) => -wide(each) / 2).attr("width", wide).attr("y", -11).attr("height", 22).attr("rx", 4);
      const role = replay.array(name).role;
      groups.select("text").text((each) => (each.node ? values.short(values.text(each.node.value, role), Math.max(1, Math.floor(wide(each) / 7))) : ""));
      svg.attr("aria-label", `${name} as a tree of ${values.count(found[0].length, "leaf", "leaves")}`);
    }

    return { show };
  }

  return { create };
})();
