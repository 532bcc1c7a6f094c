// DOM, numbers, colours, and the address that keeps what is shown.
const data = JSON.parse(document.getElementById("data").textContent);

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "rect", "text", "g", "circle", "title"].includes(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
  return node;
}

// JSON has no infinity and no NaN: they come as text.
function toNumber(value) {
  if (typeof value === "number") return value;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  if (value === "nan" || value === null || value === undefined || value === "") return NaN;
  return Number(value);
}

function text(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  if (!Number.isFinite(value)) return String(value);
  if (value === 0 || (Number.isInteger(value) && Math.abs(value) < 1e6)) return String(value);
  const size = Math.abs(value);
  return size >= 1e-2 && size < 1e5 ? String(Number(value.toPrecision(4))) : value.toExponential(2);
}

const isDark = () => document.documentElement.classList.contains("dark");

// 0 is harmless, 1 is as bad as it gets.
function heat(share) {
  const x = Math.min(1, Math.max(0, share));
  const stops = isDark() ? [[28, 34, 41], [24, 78, 119], [196, 140, 30], [255, 107, 97]]
                         : [[247, 249, 251], [146, 190, 230], [240, 173, 60], [186, 20, 26]];
  const at = x * (stops.length - 1), i = Math.min(stops.length - 2, Math.floor(at)), f = at - i;
  return stops[i].map((low, c) => Math.round(low + f * (stops[i + 1][c] - low)));
}
const heatColour = (share) => `rgb(${heat(share).join(",")})`;

// How bad a relative error looks: 1e-8 is nothing, 1 everything.
const badness = (error) => (error > 0 ? Math.min(1, Math.max(0, (Math.log10(error) + 8) / 8)) : Number.isNaN(error) ? 0 : error > 0 ? 1 : 0);

// ---- the address: #source=0&row=12&q=text ----
const address = {
  get() { return new URLSearchParams(location.hash.slice(1)); },
  set(changes) {
    const now = this.get();
    for (const [key, value] of Object.entries(changes))
      value === null || value === "" ? now.delete(key) : now.set(key, value);
    history.replaceState(null, "", "#" + now.toString());
  },
};

function card(value, label, kind = "") { return make("div", { class: "card" }, make("b", { class: kind }, text(value)), make("span", {}, label)); }

// A name that keeps its end where the space is short: its middle is cut. What it says, whole, is its text.
function cutMiddle(name, tail = 24) {
  if (name.length <= tail) return make("span", {}, name);
  return make("span", { class: "cut", title: name }, make("span", {}, name.slice(0, -tail)), make("span", {}, name.slice(-tail)));
}

function definitions(pairs) {
  return make("dl", {}, pairs.filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([key, value]) => [make("dt", {}, key), make("dd", {}, value instanceof Node ? value : text(value))]));
}
