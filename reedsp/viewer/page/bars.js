// An array: bars of its values, and its history with the cells that changed.
"use strict";
const bars = (() => {
  const MOST_CELLS = 3000;
  const MOST_ROWS = 60;

  function create(root) {
    root.replaceChildren();
    const tree = trees.create(root);
    const chart = d3.select(root).append("svg").attr("class", "bars").attr("role", "img");
    const scroller = d3.select(root).append("div").attr("class", "history").attr("tabindex", 0).attr("role", "region");
    scroller.attr("aria-label", "History of the values, the newest row lowest");
    const table = scroller.append("table");
    const head = table.append("thead").append("tr").node();
    const body = table.append("tbody").node();

    function drawBars(replay, name, cells, changed, names, selected) {
      const box = chart.node().getBoundingClientRect();
      const [width, height] = [Math.max(40, box.width), Math.max(60, box.height)];
      const [low, high] = replay.range(name);
      const scale = d3.scaleLinear([Math.min(0, Number.isFinite(low) ? low : 0), Math.max(high, 0, low + 1e-9, Number.isFinite(high) ? 0 : 1)], [height - 4, 20]);
      const one = width / Math.max(1, cells.length);
      const gap = one > 6 ? Math.min(4, one * 0.15) : one > 3 ? 0.6 : 0;
      const zero = scale(0);
      const role = replay.array(name).role;
      const f = (v) => Math.round(v * 100) / 100;
      const shape = (v) => {
        const x = values.number(v);
        if (Number.isNaN(x) || (x !== Infinity && values.isNone(v, role))) return [zero, 0];
        const y = x === Infinity ? 20 : x === -Infinity ? height - 4 : scale(x);
        return [Math.min(y, zero), Math.max(Math.abs(zero - y), x === Infinity ? 0 : 1.5)];
      };
      const kind = (v, i) => (values.isNone(v, role) ? "bar none" : "bar") + (changed.has(i) ? " changed" : "") + (selected === i ? " selected" : "");
      const rects = chart.selectAll("rect").data(cells).join("rect").nodes();
      rects.forEach((rect, i) => {
        const [y, h] = shape(cells[i]);
        set(rect, "x", f(i * one + gap / 2));
        set(rect, "width", f(Math.max(0.4, one - gap)));
        set(rect, "y", f(y));
        set(rect, "height", f(h));
        set(rect, "class", kind(cells[i], i));
      });
      const labels = one >= 15 ? cells : [];
      const most = Math.max(2, Math.floor(one / 7));
      chart
        .selectAll("text")
        .data(labels)
        .join("text")
        .attr("x", (_, i) => f((i + 0.5) * one))
        .attr("y", (v) => f(Math.max(12, shape(v)[0] - 5)))
        .attr("class", (_, i) => (changed.has(i) ? "changed" : null))
        .text((v) => values.short(values.text(v, role), most));
      chart.selectAll("line").data([zero]).join("line").attr("x1", 0).attr("x2", width).attr("y1", zero).attr("y2", zero);
      chart.attr("aria-label", `${name}: ${values.count(cells.length, "value")}, ${values.count(changed.size, "has", "have")} changed`);
    }

    function cell(row, i, tag) {
      const found = row.cells[i];
      if (found) return found;
      const made = document.createElement(tag);
      if (tag === "th") made.scope = row === head ? "col" : "row";
      return row.appendChild(made);
    }

    // What a row shows never changes, so that rows are kept while the same array is shown.
    const kept = { replay: null, name: null, rows: new Map() };

    function drawHistory(replay, name, columns, names, selected) {
      if (kept.replay !== replay || kept.name !== name) {
        Object.assign(kept, { replay, name, rows: new Map() });
        body.replaceChildren();
      }
      const role = replay.array(name).role;
      const rows = replay.history(name, Math.max(3, Math.min(MOST_ROWS, Math.floor(MOST_CELLS / Math.max(1, columns)))));
      const width = d3.max(rows, (r) => r.cells.length) || 0;
      const shown = Math.min(width, 1000);
      const longest = d3.max(replay.range(name).filter(Number.isFinite), (x) => values.text(x, role).length) || 1;
      const wide = 48 + Math.max(24, 7 * longest + 6) * shown;
      table.style("width", `${wide}px`);
      root.style.setProperty("--wide", shown > 64 ? "0px" : `${wide}px`); // bars above their columns
      trim(head, shown + 1);
      write(cell(head, 0, "th"), "step", "");
      for (let i = 0; i < shown; i++) write(cell(head, i + 1, "th"), names(i), selected === i ? "selected" : "");
      const wanted = rows.map((each) => {
        if (!kept.rows.has(each.k)) kept.rows.set(each.k, rowOf(each, role));
        return kept.rows.get(each.k);
      });
      for (const [k, row] of kept.rows)
        if (!wanted.includes(row)) {
          row.remove();
          kept.rows.delete(k);
        }
      wanted.forEach((row, r) => {
        const kind = r === wanted.length - 1 ? "now" : "";
        if (row.className !== kind) row.className = kind;
        if (body.rows[r] !== row) body.insertBefore(row, body.rows[r] || null);
      });
      scroller.node().scrollTop = scroller.node().scrollHeight;
    }

    function rowOf({ k, cells, changed }, role) {
      const row = document.createElement("tr");
      row.className = "";
      write(cell(row, 0, "th"), String(k), "");
      cells.slice(0, 1000).forEach((v, i) => {
        const kind = (changed.has(i) ? "changed " : "") + (values.isNone(v, role) ? "none" : "");
        write(cell(row, i + 1, "td"), values.text(v, role), kind.trim());
      });
      return row;
    }

    function trim(row, count) {
      while (row.cells.length > count) row.deleteCell(-1);
    }
    function write(node, text, kind) {
      if (node.textContent !== text) node.textContent = text;
      if (node.className !== kind) node.className = kind;
    }
    function set(node, name, value) {
      const text = String(value);
      if (node.getAttribute(name) !== text) node.setAttribute(name, text);
    }

    function show(replay, name, names, selected) {
      const cells = replay.values(name);
      root.style.setProperty("--rows", replay.steps.length + 1);
      drawHistory(replay, name, cells.length, names, selected);
      tree.show(replay, name);
      drawBars(replay, name, cells, new Set(replay.changed(name)), names, selected);
    }

    return { show };
  }

  return { create };
})();
