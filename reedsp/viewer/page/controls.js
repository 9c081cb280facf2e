// Buttons, lists, keys, dialogs, and the address, which keeps algorithm and step.
"use strict";
const controls = (() => {
  const $ = (id) => document.getElementById(id);
  const LARGEST_FILE = 262144; // bytes
  const SPEEDS = [1, 2, 5, 10, 20];
  const KEYS = [
    ["\u2190 \u2192", "a step back, a step"],
    ["Home End", "first step, last step"],
    ["Space", "play, pause"],
    ["[ ]", "select the vertex before, after"],
    [", .", "select the edge before, after"],
    ["Esc", "select nothing"],
    ["Shift + arrows", "move the selected vertex"],
    ["I", "insert a vertex; so does a double or right click"],
    ["E", "begin an edge at the selected vertex, end it at the next selected one with Enter; so does dragging with the right button or with Shift"],
    ["Delete", "delete the selected vertex or edge"],
    ["W", "weight of the selected edge"],
    ["F", "freeze: other vertices stay when one is dragged"],
    ["+ \u2212 0", "zoom in, zoom out, show all of it"],
    ["V", "next view"],
    ["X", "export; T saves TikZ"],
    ["N", "input as text"],
    ["R", "reset: first step, as it was recorded"],
    ["?", "this help"],
  ];
  const MARKS = [
    ["thick double ring, bold cell", "has changed in this step"],
    ["dashed ring, hatched bar, \u221e or \u2013", "has no value yet"],
    ["dotted outer ring", "works in this step"],
    ["thick edge", "belongs to the tree, the forest or the matching"],
    ["curved arrow", "a pointer from a vertex to a vertex"],
    ["name above a vertex", "of a set or flag that holds it"],
    ["thick ring, underlined number", "the source"],
    ["tint", "the darker, the larger; of labels one of eight tints"],
  ];
  let [timer, from] = [null, null];

  // ---- lists ------------------------------------------------------------------------------------------------

  function options(select, pairs, chosen) {
    select.replaceChildren(...pairs.map(([value, label]) => new Option(label, value, false, value === chosen)));
  }

  function list() {
    const { state } = app;
    document.body.classList.toggle("single", state.entries.length === 1);
    const problems = [...new Set(state.entries.map((e) => e.problem))];
    $("problems").replaceChildren(
      ...problems.map((problem) => {
        const tab = document.createElement("button");
        tab.type = "button";
        tab.setAttribute("role", "tab");
        tab.setAttribute("aria-controls", "stage");
        const mine = state.current && state.current.problem === problem;
        tab.setAttribute("aria-selected", String(mine));
        tab.tabIndex = mine ? 0 : -1;
        tab.textContent = problem;
        tab.addEventListener("click", () => enter(state.entries.find((e) => e.problem === problem)));
        return tab;
      }),
    );
    const same = state.entries.filter((e) => state.current && e.problem === state.current.problem);
    options($("algorithm"), same.map((e) => [e.key, e.title]), state.current && state.current.key);
  }

  function enter(entry, step = 0) {
    stop();
    app.choose(entry, step);
  }

  // ---- address ----------------------------------------------------------------------------------------------

  function address(entries) {
    const [, name = "", step = "0"] = /^#([^/]*)\/?(\d*)$/.exec(location.hash) || [];
    let key = name;
    try {
      key = decodeURIComponent(name);
    } catch {
      key = "";
    }
    const entry = entries.find((e) => e.key === key);
    return entry ? [entry, Number(step)] : [entries[0], 0];
  }

  let written = "";
  let waiting = 0;
  function writeAddress() {
    const { current } = app.state;
    if (!current || !current.replay) return;
    written = `#${encodeURIComponent(current.key)}/${current.replay.k}`;
    if (waiting) return; // browsers allow few changes of the address a second
    waiting = setTimeout(() => {
      waiting = 0;
      try {
        if (location.hash !== written) history.replaceState(null, "", written);
      } catch {
        written = ""; // a page in a frame may have no address of its own
      }
    }, 200);
  }

  // ---- play ----------------------------------------------------------------------------------------------------

  function stop() {
    clearInterval(timer);
    timer = null;
    playing(false);
  }

  function playing(on) {
    $("play-icon").setAttribute("href", on ? "#i-pause" : "#i-play");
    $("play").setAttribute("aria-label", on ? "Pause" : "Play");
  }

  function tick() {
    const { replay } = app.state.current;
    if (replay.k < replay.steps.length - 1) app.go(replay.k + 1);
    if (replay.k >= replay.steps.length - 1) stop();
  }

  function play() {
    const { current, draft } = app.state;
    if (timer) return stop();
    if (!current || !current.replay || draft) return undefined;
    if (current.replay.k === current.replay.steps.length - 1) app.go(0);
    timer = setInterval(tick, 1000 / Number($("speed").value));
    playing(true);
    return undefined;
  }

  function by(steps) {
    stop();
    const { replay } = app.state.current || {};
    if (replay) app.go(replay.k + steps);
  }

  function reset() {
    stop();
    const { current } = app.state;
    if (!current || !current.replay) return;
    current.places = null;
    app.state.current = null;
    app.choose(current, 0);
  }

  // ---- selection by keys ------------------------------------------------------------------------------------------

  function cycle(kind, by_) {
    const { selected, current } = app.state;
    if (!current || !current.replay) return;
    const input = app.input();
    const count = kind === "edge" ? (input.kind === "graph" ? app.graph.lines().length : 0) : input.kind === "graph" ? input.n : input.values.length;
    if (!count) return;
    const at = selected ? selected[kind] : undefined;
    app.select({ [kind]: at === undefined ? (by_ > 0 ? 0 : count - 1) : (at + by_ + count) % count });
    if (from !== null) say(`New edge from ${app.nameOf(from)}: choose its end with [ and ], then Enter.`);
  }

  function connect() {
    const { selected } = app.state;
    if (!selected || selected.vertex === undefined || app.input().kind !== "graph") return;
    from = selected.vertex;
    say(`New edge from ${app.nameOf(from)}: choose its end with [ and ], then Enter.`);
  }

  function finish() {
    const { selected } = app.state;
    if (from === null || !selected || selected.vertex === undefined) return false;
    const start = from;
    from = null;
    if (start !== selected.vertex) app.addEdge(start, selected.vertex);
    else say("");
    return true;
  }

  function nextView() {
    const all = [...$("views").children];
    const at = all.findIndex((b) => b.getAttribute("aria-pressed") === "true");
    if (all.length) all[(at + 1) % all.length].click();
  }

  const MOVES = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] };
  const ACTIONS = {
    ArrowRight: () => by(1),
    ArrowLeft: () => by(-1),
    Home: () => by(-Infinity),
    End: () => by(Infinity),
    " ": play,
    "[": () => cycle("vertex", -1),
    "]": () => cycle("vertex", 1),
    ",": () => cycle("edge", -1),
    ".": () => cycle("edge", 1),
    Escape: () => {
      from = null;
      say("");
      app.select(null);
    },
    i: () => app.addVertex(null),
    e: connect,
    Delete: () => app.removeSelected(),
    Backspace: () => app.removeSelected(),
    w: () => $("weight-label").hidden || $("weight").focus(),
    f: freeze,
    "+": () => app.graph.zoomBy(1.25),
    "=": () => app.graph.zoomBy(1.25),
    "-": () => app.graph.zoomBy(0.8),
    0: () => app.graph.fit(),
    v: nextView,
    x: () => $("export-dialog").showModal(),
    t: saveTikz,
    n: openInput,
    r: reset,
    "?": openHelp,
  };

  function key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
    const { target } = e;
    if (target.closest("input:not([type=range]), textarea, select")) return;
    if (target.closest("[role=tab]") && (e.key === "ArrowLeft" || e.key === "ArrowRight")) return moveTab(e);
    if ((e.key === " " || e.key === "Enter") && target.closest("button, summary")) return;
    if (target.closest("input[type=range]") && /^(Arrow|Home|End|Page)/.test(e.key)) return;
    if (e.key === "Enter") {
      if (finish()) e.preventDefault();
      return;
    }
    const { selected } = app.state;
    if (e.shiftKey && MOVES[e.key] && selected && selected.vertex !== undefined && app.state.view === "graph") {
      app.graph.move(selected.vertex, ...MOVES[e.key]);
      e.preventDefault();
      return;
    }
    const action = Object.hasOwn(ACTIONS, e.key) ? ACTIONS[e.key] : Object.hasOwn(ACTIONS, e.key.toLowerCase()) ? ACTIONS[e.key.toLowerCase()] : null;
    if (!action || !app.state.current || !app.state.current.replay) return;
    e.preventDefault();
    action();
  }

  function moveTab(e) {
    const tabs = [...$("problems").children];
    const to = tabs[(tabs.indexOf(e.target) + (e.key === "ArrowRight" ? 1 : -1) + tabs.length) % tabs.length];
    e.preventDefault();
    const index = tabs.indexOf(to);
    to.click();
    $("problems").children[index].focus();
  }

  function freeze() {
    app.graph.freeze(!app.graph.isFrozen());
    $("freeze").setAttribute("aria-pressed", String(app.graph.isFrozen()));
  }

  // ---- dialogs -----------------------------------------------------------------------------------------------------

  function fileName(ending) {
    const { current } = app.state;
    return `${current.key.replace(/[^\w.-]+/g, "-")}-${current.replay.k}.${ending}`;
  }

  function saveSvg() {
    const { current, view, shown } = app.state;
    const picture = view === "matrix" ? exporting.matrixSvg(current.replay, shown) : exporting.svg(view === "graph" ? $("graph") : $("array").querySelector("svg.bars"));
    exporting.save(fileName("svg"), "image/svg+xml", picture);
  }

  function saveTikz() {
    const { current, draft, view, shown, selected } = app.state;
    const { replay } = current;
    const input = app.input();
    const picture =
      view === "matrix" ? exporting.matrix(replay, shown)
      : view === "array" ? exporting.bars(replay, shown)
      : exporting.tikz(input, app.graph.lines(), app.graph.points(), draft ? look.plain(app.nameOf, selected, input.source) : look.make(replay, input, shown, selected, app.nameOf));
    exporting.save(fileName("tikz"), "application/x-tex", picture);
  }

  function openHelp() {
    $("help-dialog").showModal();
    $("help-title").focus(); // else it would begin at its end, where its button is
  }

  function openInput() {
    const { state } = app;
    const input = app.input();
    $("edit-text").value = text.write(input);
    $("edit-error").textContent = "";
    $("edit-hint").textContent =
      (input.kind === "array" ? "Numbers between white space." : "A line for each vertex, v : a b c, with its neighbours; a=5 is one by an edge of weight 5. It is undirected if each edge is listed both ways.") +
      (state.run ? "" : " This page was saved and has no device: what is changed can be saved as text, and watched with reedsp watch FILE.");
    $("edit-run").hidden = !state.run;
    options($("run-algorithm"), (state.algorithms[input.kind] || [[state.current.trace.algorithm, state.current.title]]), state.current.trace.algorithm);
    options($("generator"), (state.generators[input.kind] || []).map((name) => [name, name]));
    $("run-source").value = input.source === null || input.source === undefined ? "" : text.naming(input)(input.source);
    $("run-source-label").hidden = input.kind === "array";
    $("edit-apply").textContent = state.run ? "Run" : "Show it";
    $("edit-dialog").showModal();
    $("edit-text").setSelectionRange(0, 0);
    $("edit-text").scrollTop = 0;
  }

  const said = () => $("edit-error");
  async function applyInput() {
    try {
      const next = text.read($("edit-text").value, app.input());
      if (app.state.run) await runInput({ text: $("edit-text").value });
      else app.use(next);
      $("edit-dialog").close();
    } catch (error) {
      said().textContent = error.message;
    }
  }

  function runInput(what) {
    const { kind } = app.input();
    const request = { ...what, kind, algorithm: $("run-algorithm").value };
    if (kind === "graph" && $("run-source").value.trim()) request.source = /^\d+$/.test($("run-source").value.trim()) ? Number($("run-source").value) : $("run-source").value.trim();
    return app.run(request);
  }

  async function generate() {
    try {
      await runInput({ generate: $("generator").value, size: Number($("size").value) });
      $("edit-dialog").close();
    } catch (error) {
      said().textContent = error.message;
    }
  }

  async function readFile(e) {
    const [file] = e.target.files;
    if (!file) return;
    if (file.size > LARGEST_FILE) said().textContent = `${file.name} has more than ${LARGEST_FILE} bytes`;
    else $("edit-text").value = await file.text();
    e.target.value = "";
  }

  function say(message) {
    $("says").textContent = message;
  }

  function help() {
    const table = (rows, caption) => {
      const root = document.createElement("table");
      root.createCaption().textContent = caption;
      for (const [what, meaning] of rows) {
        const row = root.insertRow();
        const head = document.createElement("th");
        head.scope = "row";
        head.textContent = what;
        row.append(head);
        row.insertCell().textContent = meaning;
      }
      return root;
    };
    $("help-body").replaceChildren(table(KEYS, "Keys"), table(MARKS, "Marks"));
  }

  // ---- state of all of them --------------------------------------------------------------------------------------------

  function views(state) {
    const { replay } = state.current;
    const kinds = [];
    if (state.current.input.kind === "graph") kinds.push(["graph", "Graph"]);
    if (replay.names.some((n) => replay.array(n).of === "matrix")) kinds.push(["matrix", "Matrix"]);
    if (replay.array(state.shown).of !== "matrix") kinds.push(["array", "Values"]);
    const wanted = kinds.map(([k]) => k).join();
    if ($("views").dataset.kinds !== wanted) {
      $("views").dataset.kinds = wanted;
      $("views").replaceChildren(
        ...kinds.map(([kind, label]) => {
          const button = document.createElement("button");
          button.type = "button";
          button.textContent = label;
          button.dataset.view = kind;
          button.addEventListener("click", () => app.view(kind));
          return button;
        }),
      );
    }
    for (const button of $("views").children) button.setAttribute("aria-pressed", String(button.dataset.view === state.view));
    $("views").hidden = kinds.length < 2 || Boolean(state.draft);
  }

  function show(state) {
    const { current, draft } = state;
    const replay = current && current.replay;
    const last = replay ? replay.steps.length - 1 : 0;
    const k = replay ? replay.k : 0;
    const still = !replay || Boolean(draft) || state.busy;
    for (const id of ["first", "back"]) $(id).disabled = still || k === 0;
    for (const id of ["next", "last"]) $(id).disabled = still || k === last;
    for (const id of ["play", "at", "reset", "speed", "export", "edit"]) $(id).disabled = !replay || (still && id !== "edit" && id !== "reset");
    $("at").max = last;
    $("at").value = k;
    $("at").setAttribute("aria-valuetext", replay ? `step ${k} of ${last}: ${replay.step().kernel}` : "");
    $("count").textContent = replay ? `${k} of ${last}` : "";
    $("device").textContent = current && current.trace && typeof current.trace.device === "string" ? `Recorded on ${current.trace.device}` : "";
    $("draft").hidden = !draft;
    if (!replay) return;
    if (draft) {
      const what = draft.kind === "graph" ? `${values.count(draft.n, "vertex", "vertices")}, ${values.count(draft.edges.length, "edge")}` : values.count(draft.values.length, "number");
      $("draft-text").textContent = state.busy ? "It is being run." : `Changed: ${what}.` + (state.run ? "" : " This page has no device; Export saves it as text.");
      $("kernel").textContent = "Changed input";
      $("says").textContent = state.run ? "Run it again to see its steps." : "reedsp watch FILE shows its steps.";
      $("facts").replaceChildren();
      $("source").hidden = true;
      $("export").disabled = false;
    }
    $("draft-run").hidden = !state.run;
    $("draft-run").disabled = state.busy;
    views(state);
    const names = replay.names.filter((n) => replay.array(n).shape.length <= 2);
    if ($("shown").dataset.names !== names.join("\n")) {
      $("shown").dataset.names = names.join("\n");
      options($("shown"), names.map((n) => [n, n]));
    }
    $("shown").value = state.shown;
    $("meaning").textContent = replay.array(state.shown).meaning || "";
    const edge = state.selected && state.selected.edge !== undefined ? app.graph.lines()[state.selected.edge] : null;
    $("weight-label").hidden = !edge;
    if (edge && document.activeElement !== $("weight")) $("weight").value = edge.w ?? 1;
    $("connect").hidden = Boolean(edge);
    $("selected").querySelector(".actions").hidden = app.input().kind !== "graph";
    writeAddress();
  }

  // An empty field changes nothing.
  function weigh({ target }) {
    if (target.value === "") target.value = app.graph.lines()[app.state.selected.edge].w ?? 1;
    else app.setWeight(text.value(target.value));
  }

  function bind(state) {
    const click = (id, action) => $(id).addEventListener("click", action);
    click("first", () => by(-Infinity));
    click("back", () => by(-1));
    click("next", () => by(1));
    click("last", () => by(Infinity));
    click("play", play);
    click("reset", reset);
    click("zoom-in", () => app.graph.zoomBy(1.25));
    click("zoom-out", () => app.graph.zoomBy(0.8));
    click("fit", () => app.graph.fit());
    click("freeze", freeze);
    click("help", openHelp);
    click("export", () => $("export-dialog").showModal());
    click("edit", openInput);
    click("connect", connect);
    click("delete", () => app.removeSelected());
    click("draft-run", () => app.runDraft());
    click("draft-discard", () => app.discard());
    click("save-svg", saveSvg);
    click("save-tikz", saveTikz);
    click("save-json", () => exporting.save(fileName("json"), "application/json", JSON.stringify(state.current.trace)));
    click("save-text", () => exporting.save(fileName("txt"), "text/plain", text.write(app.input())));
    click("edit-apply", applyInput);
    click("generate", generate);
    $("edit-file").addEventListener("change", readFile);
    $("at").addEventListener("input", (e) => {
      stop();
      app.go(Number(e.target.value));
    });
    $("algorithm").addEventListener("change", (e) => enter(state.entries.find((each) => each.key === e.target.value)));
    $("shown").addEventListener("change", (e) => app.show(e.target.value));
    $("weight").addEventListener("change", weigh);
    $("speed").addEventListener("change", () => timer && (stop(), play()));
    options($("speed"), SPEEDS.map((s) => [String(s), `${s} steps/s`]), "2");
    $("freeze").setAttribute("aria-pressed", String(app.graph.isFrozen()));
    help();
    document.addEventListener("keydown", key);
    addEventListener("hashchange", () => {
      if (location.hash === written) return;
      const [entry, step] = address(state.entries);
      if (entry) enter(entry, step);
    });
    addEventListener("resize", () => app.render());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.render());
  }

  return { bind, list, show, stop, say, address };
})();
