// The page: which trace, step, view and selection are shown, and what follows from a change of them.
"use strict";
const app = (() => {
  const $ = (id) => document.getElementById(id);
  const VIEWS = { graph: "Graph", array: "Values", matrix: "Matrix" };
  const state = { entries: [], current: null, view: null, shown: null, selected: null, draft: null, run: null, busy: false };
  let [graph, large, small, cells] = [];

  // ---- entries: a trace each ---------------------------------------------------------------------------

  function entryOf(trace, taken) {
    const word = (v, otherwise) => (typeof v === "string" && v && v.length < 200 ? v : otherwise);
    const base = word(trace && trace.algorithm, "trace").replace(/\//g, "-");
    let key = base;
    for (let i = 2; taken.has(key); i++) key = `${base}-${i}`;
    const entry = { key, problem: word(trace && trace.problem, "trace"), title: word(trace && trace.title, base), trace, input: null, replay: null, error: null, lines: [], places: null };
    try {
      entry.replay = new traces.Replay(trace);
      entry.input = trace.input;
    } catch (error) {
      entry.error = error instanceof traces.TraceError ? error.message : `something in it is not as expected (${error.message})`;
    }
    return entry;
  }

  function add(trace) {
    const entry = entryOf(trace, new Set(state.entries.map((e) => e.key)));
    state.entries.push(entry);
    return entry;
  }

  function replace(trace) {
    const at = state.entries.indexOf(state.current);
    const same = state.entries.findIndex((e) => e.problem === trace.problem && e.trace && e.trace.algorithm === trace.algorithm);
    const others = new Set(state.entries.filter((_, i) => i !== same).map((e) => e.key));
    const entry = entryOf(trace, others);
    if (same >= 0) state.entries[same] = entry;
    else state.entries.splice(at + 1, 0, entry);
    return entry;
  }

  // ---- changes -------------------------------------------------------------------------------------------

  const nameOf = (v) => {
    const input = state.draft || (state.current && state.current.input);
    return String(input && input.names ? input.names[v] : v);
  };
  const canBe = (replay, name) => {
    const { of } = replay.array(name);
    return of === "matrix" ? "matrix" : of === "vertices" && state.current.input.kind === "graph" ? "graph" : "array";
  };

  function choose(entry, step = 0) {
    if (state.current && !state.draft && state.current.input && state.current.input.kind === "graph") state.current.places = graph.points();
    const before = state.current;
    state.current = entry;
    state.draft = null;
    state.selected = null;
    if (entry.replay) {
      entry.replay.go(step);
      state.shown = entry.replay.main;
      const best = canBe(entry.replay, state.shown);
      state.view = best === "matrix" ? "matrix" : entry.input.kind === "graph" ? "graph" : "array";
      if (entry.input.kind === "graph") {
        showStage();
        const same = before && before.input && JSON.stringify(before.input) === JSON.stringify(entry.input) ? before.places : null;
        graph.setGraph(entry.input, entry.places || same);
        if (entry.places || same) graph.fit();
        entry.lines = graph.lines();
      }
    }
    controls.list();
    render();
  }

  function go(step) {
    const { current } = state;
    if (!current || !current.replay || state.draft) return;
    current.replay.go(step);
    render();
  }

  function view(name) {
    if (!state.current || !state.current.replay) return;
    state.view = name;
    const { replay } = state.current;
    if (name === "matrix" && replay.array(state.shown).of !== "matrix") state.shown = replay.names.find((n) => replay.array(n).of === "matrix");
    render();
    if (name === "graph") graph.fit();
  }

  function show(name) {
    if (!state.current || !state.current.replay) return;
    state.shown = name;
    const of = canBe(state.current.replay, name);
    if (state.view === "matrix" && of !== "matrix") state.view = state.current.input.kind === "graph" ? "graph" : "array";
    render();
  }

  function select(selected) {
    state.selected = selected;
    render();
  }

  // ---- editing ---------------------------------------------------------------------------------------------

  const input = () => state.draft || state.current.input;

  // A change of the graph, made by a function of it; places of vertices that stay are kept.
  function change(make, places = graph.points()) {
    if (!state.current || !state.current.input || state.current.input.kind !== "graph" || state.busy) return;
    controls.stop();
    try {
      state.draft = make(input());
    } catch (error) {
      controls.say(error.message);
      return;
    }
    state.view = "graph";
    state.selected = null;
    showStage();
    graph.setGraph(state.draft, places);
    render();
  }

  function addVertex(at) {
    const point = at || free(graph.middle());
    change(editing.addVertex, [...graph.points(), point]);
    if (state.draft) select({ vertex: state.draft.n - 1 });
  }

  // A point near this one on which no vertex lies.
  function free(point) {
    const points = graph.points();
    for (let ring = 0; ring < 60; ring++)
      for (let i = 0; i < Math.max(1, 6 * ring); i++) {
        const angle = (2 * Math.PI * i) / Math.max(1, 6 * ring);
        const p = { x: point.x + ring * layout.APART * Math.cos(angle), y: point.y + ring * layout.APART * Math.sin(angle) };
        if (points.every((q) => Math.hypot(p.x - q.x, p.y - q.y) > layout.APART)) return p;
      }
    return point;
  }

  function addEdge(u, v) {
    change((given) => editing.addEdge(given, u, v));
    if (state.draft) select({ edge: graph.lines().length - 1 });
  }

  function removeSelected() {
    const { selected } = state;
    if (!selected || input().kind !== "graph") return;
    if (selected.edge !== undefined) {
      const { indices } = graph.lines()[selected.edge];
      change((given) => editing.removeEdges(given, indices));
    } else change((given) => editing.removeVertex(given, selected.vertex), graph.points().filter((_, v) => v !== selected.vertex));
  }

  function setWeight(weight) {
    const edge = state.selected && state.selected.edge;
    if (edge === undefined || edge === null || !Number.isFinite(Number(weight))) return;
    const { indices } = graph.lines()[edge];
    change((given) => editing.setWeight(given, indices, weight));
    select({ edge });
  }

  // An input that was typed or read.
  function use(next) {
    controls.stop();
    state.draft = next;
    state.selected = null;
    if (next.kind === "graph") {
      state.view = "graph";
      showStage();
      graph.setGraph(next, null);
    }
    render();
  }

  function discard() {
    choose(state.current, state.current.replay ? state.current.replay.k : 0);
  }

  // Runs a request; vertices that were drawn, by what they are called in text, stay where they are.
  async function run(request, places = null) {
    state.busy = true;
    render();
    try {
      const entry = replace(await editing.run(state.run, request));
      if (places && entry.input) {
        const called = text.naming(entry.input);
        const kept = Array.from({ length: entry.input.n }, (_, v) => places.get(called(v)));
        if (kept.every(Boolean)) entry.places = kept;
      }
      choose(entry);
    } catch (error) {
      controls.say(`It was not run: ${error.message}`);
      throw error;
    } finally {
      state.busy = false;
      render();
    }
  }

  function runDraft() {
    const { trace } = state.current;
    const given = input();
    const request = { text: text.write(given), kind: given.kind, algorithm: trace.algorithm };
    if (given.kind !== "graph") return run(request).catch(() => {});
    const called = text.naming(given);
    request.source = given.n ? called(given.source ?? 0) : null;
    return run(request, new Map(graph.points().map((point, v) => [called(v), point]))).catch(() => {});
  }

  // ---- drawing of the whole ------------------------------------------------------------------------------------

  function showStage() {
    for (const name of Object.keys(VIEWS)) $(name).toggleAttribute("hidden", name !== state.view);
    $("zoom").hidden = state.view !== "graph";
  }

  function render() {
    const { current, draft } = state;
    const broken = !current || !current.replay;
    document.body.classList.toggle("broken", broken);
    $("failure").hidden = !broken;
    if (broken) $("failure-text").textContent = current ? current.error : "There is no trace in this page.";
    controls.show(state);
    if (broken) return;
    const { replay } = current;
    showStage();
    const shownInput = draft || current.input;
    entryLines();
    if (draft) {
      if (draft.kind === "graph") graph.show(look.plain(nameOf, state.selected, draft.source));
      else $("array").hidden = true;
      panel.selection({ input: draft, replay: null, lines: graph.lines() }, state.selected, nameOf);
    } else {
      panel.show(replay);
      panel.selection(current, state.selected, nameOf);
      const chosen = state.selected ? state.selected.vertex : undefined;
      const names = (i) => (replay.array(state.shown).of === "vertices" ? nameOf(i) : String(i));
      if (state.view === "graph") graph.show(look.make(replay, shownInput, state.shown, state.selected, nameOf));
      if (state.view === "matrix") cells.show(replay, state.shown, nameOf, state.selected);
      if (state.view === "array") large.show(replay, state.shown, names, chosen);
      else if (replay.array(state.shown).of !== "matrix") small.show(replay, state.shown, names, chosen);
    }
    $("values").hidden = Boolean(draft);
    $("small").hidden = state.view === "array" || replay.array(state.shown).of === "matrix";
  }

  function entryLines() {
    if (state.current.input.kind === "graph") state.current.lines = graph.lines();
  }

  function start() {
    graph = drawing.create($("graph"), { select, addVertex, addEdge });
    large = bars.create($("array"));
    small = bars.create($("small"));
    cells = matrix.create($("matrix"), { select });
    let data = null;
    try {
      data = JSON.parse($("data").textContent);
    } catch (error) {
      data = { traces: [] };
    }
    state.run = typeof data.run === "string" ? data.run : null;
    state.algorithms = data.algorithms || {};
    state.generators = data.generators || {};
    (Array.isArray(data.traces) ? data.traces : []).forEach(add);
    controls.bind(state);
    const [entry, step] = controls.address(state.entries);
    if (entry) choose(entry, step);
    else render();
    document.body.dataset.ready = "";
  }

  function fail() {
    document.body.classList.add("broken");
    $("failure").hidden = false;
    $("failure-text").textContent = "This browser cannot unpack the page; those since 2023 can.";
  }

  return {
    get graph() {
      return graph;
    },
    start, fail, state, go, choose, view, show, select, input, nameOf, addVertex, addEdge, removeSelected, setWeight, use, discard, run, runDraft, change, render,
  };
})();
library.load().then(app.start, app.fail);
