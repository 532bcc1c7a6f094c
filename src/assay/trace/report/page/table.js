// A table of any number of rows: only those in view are in the document.
const rowHeight = 24;

// columns: {key, title, width, number, show(row) -> text or node}; onOpen(row) is called for the selected row.
class DataTable {
  constructor(rows, columns, { label, height = 480, onOpen = () => {}, words = (row) => Object.values(row).join(" ") }) {
    Object.assign(this, { all: rows, columns, onOpen, words, label, selected: null, order: null, up: true, filters: {} });
    const widths = columns.map((c) => c.width || "1fr").join(" ");
    this.head = make("div", { class: "head", role: "row", style: `grid-template-columns:${widths}` },
      columns.map((c) => make("button", { type: "button", role: "columnheader", class: c.number ? "number" : "", title: c.title, onclick: () => this.sort(c) }, c.title)));
    this.body = make("div", { class: "body", tabindex: "0", style: `height:${height}px`, "aria-label": label, onscroll: () => this.draw(), onkeydown: (e) => this.key(e) });
    this.space = make("div");
    this.body.append(this.space);
    this.count = make("div", { class: "soft", role: "status" });
    this.node = make("div", {}, make("div", { class: "grid", role: "grid", "aria-label": label, "aria-rowcount": rows.length }, this.head, this.body), this.count);
    this.widths = widths;
    this.height = height;
    this.refresh();
  }
  sort(column) {
    this.up = this.order === column ? !this.up : !column.number;
    this.order = column;
    this.refresh();
  }
  filter(name, test) {
    if (test) this.filters[name] = test; else delete this.filters[name];
    this.refresh();
  }
  search(query) {
    const parts = query.toLowerCase().split(/\s+/).filter(Boolean);
    this.filter("search", parts.length ? (row) => { const all = this.words(row).toLowerCase(); return parts.every((p) => all.includes(p)); } : null);
  }
  refresh() {
    const tests = Object.values(this.filters);
    this.rows = this.all.filter((row) => tests.every((test) => test(row)));
    if (this.order) {
      const { key, number } = this.order, sign = this.up ? 1 : -1;
      const of = (row) => (number ? toNumber(row[key]) : text(row[key]));
      this.rows.sort((a, b) => {
        const x = of(a), y = of(b);
        if (number && (Number.isNaN(x) || Number.isNaN(y))) return Number.isNaN(x) - Number.isNaN(y);
        return sign * (x < y ? -1 : x > y ? 1 : 0);
      });
    }
    this.space.style.height = `${this.rows.length * rowHeight}px`;
    this.body.style.height = `${Math.min(this.height, Math.max(1, this.rows.length) * rowHeight + 2)}px`;
    this.count.textContent = this.rows.length === this.all.length ? `${this.all.length} rows` : `${this.rows.length} of ${this.all.length} rows`;
    this.draw();
  }
  draw() {
    const first = Math.max(0, Math.floor(this.body.scrollTop / rowHeight) - 4);
    const last = Math.min(this.rows.length, first + Math.ceil(this.height / rowHeight) + 8);
    const shown = [];
    for (let i = first; i < last; ++i) {
      const row = this.rows[i];
      shown.push(make("div", { class: "row", role: "row", "aria-rowindex": i + 1, "aria-selected": row === this.selected ? "true" : "false",
        style: `top:${i * rowHeight}px;grid-template-columns:${this.widths}`, onclick: () => this.open(row) },
        this.columns.map((c) => make("div", { role: "gridcell", class: c.number ? "number" : "", title: c.show ? undefined : text(row[c.key]) }, c.show ? c.show(row) : text(c.number ? shown_number(row[c.key]) : row[c.key])))));
    }
    this.space.replaceChildren(...shown);
  }
  open(row) {
    this.selected = row;
    this.draw();
    this.onOpen(row);
  }
  reveal(row) {
    const i = this.rows.indexOf(row);
    if (i >= 0) this.body.scrollTop = Math.max(0, i * rowHeight - this.height / 3);
    this.open(row);
  }
  step(by) {
    if (!this.rows.length) return;
    const i = this.rows.indexOf(this.selected);
    this.reveal(this.rows[Math.min(this.rows.length - 1, Math.max(0, i < 0 ? 0 : i + by))]);
  }
  key(event) {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { this.step(event.key === "ArrowDown" ? 1 : -1); event.preventDefault(); }
  }
}
const shown_number = (value) => { const n = toNumber(value); return Number.isNaN(n) ? (value === "nan" ? "nan" : null) : n; };
