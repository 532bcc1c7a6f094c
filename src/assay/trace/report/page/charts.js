// Charts: a line over the model, bars, a heat map of cells.

// series: {name, colour, values}; a logarithmic axis; onPick(index).
function lineChart(series, { label, onPick = () => {}, width = 900, height = 200 }) {
  const left = 52, right = 8, top = 8, bottom = 22;
  const finite = series.flatMap((s) => s.values.filter((v) => v > 0 && Number.isFinite(v)));
  const count = Math.max(...series.map((s) => s.values.length));
  if (!finite.length) return make("p", { class: "soft" }, `${label}: every value is 0`);
  const low = Math.floor(Math.log10(Math.min(...finite))), high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...finite))));
  const x = (i) => left + (count > 1 ? (i * (width - left - right)) / (count - 1) : 0);
  const y = (v) => top + ((high - Math.min(high, Math.max(low, Math.log10(v)))) * (height - top - bottom)) / (high - low);
  const chart = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  for (let e = low; e <= high; e += Math.max(1, Math.round((high - low) / 6))) {
    chart.append(make("line", { x1: left, x2: width - right, y1: y(10 ** e), y2: y(10 ** e), stroke: "var(--line)" }),
      make("text", { x: left - 4, y: y(10 ** e) + 4, "text-anchor": "end" }, `1e${e}`));
  }
  for (const s of series) {
    let path = "", pen = false;
    s.values.forEach((v, i) => {
      if (!(v > 0)) return; // 0: equal; the line goes on
      path += `${pen ? "L" : "M"}${x(i).toFixed(1)},${y(Number.isFinite(v) ? v : 10 ** high).toFixed(1)}`;
      pen = true;
    });
    chart.append(make("path", { d: path, fill: "none", stroke: s.colour, "stroke-width": 1.2 }));
    s.values.forEach((v, i) => { if (s.marks && s.marks[i]) chart.append(make("circle", { cx: x(i), cy: y(v > 0 && Number.isFinite(v) ? v : 10 ** (v > 0 ? high : low)), r: 3.5, fill: "var(--bad)" }, make("title", {}, s.marks[i]))); });
  }
  series.forEach((s, i) => chart.append(make("text", { x: left + 130 * i, y: height - 6, style: `fill:${s.colour}` }, s.name)));
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    const at = ((event.clientX - box.left) * (width / box.width) - left) / (width - left - right);
    onPick(Math.min(count - 1, Math.max(0, Math.round(at * (count - 1)))));
  });
  return make("figure", {}, chart, make("figcaption", {}, label));
}

// bars: {name, value, part (of it, drawn in red)}
function barChart(bars, label, width = 380) {
  const height = 22 * bars.length + 4, most = Math.max(1e-300, ...bars.map((b) => b.value)), left = 130;
  const chart = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  bars.forEach((b, i) => {
    const size = ((width - left - 70) * b.value) / most;
    chart.append(make("text", { x: left - 6, y: 22 * i + 15, "text-anchor": "end" }, b.name),
      make("rect", { x: left, y: 22 * i + 4, width: Math.max(b.value > 0 ? 1 : 0, size), height: 15, fill: "var(--accent)", opacity: 0.55 }));
    if (b.part) chart.append(make("rect", { x: left, y: 22 * i + 4, width: (size * b.part) / b.value, height: 15, fill: "var(--bad)" }));
    chart.append(make("text", { x: left + size + 4, y: 22 * i + 15 }, b.part !== undefined ? `${text(b.part)} of ${text(b.value)}` : text(b.value)));
  });
  return make("figure", {}, chart, make("figcaption", {}, label));
}

// Cells as one byte each, base64: 0 no error, 254 the largest, 8 steps an octave, 255 a NaN or Inf on one side alone.
function heatMap(map, label) {
  const bytes = Uint8Array.from(atob(map.cells), (c) => c.charCodeAt(0));
  const canvas = make("canvas", { class: "heat", width: map.cell_cols, height: map.cell_rows, role: "img", "aria-label": label, tabindex: "0" });
  const context = canvas.getContext("2d"), image = context.createImageData(map.cell_cols, map.cell_rows);
  bytes.forEach((byte, i) => {
    const colour = byte === 255 ? [200, 0, 200] : heat(byte === 0 ? 0 : Math.max(0.06, 1 - (254 - byte) / 160));
    image.data.set([...colour, 255], 4 * i);
  });
  context.putImageData(image, 0, 0);
  const where = make("figcaption", {}, `${label}: ${map.rows} x ${map.cols} elements, largest error ${text(toNumber(map.largest))}`);
  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    const c = Math.min(map.cell_cols - 1, Math.floor(((event.clientX - box.left) / box.width) * map.cell_cols));
    const r = Math.min(map.cell_rows - 1, Math.floor(((event.clientY - box.top) / box.height) * map.cell_rows));
    const span = (i, cells, all) => `${Math.floor((i * all) / cells)} to ${Math.max(Math.floor((i * all) / cells), Math.ceil(((i + 1) * all) / cells) - 1)}`;
    const byte = bytes[r * map.cell_cols + c];
    where.textContent = `rows ${span(r, map.cell_rows, map.rows)}, columns ${span(c, map.cell_cols, map.cols)}: ` +
      (byte === 255 ? "NaN or Inf on one side alone" : byte === 0 ? "equal" : `error up to ${text(toNumber(map.largest) * 2 ** ((byte - 254) / 8))}`);
  });
  return make("figure", {}, canvas, where);
}
