// The drawing of a graph: vertices with their values, edges, pointers; drag, zoom, selection.
"use strict";
const drawing = (() => {
  const R = layout.RADIUS;
  const MOST_WEIGHTS = 160;
  const CATEGORIES = 8;

  // Lines to draw: edges of undirected graphs that are listed both ways are one line.
  function linesOf(graph) {
    const lines = [];
    const same = new Map();
    graph.edges.forEach(([u, v, w], i) => {
      const key = graph.directed ? null : `${Math.min(u, v)} ${Math.max(u, v)} ${w}`;
      const twin = key && same.get(key);
      if (twin && twin.u === v && twin.v === u && twin.indices.length === 1) return twin.indices.push(i);
      const line = { u, v, w, indices: [i] };
      if (key && !twin) same.set(key, line);
      return lines.push(line);
    });
    const between = d3.group(lines, (l) => `${Math.min(l.u, l.v)} ${Math.max(l.u, l.v)}`);
    for (const group of between.values())
      group.forEach((line, i) => (line.bend = (i - (group.length - 1) / 2) * 22 * (line.u < line.v ? 1 : -1)));
    return lines;
  }

  function create(svgNode, on) {
    const svg = d3.select(svgNode);
    const view = svg.append("g").attr("class", "view");
    const lineLayer = view.append("g");
    const pointerLayer = view.append("g");
    const vertexLayer = view.append("g");
    const rubber = view.append("path").attr("class", "rubber").attr("visibility", "hidden");
    let graph = { n: 0, edges: [] };
    let [points, homes, lines] = [[], [], []];
    let [vertexNodes, lineNodes] = [[], []];
    let pointers = [];
    let [frozen, moved] = [matchMedia("(prefers-reduced-motion: reduce)").matches, false];
    let simulation = null;
    const mine = window.parent === window;

    const zoom = d3
      .zoom()
      .scaleExtent([0.1, 6])
      .filter((e) => (e.type === "wheel" ? mine || e.ctrlKey || e.metaKey : !e.button && !e.shiftKey && !e.ctrlKey))
      .on("zoom", (e) => {
        view.attr("transform", e.transform);
        if (e.sourceEvent) moved = true;
      });
    svg.call(zoom).on("dblclick.zoom", null);

    // ---- geometry -------------------------------------------------------------------------------------

    function trimmed(a, b, bend, gap) {
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const length = Math.hypot(dx, dy) || 1;
      const middle = { x: (a.x + b.x) / 2 - (dy / length) * bend * 2, y: (a.y + b.y) / 2 + (dx / length) * bend * 2 };
      const toward = (from, to, distance) => {
        const d = Math.hypot(to.x - from.x, to.y - from.y) || 1;
        return { x: from.x + ((to.x - from.x) * distance) / d, y: from.y + ((to.y - from.y) * distance) / d };
      };
      const [start, end] = [toward(a, bend ? middle : b, R), toward(b, bend ? middle : a, R + gap)];
      const f = (v) => Math.round(v * 10) / 10;
      const curve = bend ? `Q${f(middle.x)} ${f(middle.y)} ` : "L";
      return { path: `M${f(start.x)} ${f(start.y)}${curve}${f(end.x)} ${f(end.y)}`, x: (a.x + b.x + 2 * middle.x) / 4, y: (a.y + b.y + 2 * middle.y) / 4 };
    }

    function geometry(line) {
      const [a, b] = [points[line.u], points[line.v]];
      if (line.u !== line.v) return trimmed(a, b, line.bend, graph.directed ? 5 : 0);
      return { path: `M${a.x - 6} ${a.y - R + 1}C${a.x - 26} ${a.y - R - 30} ${a.x + 26} ${a.y - R - 30} ${a.x + 6} ${a.y - R + 1}`, x: a.x, y: a.y - R - 24 };
    }

    function placeLine(node, line) {
      const { path, x, y } = geometry(line);
      node.line.setAttribute("d", path);
      node.hit.setAttribute("d", path);
      node.weight.setAttribute("x", x);
      node.weight.setAttribute("y", y);
    }

    function placeAll() {
      vertexNodes.forEach((node, v) => node.group.setAttribute("transform", `translate(${points[v].x.toFixed(1)},${points[v].y.toFixed(1)})`));
      lineNodes.forEach((node, i) => placeLine(node, lines[i]));
      placePointers();
    }

    function placePointers() {
      pointerLayer
        .selectAll("path")
        .data(pointers)
        .join("path")
        .attr("class", "pointer")
        .attr("marker-end", "url(#arrow-pointer)")
        .attr("d", ([u, v]) => trimmed(points[u], points[v], 10, 6).path);
    }

    function fit() {
      const box = svgNode.getBoundingClientRect();
      if (!points.length || !box.width || !box.height) return;
      const { x0, x1, y0, y1 } = layout.bounds(points);
      const [width, height] = [x1 - x0 + 4 * R, y1 - y0 + 5 * R];
      const k = Math.min(box.width / width, box.height / height, 1.5);
      const to = d3.zoomIdentity.translate(box.width / 2 - (k * (x0 + x1)) / 2, box.height / 2 - (k * (y0 + y1)) / 2).scale(k);
      svg.call(zoom.transform, to);
      moved = false;
    }

    // ---- building ---------------------------------------------------------------------------------------

    function addLine(line, i) {
      const group = lineLayer.append("g").attr("class", "edge");
      const line_ = group.append("path").attr("class", "line").attr("marker-end", graph.directed && line.u !== line.v ? "url(#arrow)" : null);
      const hit = group.append("path").attr("class", "hit").on("click", (e) => {
        e.stopPropagation();
        on.select({ edge: i });
      });
      const weight = group.append("text").attr("class", "weight");
      if (line.w !== undefined && graph.weighted !== false) weight.text(values.text(line.w));
      return { group: group.node(), line: line_.node(), hit: hit.node(), weight: weight.node() };
    }

    const sided = () => Number.isInteger(graph.sides);

    function addVertex(v) {
      const group = vertexLayer.append("g").attr("class", "vertex").datum(v);
      group.append("circle").attr("class", "active-ring").attr("r", R + 6);
      group.append("circle").attr("class", "disc").attr("r", R);
      const value = group.append("text").attr("class", "value");
      const name = group.append("text").attr("class", "name");
      const [x, y, anchor] = sided() ? (v < graph.sides ? [-R - 7, 0, "end"] : [R + 7, 0, "start"]) : [R * 0.66, R + 4, "start"];
      name.attr("x", x).attr("y", y).style("text-anchor", anchor);
      const badge = group.append("text").attr("class", "badge").attr("x", R - 1).attr("y", -R + 1);
      const title = group.append("title");
      group
        .on("click", (e) => {
          e.stopPropagation();
          on.select({ vertex: v });
        })
        .call(dragging());
      return { group: group.node(), value: value.node(), name: name.node(), badge: badge.node(), title: title.node(), disc: group.select(".disc").node(), texts: {} };
    }

    function simulate() {
      const nodes = points.map((p, i) => Object.assign(p, { index: i }));
      const links = lines.filter((l) => l.u !== l.v).map((l) => ({ source: l.u, target: l.v, rest: Math.hypot(points[l.u].x - points[l.v].x, points[l.u].y - points[l.v].y) }));
      simulation = d3
        .forceSimulation(nodes)
        .force("link", d3.forceLink(links).distance((l) => l.rest).strength(0.25))
        .force("apart", d3.forceCollide(layout.APART / 2))
        .force("x", d3.forceX((_, i) => homes[i].x).strength(0.08))
        .force("y", d3.forceY((_, i) => homes[i].y).strength(0.08))
        .on("tick", placeAll)
        .stop();
    }

    function dragging() {
      let connecting = null;
      return d3
        .drag()
        .filter((e) => !e.button || e.button === 2)
        .on("start", (e, v) => {
          connecting = e.sourceEvent.button === 2 || e.sourceEvent.shiftKey ? v : null;
          if (connecting === null && !frozen) {
            simulate();
            simulation.alphaTarget(0.25).restart();
          }
        })
        .on("drag", (e, v) => {
          const [x, y] = d3.pointer(e.sourceEvent, view.node());
          if (connecting !== null) {
            rubber.attr("visibility", "visible").attr("d", `M${points[v].x} ${points[v].y}L${x} ${y}`);
            return;
          }
          moved = true;
          Object.assign(points[v], frozen ? { x, y } : { fx: x, fy: y, x, y });
          homes[v] = { x, y };
          if (frozen) placeAll();
        })
        .on("end", (e, v) => {
          rubber.attr("visibility", "hidden");
          if (connecting !== null) {
            const [x, y] = d3.pointer(e.sourceEvent, view.node());
            const to = points.findIndex((p) => Math.hypot(p.x - x, p.y - y) <= R + 6);
            if (to >= 0 && to !== v) on.addEdge(v, to);
          } else if (simulation) {
            points[v].fx = points[v].fy = null;
            simulation.alphaTarget(0);
          }
        });
    }

    svg
      .on("click", () => on.select(null))
      .on("dblclick", (e) => addHere(e))
      .on("contextmenu", (e) => {
        e.preventDefault();
        if (!e.target.closest(".vertex")) addHere(e);
      });
    function addHere(e) {
      if (e.target.closest(".vertex, .edge")) return;
      const [x, y] = d3.pointer(e, view.node());
      on.addVertex({ x, y });
    }

    // ---- what others call ------------------------------------------------------------------------------

    // A graph, and where its vertices are if that is known.
    function setGraph(next, places) {
      if (simulation) simulation.stop();
      simulation = null;
      graph = next;
      const box = svgNode.getBoundingClientRect();
      points = places ? places.map((p) => ({ ...p })) : layout.place(next);
      if (!places && points.length && !next.coordinates && !Number.isInteger(next.sides)) {
        const { x0, x1, y0, y1 } = layout.bounds(points);
        const scale = (width, height) => Math.min(box.width / (width + 4 * R), box.height / (height + 5 * R));
        if (scale(y1 - y0, x1 - x0) > 1.1 * scale(x1 - x0, y1 - y0)) points = points.map((p) => ({ x: p.y, y: p.x }));
      }
      homes = points.map(({ x, y }) => ({ x, y }));
      lines = linesOf(graph);
      pointers = [];
      lineLayer.selectAll("*").remove();
      vertexLayer.selectAll("*").remove();
      lineNodes = lines.map(addLine);
      vertexNodes = d3.range(graph.n).map(addVertex);
      svg.classed("few", lines.length <= MOST_WEIGHTS);
      placeAll();
      if (!places) fit();
    }

    // Only what differs is written: browsers lay out again whatever is touched.
    function write(node, part, text) {
      if (node.texts[part] === text) return;
      node.texts[part] = text;
      node[part].textContent = text;
    }
    function classify(node, kind) {
      if (node.kind === kind) return;
      node.kind = kind;
      node.group.setAttribute("class", kind);
    }

    // What is seen: a value, a tint and marks of each vertex, marked edges, pointers.
    function show({ vertex, lineClass, arrows, selected }) {
      vertexNodes.forEach((node, v) => {
        const look = vertex(v);
        write(node, "value", values.short(look.text));
        write(node, "name", look.name === look.text ? "" : values.short(look.name, 14));
        write(node, "badge", look.badge);
        write(node, "title", look.title);
        const tint = look.none ? 0 : look.category === undefined ? 0.05 + 0.4 * look.share : 0.38;
        const classes = ["vertex"];
        if (look.changed) classes.push("changed");
        if (look.none) classes.push("none");
        if (look.active) classes.push("active");
        if (look.source) classes.push("source");
        if (selected && selected.vertex === v) classes.push("selected");
        classify(node, classes.join(" "));
        const color = `${look.category === undefined ? "scale" : "c" + (look.category % CATEGORIES)} ${tint.toFixed(2)}`;
        if (node.color !== color) {
          node.color = color;
          const [name, strength] = color.split(" ");
          node.disc.style.setProperty("--tint", `var(--${name})`);
          node.disc.style.setProperty("--strength", strength);
        }
      });
      lineNodes.forEach((node, i) => {
        const near = selected && (selected.edge === i || selected.vertex === lines[i].u || selected.vertex === lines[i].v);
        const classes = ["edge", lineClass(lines[i]), near ? "near" : "", selected && selected.edge === i ? "selected" : ""];
        classify(node, classes.filter(Boolean).join(" "));
      });
      const same = arrows.length === pointers.length && arrows.every(([u, v], i) => pointers[i][0] === u && pointers[i][1] === v);
      pointers = arrows;
      if (!same) placePointers();
    }

    function move(v, dx, dy) {
      points[v].x += dx;
      points[v].y += dy;
      homes[v] = { x: points[v].x, y: points[v].y };
      moved = true;
      placeAll();
    }

    new ResizeObserver(() => {
      if (!moved) fit();
    }).observe(svgNode);

    return {
      setGraph,
      show,
      fit,
      move,
      graph: () => graph,
      lines: () => lines,
      points: () => points.map(({ x, y }) => ({ x, y })),
      zoomBy: (factor) => {
        svg.call(zoom.scaleBy, factor);
        moved = true;
      },
      freeze: (value) => {
        frozen = value;
        if (frozen && simulation) simulation.stop();
      },
      isFrozen: () => frozen,
      middle: () => {
        const box = svgNode.getBoundingClientRect();
        const [x, y] = d3.zoomTransform(svgNode).invert([box.width / 2, box.height / 2]);
        return { x, y };
      },
    };
  }

  return { create };
})();
