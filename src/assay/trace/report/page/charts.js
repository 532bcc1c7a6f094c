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

// Errors as one byte each, base64: 0 no error, 254 the largest, 8 steps an octave, 255 a NaN or Inf on one side alone.
const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const describeByte = (byte, largest) => (byte === 255 ? "NaN or Inf on one side alone" : byte === 0 ? "equal" : `error up to ${text(largest * 2 ** ((byte - 254) / 8))}`);

function paint(canvas, bytes) {
  const context = canvas.getContext("2d"), image = context.createImageData(canvas.width, canvas.height);
  bytes.forEach((byte, i) => {
    const colour = byte === 255 ? [200, 0, 200] : heat(byte === 0 ? 0 : Math.max(0.06, 1 - (254 - byte) / 160));
    image.data.set([...colour, 255], 4 * i);
  });
  context.putImageData(image, 0, 0);
}

function heatMap(map, label) {
  const bytes = bytesOf(map.cells);
  const canvas = make("canvas", { class: "heat", width: map.cell_cols, height: map.cell_rows, role: "img", "aria-label": label, tabindex: "0" });
  paint(canvas, bytes);
  const where = make("figcaption", {}, `${label}: ${map.rows} x ${map.cols} elements, largest error ${text(toNumber(map.largest))}`);
  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    const c = Math.min(map.cell_cols - 1, Math.floor(((event.clientX - box.left) / box.width) * map.cell_cols));
    const r = Math.min(map.cell_rows - 1, Math.floor(((event.clientY - box.top) / box.height) * map.cell_rows));
    const span = (i, cells, all) => `${Math.floor((i * all) / cells)} to ${Math.max(Math.floor((i * all) / cells), Math.ceil(((i + 1) * all) / cells) - 1)}`;
    const byte = bytes[r * map.cell_cols + c];
    where.textContent = `rows ${span(r, map.cell_rows, map.rows)}, columns ${span(c, map.cell_cols, map.cols)}: ` +
      describeByte(byte, toNumber(map.largest));
  });
  return make("figure", {}, canvas, where);
}

// The largest error at each index of a dimension: batch, head, channel, row, column.
function strip(bytes, size, largest, label) {
  const canvas = make("canvas", { class: "strip", width: bytes.length, height: 1, role: "img", "aria-label": label });
  paint(canvas, bytes);
  const named = (i) => (bytes.length === size ? `${i}` : `${Math.floor((i * size) / bytes.length)} and on`);
  const worst = bytes.indexOf(Math.max(...bytes));
  const where = make("figcaption", {}, `${label}: worst at ${named(worst)}, ${bytes.filter((b) => b > 0).length} of ${bytes.length} differ`);
  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    const i = Math.min(bytes.length - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * bytes.length)));
    where.textContent = `${label}, ${named(i)}: ${describeByte(bytes[i], largest)}`;
  });
  return make("figure", {}, canvas, where);
}

// Strips of all dimensions, and one of the last dimension cut into equal groups, as heads lie side by side in it.
function errorsAlong(map) {
  const largest = toNumber(map.largest), dimensions = (map.along || []).map(({ size, errors }, d) => ({ size, d, bytes: bytesOf(errors) }));
  const shown = dimensions.filter(({ size }) => size > 1);
  if (!shown.length) return null;
  const last = shown[shown.length - 1], groups = make("div", {});
  const cut = (event) => {
    const count = Number(event.target.value), width = last.bytes.length / count;
    groups.replaceChildren(Number.isInteger(width) && count > 1
      ? strip(Uint8Array.from({ length: count }, (_, g) => Math.max(...last.bytes.slice(g * width, (g + 1) * width))), count, largest, `dimension ${last.d} in ${count} heads`)
      : make("p", { class: "soft" }, count > 1 ? `${last.size} does not divide into ${count}` : ""));
  };
  const input = make("input", { type: "number", min: 1, max: last.size, value: 1, "aria-label": `heads in dimension ${last.d}`, oninput: cut });
  return make("div", {}, shown.map(({ size, d, bytes }) => strip(bytes, size, largest, `dimension ${d} (${size})`)),
    make("label", { class: "soft" }, `heads in dimension ${last.d} `, input), groups);
}
