// What is said about a step: the kernel, its sizes, what it read and wrote, and its source lines.
"use strict";
const panel = (() => {
  const $ = (id) => document.getElementById(id);

  function row(list, term, parts) {
    const dt = document.createElement("dt");
    dt.textContent = term;
    const dd = document.createElement("dd");
    dd.append(...parts);
    list.append(dt, dd);
  }

  function names(list, replay) {
    return list.flatMap((name, i) => {
      const code = document.createElement("code");
      code.textContent = name;
      const array = Object.prototype.hasOwnProperty.call(replay.trace.arrays, name) && replay.array(name);
      if (array && array.meaning) code.title = array.meaning;
      return i ? [", ", code] : [code];
    });
  }

  const product = (sizes) => sizes.map((s) => s.toLocaleString("en")).join(" \u00d7 ");

  function facts(replay, list) {
    const step = replay.step();
    list.replaceChildren();
    if (step.global && step.global.length) {
      const groups = step.local && step.local.length ? ` in work-groups of ${product(step.local)}` : "";
      row(list, "work-items", [`${product(step.global)}${groups}`]);
    }
    if (step.reads && step.reads.length) row(list, "reads", names(step.reads, replay));
    if (step.writes && step.writes.length) row(list, "writes", names(step.writes, replay));
    const changed = replay.names.filter((name) => replay.changed(name).length);
    const said = changed.flatMap((name, i) => [i ? ", " : "", ...names([name], replay), ` ${replay.changed(name).length}`]);
    row(list, "cells changed", said.length ? said : [replay.k ? "none" : "the beginning"]);
    if (step.folded) row(list, "left out", [`${values.count(step.folded, "launch", "launches")} before this one, which changed nothing`]);
  }

  let shownSource = [];
  function source(replay) {
    const step = replay.step();
    const sources = replay.trace.sources || {};
    const text = step.file && Object.prototype.hasOwnProperty.call(sources, step.file) ? sources[step.file] : null;
    $("source").hidden = text === null;
    if (text === null) {
      $("source-title").textContent = "";
      $("code").replaceChildren();
      shownSource = [];
      return;
    }
    const all = text.split("\n");
    const known = step.lines && step.lines.length === 2 && step.lines[0] <= all.length && step.lines[0] > 0;
    const [first, last] = known ? step.lines : [1, all.length];
    $("source-title").textContent = `${step.file}, lines ${first} to ${Math.min(last, all.length)}`;
    if (shownSource[0] === text && shownSource[1] === first && shownSource[2] === last) return;
    shownSource = [text, first, last];
    $("code").replaceChildren(
      ...all.slice(Math.max(0, first - 1), Math.min(last, first + 199)).map((line, i) => {
        const node = document.createElement("span");
        node.className = "line";
        node.dataset.number = first + i;
        node.textContent = line + "\n";
        return node;
      }),
    );
  }

  function show(replay) {
    const step = replay.step();
    $("kernel").textContent = step.kernel;
    $("says").textContent = step.says || "";
    $("line-kernel").textContent = step.kernel;
    $("line-says").textContent = step.says || "";
    facts(replay, $("facts"));
    source(replay);
  }

  // What is known of the selected vertex, element, edge or cell.
  function selection(entry, selected, name) {
    const list = $("selected-facts");
    list.replaceChildren();
    $("selected").hidden = !selected;
    if (!selected) return;
    const { replay } = entry;
    if (selected.edge !== undefined) {
      const line = entry.lines[selected.edge];
      $("selected-title").textContent = `Edge ${name(line.u)} ${entry.input.directed ? "\u2192" : "\u2013"} ${name(line.v)}`;
      if (line.w !== undefined) row(list, "weight", [values.text(line.w)]);
    } else {
      const i = selected.vertex;
      $("selected-title").textContent = `${entry.input.kind === "graph" ? "Vertex" : "Element"} ${name(i)}`;
      for (const key of replay ? replay.names : []) {
        const array = replay.array(key);
        const [code] = names([key], replay);
        const cells = replay.values(key);
        if (array.of === "matrix") {
          const row_ = cells.slice(i * array.shape[1], (i + 1) * array.shape[1]);
          const cell = selected.column === undefined ? row_.slice(0, 24).map((v) => values.text(v, array.role)).join(" ") + (row_.length > 24 ? " \u2026" : "") : `${values.text(row_[selected.column], array.role)} to ${name(selected.column)}`;
          rowOf(list, code, cell);
        } else if (array.role !== "set" && (array.of === "vertices" || array.of === "elements" || array.of === "cells") && i < cells.length) rowOf(list, code, values.text(cells[i], array.role));
        else if (array.role === "set" && cells.some((v) => values.index(v, 1e6) === i)) rowOf(list, code, "is in it");
      }
    }
  }
  function rowOf(list, code, text) {
    const dt = document.createElement("dt");
    dt.append(code);
    const dd = document.createElement("dd");
    dd.textContent = text;
    list.append(dt, dd);
  }

  return { show, selection };
})();
