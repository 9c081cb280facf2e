// A graph that is changed by mouse, keys or text. It becomes a trace only when it is run on a device.
"use strict";
const editing = (() => {
  const MOST_VERTICES = 200;
  const MOST_EDGES = 2000;

  const copy = (input) => ({ ...input, edges: input.edges.map((e) => e.slice()), names: input.names && input.names.slice(), coordinates: null, sides: null });

  function freeName(names) {
    let next = names.length;
    while (names.some((name) => String(name) === String(next))) next++;
    return next;
  }

  function addVertex(input) {
    if (input.n >= MOST_VERTICES) throw new text.TextError(`at most ${MOST_VERTICES} vertices can be watched`);
    const next = copy(input);
    next.n++;
    if (next.names) next.names.push(freeName(next.names));
    return next;
  }

  function addEdge(input, u, v, weight = 1) {
    if (input.edges.length >= MOST_EDGES) throw new text.TextError(`at most ${MOST_EDGES} edges can be watched`);
    const next = copy(input);
    next.edges.push(next.weighted ? [u, v, weight] : [u, v]);
    return next;
  }

  function removeEdges(input, indices) {
    const next = copy(input);
    next.edges = next.edges.filter((_, i) => !indices.includes(i));
    return next;
  }

  function setWeight(input, indices, weight) {
    const next = copy(input);
    next.weighted = true;
    next.edges = next.edges.map(([u, v, w], i) => [u, v, indices.includes(i) ? weight : w === undefined ? 1 : w]);
    return next;
  }

  function removeVertex(input, gone) {
    const next = copy(input);
    const moved = (v) => (v > gone ? v - 1 : v);
    next.n--;
    next.edges = next.edges.filter(([u, v]) => u !== gone && v !== gone).map(([u, v, ...w]) => [moved(u), moved(v), ...w]);
    if (next.names) next.names.splice(gone, 1);
    next.source = next.n === 0 ? null : input.source === gone ? 0 : input.source === null ? null : moved(input.source);
    return next;
  }

  // What the server is asked for.
  async function run(address, request) {
    const response = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
      credentials: "omit",
    });
    const answer = await response.json().catch(() => ({ error: `the answer (status ${response.status}) is no JSON` }));
    if (!response.ok) throw new Error(answer.error || `status ${response.status}`);
    return answer;
  }

  return { addVertex, addEdge, removeEdges, removeVertex, setWeight, run };
})();
