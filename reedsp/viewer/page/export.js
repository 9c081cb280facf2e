// The picture as SVG and as TikZ, the trace as JSON.
"use strict";
const exporting = (() => {
  const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "font-family", "font-size", "font-weight", "text-anchor", "dominant-baseline", "paint-order", "stroke-linejoin", "visibility", "display"];

  function save(name, type, content) {
    const url = URL.createObjectURL(new Blob([content], { type }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }

  // A copy whose elements carry the look that the style sheet gives them.
  function svg(node) {
    const copy = node.cloneNode(true);
    const from = [node, ...node.querySelectorAll("*")];
    const to = [copy, ...copy.querySelectorAll("*")];
    from.forEach((each, i) => {
      const style = getComputedStyle(each);
      for (const key of LOOK) {
        const value = style.getPropertyValue(key);
        if (value) to[i].setAttribute(key, value);
      }
      to[i].removeAttribute("class");
      to[i].removeAttribute("style");
      to[i].removeAttribute("tabindex");
    });
    const box = node.getBoundingClientRect();
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", box.height);
    copy.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
    const defs = document.getElementById("markers");
    if (defs) copy.prepend(defs.cloneNode(true));
    return new XMLSerializer().serializeToString(copy);
  }

  const SPECIAL = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\u221e": "$\\infty$", "\u2013": "--", "\u2026": "\\dots{}" };
  const tex = (s) => s.replace(/[\\~^\u221e\u2013\u2026]|[#$%&_{}]/g, (c) => SPECIAL[c] || `\\${c}`);

  function tikz(graph, lines, points, shown) {
    const [dot, rows] = [(x) => (x / 50).toFixed(2), []];
    rows.push("\\begin{tikzpicture}[vertex/.style={circle, draw, minimum size=7mm, inner sep=0pt, font=\\small},");
    rows.push("  changed/.style={very thick, double}, none/.style={dashed}, tree/.style={line width=1.6pt}]");
    points.forEach((p, v) => {
      const { text, name, changed, none } = shown.vertex(v);
      const styles = ["vertex", changed && "changed", none && "none"].filter(Boolean);
      if (name !== text) styles.push(`label=below:{\\tiny ${tex(name)}}`);
      rows.push(`  \\node[${styles.join(", ")}] (v${v}) at (${dot(p.x)}, ${dot(-p.y)}) {${tex(text)}};`);
    });
    for (const line of lines) {
      const styles = [graph.directed ? "->" : "", shown.lineClass(line) ? "tree" : "", line.u === line.v ? "loop above" : line.bend ? `bend ${line.bend * (line.u < line.v ? 1 : -1) > 0 === line.u < line.v ? "right" : "left"}=15` : ""];
      const weight = line.w === undefined || graph.weighted === false ? "" : ` node[midway, fill=white, inner sep=1pt, font=\\tiny] {${tex(values.text(line.w))}}`;
      rows.push(`  \\draw[${styles.filter(Boolean).join(", ")}] (v${line.u}) ${line.u === line.v ? "to" : line.bend ? "to" : "--"}${weight} (v${line.v});`);
    }
    rows.push("\\end{tikzpicture}");
    return rows.join("\n") + "\n";
  }

  function bars(replay, name) {
    const cells = replay.values(name);
    const changed = new Set(replay.changed(name));
    const [low, high] = replay.range(name);
    const most = Math.max(Math.abs(low), Math.abs(high), 1);
    const rows = ["\\begin{tikzpicture}[x=6mm, y=30mm]"];
    cells.forEach((v, i) => {
      const x = values.number(v);
      const height = Number.isFinite(x) ? (x / most).toFixed(3) : x === Infinity ? "1" : "0";
      rows.push(`  \\draw[${changed.has(i) ? "fill=black!60" : x === Infinity ? "dashed" : "fill=black!15"}] (${i}, 0) rectangle (${i + 0.8}, ${height}) node[midway, above, font=\\tiny] {${tex(values.text(v, replay.array(name).role))}};`);
    });
    rows.push("\\end{tikzpicture}");
    return rows.join("\n") + "\n";
  }

  function matrix(replay, name) {
    const [rows, columns] = replay.array(name).shape;
    const changed = new Set(replay.changed(name));
    const lines = d3.range(rows).map((r) => d3.range(columns).map((c) => {
      const word = tex(values.text(replay.values(name)[r * columns + c], replay.array(name).role));
      return changed.has(r * columns + c) ? `\\textbf{${word}}` : word;
    }).join(" & "));
    return `\\begin{tikzpicture}\n  \\matrix[matrix of nodes, nodes={minimum size=7mm, draw=black!20, font=\\small}] {\n    ${lines.join(" \\\\\n    ")} \\\\\n  };\n\\end{tikzpicture}\n`;
  }

  // A matrix is drawn on a canvas, so its SVG is made from its values.
  function matrixSvg(replay, name) {
    const [rows, columns] = replay.array(name).shape;
    const changed = new Set(replay.changed(name));
    const side = 36;
    const root = d3.create("svg").attr("xmlns", "http://www.w3.org/2000/svg").attr("width", columns * side + 2).attr("height", rows * side + 2);
    root.attr("font-family", "monospace").attr("font-size", 12).attr("text-anchor", "middle");
    replay.values(name).forEach((v, i) => {
      const cell = root.append("g").attr("transform", `translate(${(i % columns) * side + 1},${Math.floor(i / columns) * side + 1})`);
      cell.append("rect").attr("width", side).attr("height", side).attr("fill", "none").attr("stroke", "#b8c0ca");
      if (changed.has(i)) cell.append("rect").attr("x", 2).attr("y", 2).attr("width", side - 4).attr("height", side - 4).attr("fill", "none").attr("stroke", "#b3400e").attr("stroke-width", 2.5);
      cell.append("text").attr("x", side / 2).attr("y", side / 2 + 4).text(values.text(v, replay.array(name).role));
    });
    return new XMLSerializer().serializeToString(root.node());
  }

  return { save, svg, tikz, bars, matrix, matrixSvg };
})();
