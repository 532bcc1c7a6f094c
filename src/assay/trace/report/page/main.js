// Chooses the page of a source; keys, search, theme.
const state = { table: null };

function show(index) {
  const main = document.getElementById("main"), source = data.sources[index];
  main.replaceChildren();
  state.table = null;
  [...document.getElementById("sources").children].forEach((b, i) => b.setAttribute("aria-pressed", String(i === index)));
  pages.find(([is]) => is(source.document))[1](source.document, main, state);
  const query = address.get().get("q") || "";
  document.getElementById("search").value = query;
  if (state.table && query) state.table.search(query);
}

function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  address.set({ theme: dark ? "dark" : "light" });
  const at = Number(address.get().get("source") || 0);
  show(Math.min(at, data.sources.length - 1));
}

function start() {
  const nav = document.getElementById("sources"), search = document.getElementById("search");
  if (data.sources.length > 1) data.sources.forEach((source, i) => nav.append(make("button", { type: "button", title: source.path,
    onclick: () => { address.set({ source: i, row: null }); show(i); } }, source.path.split("/").pop())));
  search.addEventListener("input", () => { address.set({ q: search.value }); if (state.table) state.table.search(search.value); });
  document.getElementById("theme").addEventListener("click", () => setTheme(!isDark()));
  document.addEventListener("keydown", (event) => {
    if (event.target === search) { if (event.key === "Escape" || event.key === "Enter") search.blur(); return; }
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "/") { search.focus(); event.preventDefault(); }
    else if (event.key === "j" || event.key === "k") state.table?.step(event.key === "j" ? 1 : -1);
    else if (event.key === "t") setTheme(!isDark());
    else if (/^[1-9]$/.test(event.key) && Number(event.key) <= data.sources.length) { address.set({ source: Number(event.key) - 1, row: null }); show(Number(event.key) - 1); }
  });
  const theme = address.get().get("theme");
  setTheme(theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
}
start();
