// Two dumps: modules, error along the model, the table, and where in a tensor the error lies.

function comparedRows(source) {
  return source.rows.map((row, i) => {
    const name = row.target || row.bench || row.Module || "";
    const relative = toNumber(row.rel_l2), bad = row.status !== "Pass";
    const disagree = /differ ([1-9]\d*)/.test(row.non_finite || "");
    const parts = { ...row, ...parseName(name) };
    return { ...parts, place: placeOf(parts), name, index: row.index ?? i, relative, bad, disagree,
      badness: disagree || relative === Infinity ? 1 : bad ? Math.max(0.66, badness(relative)) : 0.33 * badness(relative) };
  });
}

function comparePage(source, main, state) {
  const rows = comparedRows(source);
  const detail = make("section", { "aria-label": "tensor", "aria-live": "polite" });
  const columns = [
    { key: "index", title: "#", width: "52px", number: true },
    { key: "status", title: "status", width: "84px", show: (r) => make("span", { class: r.bad ? "bad" : "good" }, r.status) },
    { key: "name", title: "tensor", width: "minmax(160px, 4fr)", show: (r) => cutMiddle(r.name) },
    { key: "rel_l2", title: "rel L2", width: "88px", number: true },
    { key: "max_abs_error", title: "max err", width: "88px", number: true },
    { key: "ulp_max", title: "ULP max", width: "92px", number: true },
    { key: "shape", title: "shape", width: "110px" },
    { key: "dtype", title: "type", width: "70px" },
    { key: "reason", title: "reason", width: "minmax(80px, 2fr)" },
  ];
  const table = new DataTable(rows, columns, { label: "compared tensors", words: (r) => `${r.name} ${r.reason} ${r.dtype} ${r.status}`,
    onOpen: (row) => { address.set({ row: row.index }); detail.replaceChildren(tensorDetail(row, source)); } });
  state.table = table;
  const byIndex = (i) => rows.find((r) => r.index === i);
  const statuses = ["all", ...new Set(rows.map((r) => r.status))];
  const buttons = statuses.map((s) => make("button", { type: "button", "aria-pressed": String(s === "all"), onclick: (event) => {
    buttons.forEach((b) => b.setAttribute("aria-pressed", String(b === event.currentTarget)));
    table.filter("status", s === "all" ? null : (r) => r.status === s);
  } }, s));
  const tree = treeView(moduleTree(rows), (place) => table.filter("module", place.length ? (r) => liesIn(r, place) : null));
  const outputs = rows.filter((r) => r.relative >= 0);
  const marks = outputs.map((r) => (r.bad ? `${r.name}: ${r.status}` : null));
  const spread = (source.maps || []);
  const parts = [
    make("div", { class: "cards" }, card(source.passed, "pass", "good"), card(source.failed, "fail", source.failed ? "bad" : ""),
      card(source.unmatched_target ?? 0, "only in the target"), card(source.unmatched_bench ?? 0, "only in the bench"),
      card(rows.filter((r) => r.disagree).length, "with NaN or Inf on one side", rows.some((r) => r.disagree) ? "bad" : "")),
    definitions([["target (tested)", source.target], ["bench (trusted)", source.bench], ["rule", source.rule]]),
    firstWrongPanel(source, (i) => byIndex(i) && table.reveal(byIndex(i))),
    notFinitePanel(rows, table),
    make("h2", {}, "Error along the model"),
    lineChart(errorSeries(source, outputs, marks), { label: "relative L2 error of each tensor in the order of execution; red: failed", onPick: (i) => table.reveal(outputs[i]) }),
    make("div", { class: "columns" }, make("div", {}, make("h2", {}, "Modules"), tree),
      make("div", {}, make("h2", {}, "Tensors"), make("nav", { "aria-label": "status filter" }, buttons), table.node)),
    detail];
  main.append(...parts.filter(Boolean));
  if (spread.length) main.append(make("p", { class: "soft" }, `Maps of where the error lies are in the details of ${spread.length} tensors.`));
  const wanted = address.get().get("row");
  const first = wanted !== null ? byIndex(Number(wanted)) : rows.find((r) => r.bad);
  if (first) table.reveal(first);
}

function errorSeries(source, outputs, marks) {
  const series = [{ name: "target against bench", colour: "var(--accent)", values: outputs.map((r) => r.relative), marks }];
  const golden = new Map((source.golden?.rows || source.golden || []).map((g) => [g.tensor, g]));
  if (golden.size) {
    const of = (key) => outputs.map((r) => toNumber(golden.get(r.name)?.[key]));
    series.push({ name: "target, golden", colour: "var(--bad)", values: of("target_error") }, { name: "bench, golden", colour: "var(--good)", values: of("bench_error") });
  }
  return series;
}

function firstWrongPanel(source, onRow) {
  const found = source.first_wrong;
  if (!found) return null;
  const suspects = found.suspects || [], answer = found.answer || (suspects.length ? "named" : "none");
  const named = answer === "named" && suspects.length;
  return make("section", { "aria-label": "first wrong" }, make("h2", {}, named ? "First wrong: " : `First wrong: ${answer}`, named ? make("span", { class: "bad" }, suspects[0].module) : null),
    named ? null : make("p", {}, answerWords(found)),
    make("ol", { class: "suspects" }, suspects.map((s) => make("li", {}, make("button", { type: "button", onclick: () => onRow(s.row) }, s.module), ` ${s.class && s.class !== s.module ? `(${s.class}) ` : ""}`,
      s.where ? make("span", { class: "soft" }, `in ${s.where}: `) : "", `${s.reason}; `, make("b", {}, s.how_sure || s.evidence)))));
}

// Why nobody is named.
function answerWords(found) {
  if (found.answer === "cannot tell")
    return [found.first_unexplained, found.not_judged].filter(Boolean).join(": ") + (found.how_to_judge ? `; to have it judged, ${found.how_to_judge}` : "");
  return (found.explained || []).map((e) => `${e.tensors} ${e.what}`).join("; ");
}

// How NaN and Inf spread: the tensors where the sides disagree, in the order of execution; the first is the producer's.
function notFinitePanel(rows, table) {
  const wrong = rows.filter((r) => r.disagree);
  if (!wrong.length) return null;
  return make("section", { "aria-label": "NaN and Inf" }, make("h2", {}, `NaN and Inf: first in ${wrong[0].name}`),
    make("ol", { class: "suspects" }, wrong.slice(0, 12).map((r) => make("li", {}, make("button", { type: "button", onclick: () => table.reveal(r) }, r.name), ` ${r.non_finite}`))),
    wrong.length > 12 ? make("p", { class: "soft" }, `and ${wrong.length - 12} more`) : null);
}

const shownFirst = ["reason", "rule", "shape", "dtype", "match", "step", "rank", "target_value", "bench_value"];
const hiddenKeys = new Set([...shownFirst, "index", "status", "target", "bench", "name", "module", "className", "call", "kind", "item", "relative", "bad", "badness", "disagree", "confidence", "place"]);

function tensorDetail(row, source) {
  const map = (source.maps || []).find((m) => m.row === row.index);
  return make("div", { class: "detail" }, make("h2", {}, row.name),
    row.bench && row.target && row.bench !== row.target ? make("p", { class: "soft" }, `in the bench: ${row.bench}`) : null,
    definitions(shownFirst.map((key) => [key.replace("_", " "), row[key]])),
    make("details", {}, make("summary", {}, "all metrics"), definitions(Object.entries(row).filter(([key]) => !hiddenKeys.has(key)).map(([key, value]) => [key, typeof value === "object" ? JSON.stringify(value) : value]))),
    map ? make("div", { class: "charts" }, make("div", {}, heatMap(map, "where the error lies"), errorsAlong(map)),
      make("div", {}, barChart(map.ulp.map((b) => ({ name: b.name, value: b.count })), "elements by distance in ULP"),
        barChart(map.decades.map((b) => ({ name: b.name, value: b.count })), "elements by absolute error")),
      windowTable(map.window)) : null);
}

function windowTable(window) {
  if (!window) return null;
  const row = (values, r) => make("tr", {}, make("th", { scope: "row" }, String(window.row + r)), values.map((v, c) => {
    const t = toNumber(v), b = toNumber(window.bench[r][c]), error = Math.abs(t - b);
    const equal = t === b || (Number.isNaN(t) && Number.isNaN(b));
    const share = equal ? 0 : Number.isFinite(error) ? Math.max(0.06, 1 + Math.log10(error / toNumber(window.largest)) / 6) : 1;
    return make("td", { title: `target ${text(t)}, bench ${text(b)}`, style: `background:${heatColour(share)}` }, text(t));
  }));
  return make("figure", {}, make("table", { class: "small" }, make("thead", {}, make("tr", {}, make("th", {}, ""), window.target[0].map((_, c) => make("th", { scope: "col" }, String(window.col + c))))),
    make("tbody", {}, window.target.map(row))), make("figcaption", {}, "the target's values around the largest error; colour: distance from the bench's"));
}

// The ranks of a run: a line for each, and the comparison of the one that is picked.
function ranksPage(source, main, state) {
  const answerOf = (found) => (found ? found.first_wrong || found.answer || "none" : "");
  const rows = source.ranks.map((document, index) => ({ index, document, rank: document.rank ?? index, passed: document.passed, failed: document.failed,
    unmatched: (document.unmatched_target ?? 0) + (document.unmatched_bench ?? 0), first_wrong: answerOf(document.first_wrong) }));
  const below = make("section", { "aria-label": "rank" });
  const table = new DataTable(rows, [
    { key: "rank", title: "rank", width: "70px", number: true },
    { key: "passed", title: "pass", width: "90px", number: true },
    { key: "failed", title: "fail", width: "90px", number: true, show: (r) => make("span", { class: r.failed ? "bad" : "" }, text(r.failed)) },
    { key: "unmatched", title: "unmatched", width: "110px", number: true },
    { key: "first_wrong", title: "first wrong", width: "minmax(160px, 1fr)", show: (r) => cutMiddle(r.first_wrong) },
  ], { label: "ranks", height: 240, onOpen: (row) => {
    if (address.get().get("rank") !== String(row.rank)) address.set({ rank: row.rank, row: null });
    below.replaceChildren(make("h2", {}, `Rank ${row.rank}`));
    comparePage(row.document, below, state);
  } });
  const blamed = source.first_wrong_rank, found = source.first_wrong;
  main.append(make("div", { class: "cards" }, card(rows.length, "ranks"), card(rows.filter((r) => r.failed).length, "with fails", rows.some((r) => r.failed) ? "bad" : "good"),
    found ? card(blamed ?? answerOf({ answer: found.answer }), "first wrong rank", blamed !== undefined ? "bad" : "") : null),
    found && found.answer === "cannot tell" ? make("p", {}, answerWords(found)) : "", make("h2", {}, "Ranks"), table.node, below);
  const wanted = address.get().get("rank") ?? blamed ?? rows.find((r) => r.failed)?.rank ?? rows[0].rank;
  table.reveal(rows.find((r) => String(r.rank) === String(wanted)) || rows[0]);
}
