// Inputs as text, both ways, as reedsp/io/texts.py has them: numbers, or a line "v : a b=5" for each vertex.
"use strict";
const text = (() => {
  class TextError extends Error {}
  const MOST_VERTICES = 200;
  const MOST_EDGES = 2000;
  const MOST_ELEMENTS = 1000;
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

  // What a word says, or a value of a trace for it: integers that no number of this language holds stay digits.
  function value(word) {
    if (word === "inf") return null;
    if (/^(-inf|nan)$/.test(word)) return word;
    const v = Number(word);
    return /^[+-]?\d+$/.test(word) && !Number.isSafeInteger(v) ? String(BigInt(word.replace(/^\+/, ""))) : v;
  }

  // All digits of a value, with a point where its type has fractions.
  function numeral(v, type) {
    if (v === null) return "inf";
    const digits = Object.is(v, -0) ? "-0" : String(v);
    return /^float/.test(type) && /^-?\d+$/.test(digits) ? `${digits}.0` : digits;
  }

  // What a vertex is called in text: its name if all names are different numbers, else its index.
  function naming(input) {
    const names = (input.names || []).map(String);
    const numbers = names.length > 0 && names.every((name) => /^(0|[1-9]\d{0,14})$/.test(name)) && new Set(names).size === names.length;
    return (v) => (numbers ? Number(names[v]) : v);
  }

  function isSymmetric(arcs) {
    const key = ([u, v, w]) => `${u} ${v} ${w}`;
    const all = new Set(arcs.map(key));
    return arcs.every(([u, v, w]) => all.has(key([v, u, w])));
  }

  function write(input) {
    if (input.kind === "array") return input.values.map((v) => numeral(v, input.dtype)).join(" ") + "\n";
    const called = naming(input);
    const arcs = input.edges.map(([u, v, w]) => [u, v, w === undefined ? 1 : w]);
    if (!input.directed) arcs.push(...arcs.filter(([u, v]) => u !== v).map(([u, v, w]) => [v, u, w]));
    const rows = Array.from({ length: input.n }, () => new Set());
    for (const [u, v, w] of arcs) rows[u].add(Number(w) === 1 ? String(called(v)) : `${called(v)}=${w}`);
    const lines = rows.map((row, v) => [called(v), ":", ...row].join(" "));
    return [...(input.directed && isSymmetric(arcs) ? ["directed"] : []), ...lines].join("\n") + "\n";
  }

  function readArray(content) {
    const words = content.split(/\s+/).filter(Boolean);
    words.forEach((word, i) => {
      if (!NUMBER.test(word) && !/^(-?inf|nan)$/.test(word)) throw new TextError(`word ${i + 1}: "${word.slice(0, 20)}" is no number`);
    });
    if (words.length > MOST_ELEMENTS) throw new TextError(`there are ${words.length} numbers; at most ${MOST_ELEMENTS} can be watched`);
    const integers = words.every((word) => /^[+-]?\d+$/.test(word));
    return { kind: "array", dtype: integers ? "int64" : "float64", values: words.map(value) };
  }

  function readGraph(content) {
    const ids = new Map();
    const listed = new Set();
    const lightest = new Map(); // of parallel edges
    let directed = false;
    const vertex = (word, line) => {
      if (!/^\d{1,15}$/.test(word)) throw new TextError(`line ${line}: "${word.slice(0, 20)}" is no vertex`);
      ids.set(Number(word), 0);
      return Number(word);
    };
    content.split("\n").forEach((whole, i) => {
      const line = whole.split("#")[0].trim();
      if (!line) return;
      if (line === "directed" && !listed.size) {
        directed = true;
        return;
      }
      const colon = line.indexOf(":");
      if (colon < 0) throw new TextError(`line ${i + 1}: has no ":" after its vertex`);
      const u = vertex(line.slice(0, colon).trim(), i + 1);
      if (listed.has(u)) throw new TextError(`line ${i + 1}: vertex ${u} has a line already`);
      listed.add(u);
      for (const word of line.slice(colon + 1).split(/\s+/).filter(Boolean)) {
        const [head, ...weight] = word.split("=");
        if (weight.length > 1 || (weight.length && !NUMBER.test(weight[0])))
          throw new TextError(`line ${i + 1}: weight "${weight.join("=").slice(0, 20)}" is no number`);
        const v = vertex(head, i + 1);
        const w = weight.length ? value(weight[0]) : 1;
        const key = `${u} ${v}`;
        if (!lightest.has(key) || Number(w) < Number(lightest.get(key)[2])) lightest.set(key, [u, v, w]);
      }
    });
    const sorted = [...ids.keys()].sort((a, b) => a - b);
    const arcs = [...lightest.values()];
    if (sorted.length > MOST_VERTICES) throw new TextError(`there are ${sorted.length} vertices; at most ${MOST_VERTICES} can be watched`);
    sorted.forEach((id, i) => ids.set(id, i));
    directed = directed || !isSymmetric(arcs);
    const edges = arcs.map(([u, v, w]) => [ids.get(u), ids.get(v), w]).filter(([u, v]) => directed || u <= v);
    if (edges.length > MOST_EDGES) throw new TextError(`there are ${edges.length} edges; at most ${MOST_EDGES} can be watched`);
    const names = sorted.some((id, i) => id !== i) ? sorted : null;
    const weighted = edges.some(([, , w]) => w !== 1);
    return { kind: "graph", n: sorted.length, directed, weighted, edges, names, coordinates: null, sides: null, source: sorted.length ? 0 : null };
  }

  const read = (content, like) => (like.kind === "array" ? readArray(content) : readGraph(content));

  return { read, write, value, naming, TextError };
})();
