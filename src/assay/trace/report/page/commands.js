// Pages of the other commands' JSON: verify, run, triage, audit, tune, dump summaries; anything else as a table or a tree.

const countedAsFaults = ["FAILED", "CRASHED", "TIMEOUT", "MISTRUSTED"];

// "assay verify --engine=x --matmul --dt=bf16 64x64:64x64" -> driver, types, the rest.
function wordsOf(repro) {
  const words = (repro || "").split(/\s+/);
  const driver = words.find((w) => /^--[a-z]+$/.test(w) && w !== "--verify");
  const type = words.find((w) => /^--(dt|sdt)=/.test(w));
  return { driver: driver ? driver.slice(2) : "", type: type ? type.split("=")[1] : "f32", shape: words[words.length - 1] || "" };
}

// `wrong` of a document: how failing elements lie, and the worst of them.
function wrongPanel(wrong) {
  if (!wrong) return null;
  const columns = ["index", "expected", "got", "error", "bound"], points = wrong.worst || [];
  return make("section", { "aria-label": "wrong elements" }, make("h3", {}, `${text(wrong.failures)} of ${text(wrong.elements)} elements of '${wrong.result}' are wrong${wrong.data ? `, on ${wrong.data} data` : ""}`),
    make("p", { class: "pattern" }, wrong.pattern),
    points.length ? make("table", { class: "small" }, make("tr", {}, columns.map((c) => make("th", {}, c))),
      points.map((p) => make("tr", {}, columns.map((c) => make("td", {}, c === "index" ? `[${p.index.join(", ")}]` : String(p[c])))))) : null);
}

// The fields of a row that have no place of their own.
function otherFields(row, ...shown) {
  return definitions(Object.entries(row).filter(([key]) => !["index", "wrong", ...shown].includes(key)).map(([key, value]) =>
    [key, value && typeof value === "object" ? (Array.isArray(value) && value.every((v) => typeof v === "string") ? make("pre", {}, value.join("\n")) : JSON.stringify(value)) : value]));
}

const verdictCell = (key) => (r) => make("span", { class: r[key] === "passed" ? "good" : r[key] === "FAILED" ? "bad" : "warn" }, r[key]);

function groupBars(rows, key, isBad) {
  const groups = new Map();
  for (const row of rows) {
    const name = row[key] || "(none)", group = groups.get(name) || { name, value: 0, part: 0 };
    group.value += 1;
    group.part += isBad(row) ? 1 : 0;
    groups.set(name, group);
  }
  return [...groups.values()].sort((a, b) => b.part - a.part || b.value - a.value).slice(0, 16);
}

function verifyPage(source, main, state) {
  const rows = source.problems.map((row, index) => ({ index, ...wordsOf(row.repro), ...row }));
  const isBad = (row) => countedAsFaults.includes(row.status);
  const detail = make("section", { "aria-label": "problem", "aria-live": "polite" });
  const table = new DataTable(rows, [
    { key: "index", title: "#", width: "56px", number: true },
    { key: "status", title: "status", width: "130px", show: (r) => make("span", { class: isBad(r) ? "bad" : r.status === "PASSED" ? "good" : "warn" }, r.status) },
    { key: "driver", title: "driver", width: "90px" },
    { key: "type", title: "types", width: "130px" },
    { key: "shape", title: "problem", width: "minmax(160px, 2fr)" },
    { key: "ms", title: "ms", width: "80px", number: true },
    { key: "reason", title: "reason", width: "minmax(120px, 3fr)" },
  ], { label: "problems", words: (r) => `${r.status} ${r.repro} ${r.reason || ""}`, onOpen: (row) => {
    address.set({ row: row.index });
    detail.replaceChildren(make("div", { class: "detail" }, make("h2", {}, `problem ${row.index}: ${row.status}`), make("pre", {}, row.repro || ""), wrongPanel(row.wrong) || "",
      otherFields(row, "repro", "status", "driver", "type", "shape")));
  } });
  state.table = table;
  main.append(make("div", { class: "cards" }, Object.entries(source.counts).filter(([, n]) => n > 0).map(([name, n]) => card(n, name, countedAsFaults.includes(name.toUpperCase()) ? "bad" : name === "passed" ? "good" : ""))),
    make("div", { class: "charts" }, barChart(groupBars(rows, "driver", isBad), "faults (red) by driver"), barChart(groupBars(rows, "type", isBad), "faults (red) by types"),
      barChart(groupBars(rows.filter((r) => r.status !== "PASSED"), "reason", isBad), "not passed, by reason")),
    make("h2", {}, "Problems"), table.node, detail);
  openWanted(table, rows, rows.find(isBad));
}

function openWanted(table, rows, otherwise) {
  const wanted = address.get().get("row");
  const row = wanted !== null ? rows.find((r) => r.index === Number(wanted)) : otherwise;
  if (row) table.reveal(row);
}

function genericColumns(rows) {
  const keys = [...new Set(rows.slice(0, 50).flatMap((r) => Object.keys(r)))].filter((k) => k !== "index").slice(0, 12);
  return [{ key: "index", title: "#", width: "56px", number: true }, ...keys.map((key) => {
    const number = rows.slice(0, 50).every((r) => r[key] === null || r[key] === undefined || r[key] === "" || !Number.isNaN(toNumber(r[key])) || r[key] === "nan");
    return { key, title: key, number, width: number ? "100px" : "minmax(90px, 1fr)" };
  })];
}

function tablePage(list, main, state, label) {
  const rows = list.map((row, index) => ({ ...row, index }));
  const detail = make("section", { "aria-live": "polite", "aria-label": "row" });
  const table = new DataTable(rows, genericColumns(rows), { label, onOpen: (row) => {
    address.set({ row: row.index });
    detail.replaceChildren(make("div", { class: "detail" }, definitions(Object.entries(row).map(([key, value]) => [key, value && typeof value === "object" ? JSON.stringify(value) : value]))));
  } });
  state.table = table;
  main.append(make("h2", {}, label), table.node, detail);
  openWanted(table, rows, null);
}

// Picks against the measured best: the sorted curve, the worst shapes, which kernels were best.
function validatePage(source, main, state) {
  const rows = source.rows;
  const curve = (key) => rows.map((r) => toNumber(r[key])).sort((a, b) => a - b).map((v) => 100 * v);
  const mean = (values) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
  main.append(make("div", { class: "cards" }, card(rows.length, "problems"), card(`${mean(curve("learned_efficiency")).toFixed(1)} %`, "learned, of the best"), card(`${mean(curve("analytic_efficiency")).toFixed(1)} %`, "analytic, of the best")),
    efficiencyChart([{ name: "learned", colour: "var(--accent)", values: curve("learned_efficiency") }, { name: "analytic", colour: "var(--warn)", values: curve("analytic_efficiency") }]),
    barChart(groupBars(rows, "oracle", (r) => r.oracle !== r.learned), "the best kernels; red: another one was picked"));
  tablePage([...rows].sort((a, b) => toNumber(a.learned_efficiency) - toNumber(b.learned_efficiency)), main, state, "problems, the worst pick first");
}

function efficiencyChart(series, width = 700, height = 220) {
  const low = Math.max(0, Math.floor(Math.min(...series.flatMap((s) => s.values)) / 10) * 10), left = 40;
  const x = (i, n) => left + ((width - left - 8) * i) / Math.max(1, n - 1), y = (v) => 8 + ((100 - Math.min(100, v)) * (height - 30)) / Math.max(1, 100 - low);
  const chart = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "efficiency, problems sorted" });
  for (let v = low; v <= 100; v += 10) chart.append(make("line", { x1: left, x2: width - 8, y1: y(v), y2: y(v), stroke: "var(--line)" }), make("text", { x: left - 4, y: y(v) + 4, "text-anchor": "end" }, String(v)));
  series.forEach((s, k) => chart.append(make("path", { d: s.values.map((v, i) => `${i ? "L" : "M"}${x(i, s.values.length).toFixed(1)},${y(v).toFixed(1)}`).join(""), fill: "none", stroke: s.colour, "stroke-width": 1.5 }),
    make("text", { x: left + 100 * k, y: height - 6, style: `fill:${s.colour}` }, s.name)));
  return make("figure", {}, chart, make("figcaption", {}, "% of the best kernel's speed, each curve's problems from worst to best"));
}

function foldedTree(value, name = "") {
  if (value === null || typeof value !== "object") return make("div", {}, make("code", {}, `${name}: `), text(value));
  const entries = Object.entries(value);
  return make("details", name ? {} : { open: "" }, make("summary", {}, `${name || "document"} (${entries.length})`), make("div", { style: "padding-left:16px" }, entries.slice(0, 500).map(([key, child]) => foldedTree(child, key))));
}

function runPage(source, main, state) {
  const passed = source.checks_passed ?? 0, failed = source.checks_failed ?? 0, mistrusted = source.checks_mistrusted ?? 0;
  const programs = source.programs || [source], failures = source.failed_checks || [];
  main.append(make("div", { class: "cards" }, passed + failed + mistrusted === 0 ? card("nothing", "was judged", "warn")
      : [card(passed, "checks passed", failed + mistrusted ? "" : "good"), card(failed, "checks failed", failed ? "bad" : ""), mistrusted ? card(mistrusted, "mistrusted", "warn") : []]),
    definitions([["program", source.program], ["programs in the file", source.programs ? programs.length : null], ["time, ms", source.time_ms], ["peak memory, bytes", source.peak_bytes],
      ...programs.filter((p) => p.error).map((p) => ["ended early", p.error])]));
  if (failures.length) main.append(make("section", { "aria-label": "failed checks" }, make("h2", {}, "Failed checks"),
    make("ol", {}, failures.map((f) => make("li", {}, make("code", {}, f.location), ` ${f.message}`)))));
  const detail = make("section", { "aria-label": "result", "aria-live": "polite" });
  const rows = source.results.map((row, index) => ({ ...row, index }));
  const table = new DataTable(rows, [
    { key: "result", title: "result", width: "90px" }, { key: "type", title: "type", width: "140px" },
    { key: "verdict", title: "verdict", width: "110px", show: verdictCell("verdict") }, { key: "rule", title: "rule", width: "90px" },
    { key: "max_abs", title: "max abs", width: "96px", number: true }, { key: "of_bound", title: "of bound", width: "96px", number: true },
    { key: "worst", title: "worst at", width: "110px" }, { key: "text", title: "in words", width: "minmax(160px, 3fr)" },
  ], { label: "results", onOpen: (row) => {
    address.set({ row: row.index });
    detail.replaceChildren(make("div", { class: "detail" }, make("h2", {}, `${row.result}: ${row.verdict}`), wrongPanel(row.wrong) || "", otherFields(row, "result", "verdict")));
  } });
  state.table = table;
  if (rows.length) main.append(make("h2", {}, "Results"), table.node, detail);
  openWanted(table, rows, rows.find((r) => !r.passed));
}

// Which side is wrong: the answer, the steps that led to it, where it is wrong, and how to repeat it.
function triagePage(source, main, state) {
  const rows = source.triage.map((row, index) => ({ ...row, index }));
  const detail = make("section", { "aria-label": "diagnosis", "aria-live": "polite" });
  const open = (row) => {
    address.set({ row: row.index });
    detail.replaceChildren(make("div", { class: "detail" }, make("h2", {}, "at fault: ", make("span", { class: "bad" }, row.at_fault)), make("p", {}, row.why),
      wrongPanel(row.wrong) || "", make("ol", { class: "steps" }, row.steps.map((s) => make("li", {}, make("b", {}, s.question), `: ${s.answer}`))),
      definitions([["repeats it", row.repro && make("pre", {}, row.repro)], ["the smallest case", row.smallest && row.smallest !== row.repro && make("pre", {}, row.smallest)],
        ...(row.files || []).map((file) => ["smallest test", file])].map(([key, value]) => [key, value || null]))));
  };
  const table = new DataTable(rows, [{ key: "at_fault", title: "at fault", width: "110px" }, { key: "subject", title: "what was asked", width: "minmax(160px, 2fr)" }, { key: "why", title: "why", width: "minmax(160px, 3fr)" }],
    { label: "diagnoses", onOpen: open });
  state.table = table;
  const sides = [...new Set(rows.map((r) => r.at_fault))];
  main.append(make("div", { class: "cards" }, sides.map((side) => card(rows.filter((r) => r.at_fault === side).length, `at fault: ${side}`, side === "nobody" ? "" : "bad"))), table.node, detail);
  openWanted(table, rows, rows[0]);
}

// How good an acceptance is: what it lets pass of what is wrong, and rejects of what is right.
function auditPage(source, main, state) {
  main.append(make("div", { class: "cards" }, card(`${source.faults_accepted} of ${source.faults}`, "faults accepted", source.faults_accepted ? "bad" : "good"),
      card(`${source.right_results_rejected} of ${source.right_results}`, "right results rejected", source.right_results_rejected ? "bad" : "good"),
      card(source.smallest_fault_seen ?? "none", "smallest fault seen"), card(source.separating_tolerance, "separating tolerance")),
    definitions([["rule", source.rule]]));
  const rows = source.rows.map((row) => ({ name: row.name, is: row.right ? "right" : "wrong", share_of_bound: row.right ? "" : row.share_of_bound ?? "inf",
    says: row.accepted ? "accepts" : "rejects", "": row.right === row.accepted ? "" : "BAD" }));
  tablePage(rows, main, state, "results that were shown");
}

// What a document is, by what it holds.
const pages = [
  [(d) => Array.isArray(d.ranks) && d.ranks.length && d.ranks.every((r) => r && Array.isArray(r.rows)), ranksPage],
  [(d) => Array.isArray(d.rows) && d.rows.length && "status" in d.rows[0] && ("target" in d.rows[0] || "Module" in d.rows[0]), comparePage],
  [(d) => Array.isArray(d.problems) && d.counts, verifyPage],
  [(d) => Array.isArray(d.rows) && d.rows.length && "learned_efficiency" in d.rows[0], validatePage],
  [(d) => Array.isArray(d.rows) && "faults_accepted" in d, auditPage],
  [(d) => Array.isArray(d.triage), triagePage],
  [(d) => Array.isArray(d.results), runPage],
  [(d) => Array.isArray(d) && d.every((r) => r && typeof r === "object" && !Array.isArray(r)), (d, main, state) => tablePage(d, main, state, "rows")],
  [(d) => Array.isArray(d.rows), (d, main, state) => tablePage(d.rows, main, state, "rows")],
  [(d) => Array.isArray(d.tensors), (d, main, state) => tablePage(d.tensors, main, state, "tensors")],
  [(d) => Array.isArray(d.slices), (d, main, state) => tablePage(d.slices, main, state, "slices")],
  [() => true, (d, main) => main.append(foldedTree(d))],
];
