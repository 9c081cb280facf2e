// Inputs as text, both ways: arrays are numbers between white space, graphs are lines "v : a b c".
"use strict";
const text = (() => {
  class TextError extends Error {}
  const MOST_VERTICES = 200;
  const MOST_EDGES = 2000;
  const MOST_ELEMENTS = 1000;
  const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

  // What a vertex is called in text: its name if all names are different numbers, else its index.
  function naming(input) {
    const names = (input.names || []).map(String);
    const numbers = names.length > 0 && names.every((name) => /^\d{1,15}$/.test(name)) && new Set(names).size === names.length;
    return (v) => (numbers ? Number(names[v]) : v);
  }

  function write(input) {
    const called = naming(input);
    if (input.kind === "array") return input.values.map((v) => values.text(v)).join(" ") + "\n";
    const rows = Array.from({ length: input.n }, () => []);
    for (const [u, v, w] of input.edges) rows[u].push(input.weighted && w !== undefined ? `${called(v)}(${w})` : String(called(v)));
    return rows.map((row, v) => `${called(v)} : ${row.join(" ")}`.trimEnd()).join("\n") + "\n";
  }

  function readArray(content) {
    const words = content.split(/\s+/).filter(Boolean);
    words.forEach((word, i) => {
      if (!NUMBER.test(word)) throw new TextError(`number ${i + 1}: "${word.slice(0, 20)}" is no number`);
    });
    if (words.length > MOST_ELEMENTS) throw new TextError(`there are ${words.length} numbers; at most ${MOST_ELEMENTS} can be watched`);
    return { kind: "array", values: words.map(Number) };
  }

  function readGraph(content, directed) {
    const ids = new Map();
    const arcs = [];
    let weighted = false;
    const whole = (word, line) => {
      if (!/^\d{1,15}$/.test(word)) throw new TextError(`line ${line}: "${word.slice(0, 20)}" is no vertex`);
      return Number(word);
    };
    content.split("\n").forEach((row, i) => {
      const line = row.trim();
      if (!line) return;
      const colon = line.indexOf(":");
      if (colon < 0) throw new TextError(`line ${i + 1}: has no ":" after its vertex`);
      const u = whole(line.slice(0, colon).trim(), i + 1);
      ids.set(u, 0);
      for (const word of line.slice(colon + 1).split(/\s+/).filter(Boolean)) {
        const [, head, weight] = /^([^()]*)(?:\(([^()]*)\))?$/.exec(word) || [];
        if (head === undefined) throw new TextError(`line ${i + 1}: "${word.slice(0, 20)}" is neither "v" nor "v(weight)"`);
        if (weight !== undefined && !NUMBER.test(weight)) throw new TextError(`line ${i + 1}: weight "${weight.slice(0, 20)}" is no number`);
        weighted = weighted || weight !== undefined;
        const v = whole(head, i + 1);
        ids.set(v, 0);
        arcs.push([u, v, weight === undefined ? 1 : Number(weight)]);
      }
    });
    const sorted = [...ids.keys()].sort((a, b) => a - b);
    if (sorted.length > MOST_VERTICES) throw new TextError(`there are ${sorted.length} vertices; at most ${MOST_VERTICES} can be watched`);
    if (arcs.length > MOST_EDGES) throw new TextError(`there are ${arcs.length} edges; at most ${MOST_EDGES} can be watched`);
    sorted.forEach((id, i) => ids.set(id, i));
    const gaps = sorted.some((id, i) => id !== i);
    return {
      kind: "graph",
      n: sorted.length,
      directed,
      weighted,
      edges: arcs.map(([u, v, w]) => [ids.get(u), ids.get(v), w]),
      names: gaps ? sorted : null,
      coordinates: null,
      sides: null,
      source: sorted.length ? 0 : null,
    };
  }

  const read = (content, like) => (like.kind === "array" ? readArray(content) : readGraph(content, like.directed));

  return { read, write, naming, TextError };
})();
