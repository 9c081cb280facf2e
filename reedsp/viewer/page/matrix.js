// A matrix: cells tinted by value, blocks of a work-group each, and the cells that changed.
"use strict";
const matrix = (() => {
  function create(root, on) {
    root.replaceChildren();
    const canvas = root.appendChild(document.createElement("canvas"));
    canvas.setAttribute("role", "img");
    let place = null;

    canvas.addEventListener("click", (e) => {
      const box = canvas.getBoundingClientRect();
      const column = Math.floor((e.clientX - box.left - place.left) / place.size);
      const row = Math.floor((e.clientY - box.top - place.top) / place.size);
      on.select(row >= 0 && row < place.rows && column >= 0 && column < place.columns ? { vertex: row, column } : null);
    });

    // Sides of a block: as the step says, else those of a work-group of two dimensions.
    function blocks(replay, array) {
      const given = replay.step().block || replay.step().local;
      if (!Array.isArray(given) || given.length !== 2) return null;
      const [width, height] = given.map(Number);
      return width > 1 && height > 1 && (width < array.shape[1] || height < array.shape[0]) ? [width, height] : null;
    }

    function show(replay, name, names, selected) {
      const array = replay.array(name);
      const cells = replay.values(name);
      const [rows, columns] = array.shape;
      const changed = new Set(replay.changed(name));
      const box = root.getBoundingClientRect();
      const style = getComputedStyle(root);
      const color = (key) => style.getPropertyValue(`--${key}`).trim();
      const [left, top] = [34, 24];
      const size = Math.max(2, Math.min(46, (box.width - left - 40) / Math.max(1, columns), (box.height - top - 20) / Math.max(1, rows)));
      const ratio = Math.min(3, window.devicePixelRatio || 1);
      const [width, height] = [Math.ceil(left + size * columns + 4), Math.ceil(top + size * rows + 4)];
      place = { left, top, size, rows, columns };
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      const c = canvas.getContext("2d");
      c.scale(ratio, ratio);
      const [low, high] = replay.range(name);
      const [ink, soft, scale, accent, line] = ["ink", "soft", "scale", "accent", "line"].map(color);
      const wordy = size >= 20;
      c.font = `${Math.min(13, size * 0.42)}px ui-monospace, monospace`;
      c.textAlign = "center";
      c.textBaseline = "middle";
      for (let i = 0; i < rows * columns; i++) {
        const [x, y] = [left + (i % columns) * size, top + Math.floor(i / columns) * size];
        const number = values.number(cells[i]);
        if (Number.isFinite(number)) {
          c.globalAlpha = 0.06 + 0.42 * (high > low ? (number - low) / (high - low) : 0.5);
          c.fillStyle = scale;
          c.fillRect(x, y, size, size);
        }
        c.globalAlpha = 1;
        if (changed.has(i)) {
          c.fillStyle = accent;
          if (size < 8) c.fillRect(x, y, size, size);
          else {
            c.strokeStyle = accent;
            c.lineWidth = 2.5;
            c.strokeRect(x + 2, y + 2, size - 4, size - 4);
          }
        }
        if (wordy) {
          c.fillStyle = Number.isFinite(number) ? ink : soft;
          c.font = `${changed.has(i) ? 700 : 400} ${Math.min(13, size * 0.42)}px ui-monospace, monospace`;
          c.fillText(values.short(values.text(cells[i], array.role), Math.max(2, Math.floor(size / 7))), x + size / 2, y + size / 2 + 0.5);
        }
      }
      const rule = (every, count, across, thick, stroke) => {
        c.strokeStyle = stroke;
        c.lineWidth = thick;
        c.beginPath();
        for (let i = 0; i <= count; i += every) {
          const at = (across ? left : top) + i * size;
          c.moveTo(across ? at : left, across ? top : at);
          c.lineTo(across ? at : left + columns * size, across ? top + rows * size : at);
        }
        c.stroke();
      };
      if (size >= 8) {
        rule(1, columns, true, 1, line);
        rule(1, rows, false, 1, line);
      }
      const block = blocks(replay, array);
      rule(block ? block[0] : columns || 1, columns, true, 2, soft);
      rule(block ? block[1] : rows || 1, rows, false, 2, soft);
      c.font = "11px system-ui, sans-serif";
      const each = Math.max(1, Math.ceil(18 / size));
      for (let i = 0; i < Math.max(rows, columns); i += each) {
        c.fillStyle = selected && (selected.vertex === i || selected.column === i) ? accent : soft;
        const label = values.short(names(i), 5);
        if (i < columns) c.fillText(label, left + (i + 0.5) * size, top - 11);
        if (i < rows) c.fillText(label, left - 16, top + (i + 0.5) * size);
      }
      if (selected && selected.vertex < rows) {
        c.strokeStyle = ink;
        c.lineWidth = 2;
        c.strokeRect(left, top + selected.vertex * size, columns * size, size);
        if (selected.column !== undefined) c.strokeRect(left + selected.column * size, top + selected.vertex * size, size, size);
      }
      canvas.setAttribute("aria-label", `${name}, ${rows} by ${columns}: ${values.count(changed.size, "cell")} changed` + (block ? `, blocks of ${block[1]} by ${block[0]}` : ""));
    }

    return { show };
  }

  return { create };
})();
