// A trace: checked, and replayed forwards and backwards from its differences.
"use strict";
const traces = (() => {
  class TraceError extends Error {}
  const MOST = 1_000_000;

  const fail = (where, what) => {
    throw new TraceError(`${where} ${what}`);
  };
  const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
  const object = (v, where) => (isObject(v) ? v : fail(where, "is no object"));
  const list = (v, where) => (Array.isArray(v) ? v : fail(where, "is no list"));
  const text = (v, where) => (typeof v === "string" && v.length <= 100_000 ? v : fail(where, "is no text"));
  const whole = (v, where, below = Infinity) =>
    Number.isInteger(v) && v >= 0 && v < below ? v : fail(where, `is no whole number from 0 to ${below - 1}`);
  const value = (v, where) => (values.isValue(v) ? v : fail(where, "is no value"));
  const has = (o, key) => Object.prototype.hasOwnProperty.call(o, key);
  const optional = (v, check, where) => (v === null || v === undefined ? null : check(v, where));

  function checkGraph(input) {
    const n = whole(input.n, "input.n", 1001);
    if (list(input.edges, "input.edges").length > 10_000) fail("input.edges", "has more than 10000 entries");
    input.edges.forEach((e, i) => {
      list(e, `input.edges[${i}]`);
      whole(e[0], `input.edges[${i}][0]`, n);
      whole(e[1], `input.edges[${i}][1]`, n);
      if (e.length > 2) value(e[2], `input.edges[${i}][2]`);
    });
    for (const key of ["names", "coordinates"]) {
      const given = optional(input[key], list, `input.${key}`);
      if (given && given.length !== n) fail(`input.${key}`, `has ${given.length} entries for ${n} vertices`);
    }
    (input.names || []).forEach((name, i) => {
      if (typeof name !== "string" && typeof name !== "number") fail(`input.names[${i}]`, "is neither text nor number");
    });
    (input.coordinates || []).forEach((at, i) => {
      list(at, `input.coordinates[${i}]`);
      if (![0, 1].every((axis) => Number.isFinite(at[axis]) && Math.abs(at[axis]) <= 1e100)) fail(`input.coordinates[${i}]`, "is no pair of numbers");
    });
    optional(input.sides, (v, w) => whole(v, w, n + 1), "input.sides");
    optional(input.source, (v, w) => whole(v, w, n), "input.source");
  }

  function checkArrays(arrays) {
    const names = Object.keys(arrays);
    if (!names.length) fail("arrays", "is empty");
    for (const name of names) {
      const array = object(arrays[name], `arrays.${name}`);
      let cells = 1;
      list(array.shape, `arrays.${name}.shape`).forEach((s, i) => (cells *= whole(s, `arrays.${name}.shape[${i}]`, MOST)));
      if (cells > MOST) fail(`arrays.${name}.shape`, `has more than ${MOST} cells`);
      for (const key of ["meaning", "of", "role", "dtype"]) optional(array[key], text, `arrays.${name}.${key}`);
      if (array.of === "matrix" && array.shape.length !== 2) fail(`arrays.${name}.shape`, "is not that of a matrix");
    }
  }

  function checkStep(step, where, arrays) {
    object(step, where);
    text(step.kernel, `${where}.kernel`);
    for (const key of ["says", "file"]) optional(step[key], text, `${where}.${key}`);
    for (const key of ["global", "local", "lines", "block"])
      (optional(step[key], list, `${where}.${key}`) || []).forEach((v, i) => whole(v, `${where}.${key}[${i}]`));
    for (const key of ["reads", "writes"])
      (optional(step[key], list, `${where}.${key}`) || []).forEach((v, i) => text(v, `${where}.${key}[${i}]`));
    (optional(step.active, list, `${where}.active`) || []).forEach((v, i) => whole(v, `${where}.active[${i}]`, MOST));
    optional(step.folded, whole, `${where}.folded`);
    for (const name of Object.keys(object(step.changes, `${where}.changes`)))
      if (!has(arrays, name)) fail(`${where}.changes`, `has "${name}", which arrays has not`);
  }

  function check(t) {
    object(t, "the trace");
    if (t.format !== "reedsp-trace") fail("format", 'is not "reedsp-trace"');
    if (t.version !== 1) fail("version", `is ${JSON.stringify(t.version)}; this page reads version 1`);
    for (const key of ["problem", "algorithm"]) text(t[key], key);
    for (const key of ["title", "paper", "device", "library"]) optional(t[key], text, key);
    object(t.input, "input");
    if (t.input.kind === "graph") checkGraph(t.input);
    else if (t.input.kind === "array")
      list(t.input.values, "input.values").forEach((v, i) => value(v, `input.values[${i}]`));
    else fail("input.kind", 'is neither "graph" nor "array"');
    checkArrays(object(t.arrays, "arrays"));
    const sources = optional(t.sources, object, "sources") || {};
    for (const file of Object.keys(sources)) text(sources[file], `sources.${file}`);
    if (!list(t.steps, "steps").length) fail("steps", "is empty");
    t.steps.forEach((step, k) => checkStep(step, `steps[${k}]`, t.arrays));
  }

  // One change of one array, so that it can be taken back: of single cells, or of all of it.
  function difference(change, state, where) {
    if (isObject(change)) {
      const after = list(change.all, `${where}.all`).map((v, i) => value(v, `${where}.all[${i}]`));
      if (after.length > MOST) fail(`${where}.all`, `has more than ${MOST} values`);
      const cells = [];
      for (let i = 0; i < Math.max(after.length, state.length); i++) if (after[i] !== state[i]) cells.push(i);
      return { before: state, after, cells };
    }
    const old = new Map();
    const now = new Map();
    list(change, where).forEach((pair, i) => {
      list(pair, `${where}[${i}]`);
      const at = pair[0];
      if (!Number.isInteger(at) || at < 0 || at >= state.length)
        fail(`${where}[${i}]`, `names cell ${JSON.stringify(at)} of ${state.length}`);
      if (!old.has(at)) old.set(at, state[at]);
      now.set(at, value(pair[1], `${where}[${i}][1]`));
    });
    return { old, now, cells: [...now.keys()] };
  }

  class Replay {
    constructor(trace) {
      check(trace);
      this.trace = trace;
      this.steps = trace.steps;
      this.names = Object.keys(trace.arrays);
      this.main = this.names.find((name) => trace.arrays[name].main === true) || this.names[0];
      this.state = new Map();
      this.ranges = new Map();
      for (const name of this.names) {
        const cells = trace.arrays[name].shape.reduce((a, b) => a * b, 1);
        this.state.set(name, new Array(cells).fill(null));
        this.ranges.set(name, [Infinity, -Infinity]);
      }
      this.differences = this.steps.map((step, k) => this.#prepare(step, k));
      this.k = this.steps.length - 1;
      this.go(0);
    }

    #prepare(step, k) {
      const found = new Map();
      for (const name of Object.keys(step.changes)) {
        const change = difference(step.changes[name], this.state.get(name), `steps[${k}].changes.${name}`);
        found.set(name, change);
        const range = this.ranges.get(name);
        const seen = (v) => {
          const x = values.number(v);
          if (Number.isFinite(x)) {
            range[0] = Math.min(range[0], x);
            range[1] = Math.max(range[1], x);
          }
        };
        (change.after || [...change.now.values()]).forEach(seen);
        this.#apply(name, change);
      }
      return found;
    }

    // An array is copied before it is written: differences keep those that they replaced.
    #apply(name, change) {
      this.state.set(name, change.after || Replay.#written(this.state.get(name), change.now));
    }

    static #written(cells, pairs) {
      const copy = cells.slice();
      for (const [i, v] of pairs) copy[i] = v;
      return copy;
    }

    static #before(cells, change) {
      if (!change) return cells;
      return change.after ? change.before : Replay.#written(cells, change.old);
    }

    go(to) {
      const k = Math.max(0, Math.min(this.steps.length - 1, to));
      for (; this.k < k; this.k++)
        for (const [name, change] of this.differences[this.k + 1]) this.#apply(name, change);
      for (; this.k > k; this.k--)
        for (const [name, change] of this.differences[this.k])
          this.state.set(name, Replay.#before(this.state.get(name), change));
    }

    array(name) {
      return this.trace.arrays[name];
    }
    values(name) {
      return this.state.get(name);
    }
    range(name) {
      return this.ranges.get(name);
    }
    step() {
      return this.steps[this.k];
    }
    // Cells that the present step has changed; the first step only shows what there is.
    changed(name, k = this.k) {
      const change = k > 0 ? this.differences[k].get(name) : undefined;
      return change ? change.cells : [];
    }
    withRole(role) {
      return this.names.filter((name) => this.trace.arrays[name].role === role);
    }
    // Rows of the history of an array, up to the present step, the oldest first.
    history(name, most) {
      const rows = [];
      let cells = this.state.get(name);
      for (let k = this.k; k >= 0 && rows.length < most; k--) {
        rows.push({ k, cells, changed: new Set(this.changed(name, k)) });
        cells = Replay.#before(cells, this.differences[k].get(name));
      }
      return rows.reverse();
    }
  }

  return { Replay, TraceError };
})();
