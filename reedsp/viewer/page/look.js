// What a step looks like on the drawing of a graph: text, tint and marks of vertices and edges.
"use strict";
const look = (() => {
  const truthy = (v) => v === true || (v !== null && v !== "nan" && v !== false && values.number(v) > 0);

  function edgeMarks(replay, n) {
    const marks = new Map();
    const mark = (u, v, kind) => {
      if (u >= 0 && v >= 0 && u < n && v < n) marks.set(Math.min(u, v) * n + Math.max(u, v), kind);
    };
    for (const name of replay.withRole("predecessor"))
      if (replay.array(name).of !== "matrix") replay.values(name).forEach((p, v) => mark(values.index(p, n), v, "tree"));
    for (const name of replay.withRole("mate")) replay.values(name).forEach((p, v) => mark(values.index(p, n), v, "tree"));
    return marks;
  }

  function chosen(replay) {
    const indices = new Set();
    for (const name of replay.withRole("chosen")) replay.values(name).forEach((v, i) => truthy(v) && indices.add(i));
    return indices;
  }

  function badges(replay, n) {
    const found = new Array(n).fill("");
    const add = (v, name) => {
      if (v >= 0 && v < n) found[v] += (found[v] ? " " : "") + values.short(name.replace(/^(is|in)_/, ""), 12);
    };
    for (const name of replay.withRole("set")) new Set(replay.values(name)).forEach((v) => add(values.index(v, n), name));
    for (const name of replay.withRole("flag"))
      if (replay.array(name).of === "vertices") replay.values(name).forEach((v, i) => truthy(v) && add(i, name));
    return found;
  }

  // Cells of the shown array that belong to vertices: itself, or a row of a matrix.
  function cellsOf(replay, shown, n, selected, source) {
    const array = replay.array(shown);
    if (array.of === "vertices") return { cells: replay.values(shown), from: 0 };
    if (array.of === "matrix" && array.shape[1] === n) {
      const row = selected && selected.vertex !== undefined ? selected.vertex : source || 0;
      return { cells: replay.values(shown).slice(row * n, row * n + n), from: row * n, row };
    }
    return null;
  }

  function make(replay, input, shown, selected, nameOf) {
    const array = replay.array(shown);
    const { role } = array;
    const found = cellsOf(replay, shown, input.n, selected, input.source);
    const changed = new Set(replay.changed(shown));
    const active = new Set(replay.step().active || []);
    const badge = badges(replay, input.n);
    const [low, high] = replay.range(shown);
    const labelled = role === "label" || role === "pointer" || role === "mate" || role === "predecessor";
    const marks = edgeMarks(replay, input.n);
    const picked = chosen(replay);
    const roots = found && found.row !== undefined ? found.row : input.source;

    function vertex(v) {
      const name = nameOf(v);
      const value = found ? found.cells[v] : undefined;
      const none = found && (value === "nan" || values.isNone(value, role));
      const text = found ? values.text(value, role) : name;
      const number = values.number(value);
      return {
        text,
        name,
        none,
        badge: badge[v],
        changed: found && changed.has(found.from + v),
        active: active.has(v),
        source: roots === v,
        category: found && !none && role === "label" && Number.isInteger(number) ? Math.abs(number) : undefined,
        share: !found || none || labelled || !(high > low) ? 0.15 : Math.max(0, Math.min(1, (number - low) / (high - low))),
        title: `${name}: ${found ? `${shown} ${text}` : ""}`,
      };
    }
    const lineClass = (line) => marks.get(Math.min(line.u, line.v) * input.n + Math.max(line.u, line.v)) || (line.indices.some((i) => picked.has(i)) ? "tree" : "");
    const arrows = replay.withRole("pointer").flatMap((name) =>
      replay.array(name).of === "vertices"
        ? replay.values(name).map((p, v) => [v, values.index(p, input.n)]).filter(([v, p]) => p >= 0 && p !== v && v < input.n)
        : [],
    );
    return { vertex, lineClass, arrows, selected };
  }

  // A graph that is being edited: names alone.
  const plain = (nameOf, selected, source) => ({
    vertex: (v) => ({ text: nameOf(v), name: nameOf(v), badge: "", title: nameOf(v), share: 0.15, source: source === v }),
    lineClass: () => "",
    arrows: [],
    selected,
  });

  return { make, plain };
})();
