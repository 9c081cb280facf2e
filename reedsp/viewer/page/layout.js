// Where vertices are drawn: the same for the same graph, without overlaps, with few crossings.
"use strict";
const layout = (() => {
  const RADIUS = 15;
  const APART = 2 * RADIUS + 12;
  const EDGE = 68;

  // Mulberry32: a small generator of random numbers, so that the picture is the same each time.
  function generator(seed) {
    return () => {
      seed = (seed + 0x6d2b79f5) | 0;
      let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  function neighbours(n, edges) {
    const near = Array.from({ length: n }, () => new Set());
    for (const [u, v] of edges)
      if (u !== v) {
        near[u].add(v);
        near[v].add(u);
      }
    return near.map((set) => [...set].sort((a, b) => a - b));
  }

  function levels(near, from) {
    const level = new Map([[from, 0]]);
    for (const u of level.keys())
      for (const v of near[u]) if (!level.has(v)) level.set(v, level.get(u) + 1);
    return level;
  }

  function components(near) {
    const seen = new Set();
    const found = [];
    for (let v = 0; v < near.length; v++)
      if (!seen.has(v)) {
        const part = [...levels(near, v).keys()];
        part.forEach((u) => seen.add(u));
        found.push(part);
      }
    return found;
  }

  // How many pairs of edges cross. Edges that share an end do not.
  function crossings(points, edges) {
    const side = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    const unique = new Map();
    for (const [u, v] of edges) if (u !== v) unique.set(Math.min(u, v) * points.length + Math.max(u, v), [u, v]);
    const segments = [...unique.values()];
    let count = 0;
    for (let i = 0; i < segments.length; i++) {
      const [a, b] = segments[i];
      const p = points[a];
      const q = points[b];
      for (let j = 0; j < i; j++) {
        const [c, d] = segments[j];
        if (a === c || a === d || b === c || b === d) continue;
        const r = points[c];
        const s = points[d];
        if (side(p, q, r) * side(p, q, s) < 0 && side(r, s, p) * side(r, s, q) < 0) count++;
      }
    }
    return count;
  }

  function bounds(points) {
    const xs = points.map((p) => p.x);
    const ys = points.map((p) => p.y);
    return { x0: Math.min(...xs), x1: Math.max(...xs), y0: Math.min(...ys), y1: Math.max(...ys) };
  }

  function apart(points, least, random) {
    for (let round = 0; ; round++) {
      let touching = false;
      for (let i = 0; i < points.length; i++)
        for (let j = 0; j < i; j++) {
          let dx = points[i].x - points[j].x;
          let dy = points[i].y - points[j].y;
          let distance = Math.hypot(dx, dy);
          if (distance >= least - 1e-6) continue;
          touching = true;
          if (distance < 1e-3) {
            const angle = random() * 2 * Math.PI;
            [dx, dy, distance] = [Math.cos(angle), Math.sin(angle), 1];
          }
          const push = ((least + 0.01 - Math.min(distance, least)) / distance) * 0.5;
          points[i].x += dx * push;
          points[i].y += dy * push;
          points[j].x -= dx * push;
          points[j].y -= dy * push;
        }
      if (!touching) return points;
      if (round % 40 === 39) for (const p of points) [p.x, p.y] = [p.x * 1.2, p.y * 1.2];
    }
  }

  // The edges of a component, between places in it.
  function within(part, edges) {
    const index = new Map(part.map((v, i) => [v, i]));
    return edges.filter(([u, v]) => u !== v && index.has(u)).map(([u, v]) => [index.get(u), index.get(v)]);
  }

  // ---- one component, by its shape ------------------------------------------------------------------

  function snake(order) {
    const columns = order.length <= 10 ? order.length : Math.ceil(Math.sqrt(order.length * 1.7));
    return order.map((_, i) => {
      const row = Math.floor(i / columns);
      const column = row % 2 ? columns - 1 - (i % columns) : i % columns;
      return { x: column * EDGE, y: row * EDGE };
    });
  }

  function along(near, first) {
    const order = [first];
    const seen = new Set(order);
    for (let v = first; ; ) {
      v = near[v].find((u) => !seen.has(u));
      if (v === undefined) return order;
      seen.add(v);
      order.push(v);
    }
  }

  function circle(count) {
    const radius = Math.max(EDGE, (EDGE * count) / (2 * Math.PI));
    return d3.range(count).map((i) => {
      const angle = (2 * Math.PI * i) / count - Math.PI / 2;
      return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
    });
  }

  function centre(near, part) {
    const degree = new Map(part.map((v) => [v, near[v].length]));
    let leaves = part.filter((v) => degree.get(v) <= 1);
    let left = part.length;
    while (left > 2) {
      left -= leaves.length;
      const next = [];
      for (const leaf of leaves)
        for (const v of near[leaf]) {
          degree.set(v, degree.get(v) - 1);
          if (degree.get(v) === 1) next.push(v);
        }
      leaves = next;
    }
    return Math.min(...leaves);
  }

  function tree(near, part, radial) {
    const children = (v, parent) => ({ v, children: near[v].filter((u) => u !== parent).map((u) => children(u, v)) });
    const root = d3.hierarchy(children(centre(near, part), -1));
    const at = new Map();
    if (radial) {
      d3.tree().size([2 * Math.PI, root.height * EDGE]).separation((a, b) => (a.parent === b.parent ? 1 : 2) / a.depth)(root);
      root.each((d) => at.set(d.data.v, { x: d.y * Math.cos(d.x), y: d.y * Math.sin(d.x) }));
    } else {
      d3.tree().nodeSize([APART + 4, EDGE]).separation(() => 1)(root);
      root.each((d) => at.set(d.data.v, { x: d.x, y: d.y }));
    }
    const points = part.map((v) => at.get(v));
    let least = Infinity;
    for (let i = 0; i < points.length; i++)
      for (let j = 0; j < i; j++) least = Math.min(least, Math.hypot(points[i].x - points[j].x, points[i].y - points[j].y));
    if (least < APART) for (const p of points) [p.x, p.y] = [(p.x * APART) / least, (p.y * APART) / least];
    return points;
  }

  // The largest two eigenvectors of the doubly centred squares of distances: a first drawing without twists.
  function scaled(distance, random) {
    const n = distance.length;
    const squares = distance.map((row) => row.map((d) => d * d));
    const means = squares.map((row) => d3.mean(row));
    const all = d3.mean(means);
    const inner = squares.map((row, i) => row.map((s, j) => -0.5 * (s - means[i] - means[j] + all)));
    const axes = [];
    for (let axis = 0; axis < 2; axis++) {
      let v = d3.range(n).map(() => random() - 0.5);
      let length = 1;
      for (let round = 0; round < 80; round++) {
        for (const other of axes) {
          const along = d3.sum(v, (x, i) => x * other.v[i]);
          v = v.map((x, i) => x - along * other.v[i]);
        }
        const next = inner.map((row) => row.reduce((sum, x, j) => sum + x * v[j], 0));
        length = Math.hypot(...next) || 1;
        v = next.map((x) => x / length);
      }
      axes.push({ v, length });
    }
    return d3.range(n).map((i) => ({
      x: axes[0].v[i] * Math.sqrt(axes[0].length) * EDGE,
      y: axes[1].v[i] * Math.sqrt(axes[1].length) * EDGE,
    }));
  }

  // Majorisation of stress: distances on the page as near as can be to those in the graph.
  function majorised(points, distance, rounds) {
    const n = points.length;
    for (let round = 0; round < rounds; round++)
      for (let i = 0; i < n; i++) {
        let [x, y, total] = [0, 0, 0];
        for (let j = 0; j < n; j++) {
          if (i === j) continue;
          const want = distance[i][j];
          const weight = 1 / (want * want);
          const dx = points[i].x - points[j].x;
          const dy = points[i].y - points[j].y;
          const factor = (want * EDGE) / Math.max(1e-3, Math.hypot(dx, dy));
          x += weight * (points[j].x + dx * factor);
          y += weight * (points[j].y + dy * factor);
          total += weight;
        }
        points[i].x = x / total;
        points[i].y = y / total;
      }
    return points;
  }

  // Turned so that most edges are level or upright where the graph is a lattice, and it is wider than high.
  function turned(points, edges) {
    let [sine, cosine] = [0, 0];
    for (const [u, v] of edges) {
      const angle = Math.atan2(points[v].y - points[u].y, points[v].x - points[u].x);
      sine += Math.sin(4 * angle);
      cosine += Math.cos(4 * angle);
    }
    const angle = edges.length && Math.hypot(sine, cosine) > 0.4 * edges.length ? -Math.atan2(sine, cosine) / 4 : 0;
    const [s, c] = [Math.sin(angle), Math.cos(angle)];
    const result = points.map((p) => ({ x: c * p.x - s * p.y, y: s * p.x + c * p.y }));
    const { x0, x1, y0, y1 } = bounds(result);
    const wide = y1 - y0 > x1 - x0 ? result.map((p) => ({ x: p.y, y: p.x })) : result;
    return lattice(wide, edges) || headed(wide);
  }

  // Turned over so that the first vertices are on the left and above.
  function headed(points) {
    const middle = (points.length - 1) / 2;
    const lean = (key) => d3.sum(points, (p, i) => (i - middle) * p[key]) < 0;
    const [x, y] = [lean("x") ? -1 : 1, lean("y") ? -1 : 1];
    return points.map((p) => ({ x: x * p.x, y: y * p.y }));
  }

  // Straightened, if every edge leads to a neighbour in a lattice.
  function lattice(points, edges) {
    const near = neighbours(points.length, edges);
    const at = new Map([[0, [0, 0]]]);
    const step = (u, v) => {
      const [dx, dy] = [points[v].x - points[u].x, points[v].y - points[u].y];
      return Math.abs(dx) > Math.abs(dy) ? [Math.sign(dx), 0] : [0, Math.sign(dy)];
    };
    for (const [u, [x, y]] of at)
      for (const v of near[u]) {
        const [dx, dy] = step(u, v);
        if (!at.has(v)) at.set(v, [x + dx, y + dy]);
        else if (at.get(v)[0] !== x + dx || at.get(v)[1] !== y + dy) return null;
      }
    if (new Set([...at.values()].map(String)).size < points.length) return null;
    return headed(points.map((_, v) => ({ x: at.get(v)[0] * EDGE, y: at.get(v)[1] * EDGE })));
  }

  function springs(near, part, edges, random) {
    const inside = within(part, edges);
    const distance = part.map((v) => {
      const level = levels(near, v);
      return part.map((u) => level.get(u));
    });
    const starts = part.length > 120 ? 3 : 6;
    let best = null;
    for (let start = 0; start < starts; start++) {
      const first = scaled(distance, random);
      const noise = start * EDGE * 0.6;
      const begin = first.map((p) => ({ x: p.x + (random() - 0.5) * (noise + 1), y: p.y + (random() - 0.5) * (noise + 1) }));
      const points = apart(majorised(begin, distance, part.length > 120 ? 40 : 80), APART, random);
      const count = crossings(points, inside);
      if (!best || count < best.count) best = { points, count };
      if (!count) break;
    }
    return turned(best.points, inside);
  }

  function component(near, part, edges, random) {
    const degrees = part.map((v) => near[v].length);
    const links = d3.sum(degrees) / 2;
    if (part.length === 1) return { part, points: [{ x: 0, y: 0 }] };
    if (links === part.length - 1 && Math.max(...degrees) <= 2) {
      const order = along(near, Math.min(...part.filter((v) => near[v].length === 1)));
      return { part: order, points: snake(order) };
    }
    if (links === part.length && degrees.every((d) => d === 2)) {
      const order = along(near, Math.min(...part));
      return { part: order, points: circle(order.length) };
    }
    if (links === part.length - 1) {
      const choices = [tree(near, part, false), tree(near, part, true)].map((points) => {
        const { x0, x1, y0, y1 } = bounds(points);
        return { points, size: Math.max((x1 - x0) / 1.5, y1 - y0), count: crossings(points, within(part, edges)) };
      });
      choices.sort((a, b) => a.count - b.count || a.size - b.size);
      return { part, points: choices[0].points };
    }
    return { part, points: springs(near, part, edges, random) };
  }

  // Components beside and below each other, the largest first.
  function packed(drawn, n) {
    const boxes = drawn.map(({ part, points }) => {
      const { x0, x1, y0, y1 } = bounds(points);
      return { part, points, x0, y0, width: x1 - x0 + EDGE, height: y1 - y0 + EDGE };
    });
    boxes.sort((a, b) => b.width * b.height - a.width * a.height || a.part[0] - b.part[0]);
    const widest = Math.max(...boxes.map((b) => b.width), Math.sqrt(1.6 * d3.sum(boxes, (b) => b.width * b.height)));
    const result = new Array(n);
    let [x, y, high] = [0, 0, 0];
    for (const box of boxes) {
      if (x > 0 && x + box.width > widest + 1) [x, y, high] = [0, y + high, 0];
      box.part.forEach((v, i) => (result[v] = { x: box.points[i].x - box.x0 + x, y: box.points[i].y - box.y0 + y }));
      x += box.width;
      high = Math.max(high, box.height);
    }
    return result;
  }

  // ---- columns, coordinates ---------------------------------------------------------------------------

  function columns(n, sides, near, parts) {
    const rank = new Array(n);
    parts.forEach((part, i) => part.forEach((v) => (rank[v] = i)));
    const order = new Array(n); // breadth first from an end of each component
    for (const part of parts) [...levels(near, [...levels(near, [...levels(near, part[0]).keys()].pop()).keys()].pop()).keys()].forEach((v, i) => (order[v] = i));
    const left = d3.range(sides).sort((a, b) => rank[a] - rank[b] || order[a] - order[b]);
    const right = d3.range(sides, n).sort((a, b) => rank[a] - rank[b] || order[a] - order[b]);
    const points = new Array(n);
    const across = Math.max(240, Math.max(left.length, right.length) * APART * 0.8);
    const place = () => {
      for (const [side, x] of [[left, 0], [right, across]]) {
        const step = side.length > 1 ? ((Math.max(left.length, right.length) - 1) * (APART + 2)) / (side.length - 1) : 0;
        side.forEach((v, i) => (points[v] = { x, y: side.length > 1 ? i * step : ((Math.max(left.length, right.length) - 1) * (APART + 2)) / 2 }));
      }
    };
    const edges = near.flatMap((list, u) => (u < sides ? list.map((v) => [u, v]) : []));
    place();
    let best = { points: points.slice(), count: crossings(points, edges) };
    for (let round = 0; round < 24 && best.count; round++) {
      const side = round % 2 ? left : right;
      const mean = new Map(side.map((v) => [v, near[v].length ? d3.mean(near[v], (u) => points[u].y) : points[v].y]));
      side.sort((a, b) => rank[a] - rank[b] || mean.get(a) - mean.get(b) || points[a].y - points[b].y);
      place();
      const count = crossings(points, edges);
      if (count < best.count) best = { points: points.slice(), count };
    }
    return best.points;
  }

  function given(coordinates, edges, random) {
    const points = coordinates.map(([x, y]) => ({ x, y: -y }));
    const lengths = edges.map(([u, v]) => Math.hypot(points[u].x - points[v].x, points[u].y - points[v].y)).filter((d) => d > 0);
    const { x0, x1, y0, y1 } = bounds(points);
    const extent = Math.max(x1 - x0, y1 - y0) || 1;
    const typical = Math.max(d3.median(lengths) || extent / Math.sqrt(points.length), extent / 1000);
    return apart(points.map((p) => ({ x: ((p.x - x0) * EDGE) / typical, y: ((p.y - y0) * EDGE) / typical })), APART, random);
  }

  function place(graph) {
    if (!graph.n) return [];
    const random = generator(graph.n * 7919 + graph.edges.length);
    const near = neighbours(graph.n, graph.edges);
    const parts = components(near);
    const sided = Number.isInteger(graph.sides) && graph.edges.every(([u, v]) => u < graph.sides !== v < graph.sides);
    if (graph.coordinates) return given(graph.coordinates, graph.edges, random);
    if (sided) return columns(graph.n, graph.sides, near, parts);
    return packed(parts.map((part) => component(near, part, graph.edges, random)), graph.n);
  }

  return { place, crossings, bounds, RADIUS, APART };
})();
