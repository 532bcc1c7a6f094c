// The model as a tree that folds, coloured by the largest error below.

const kinds = /^(?:(.*)\.)?([^.]+)\.(\d+)\.(params|input|output|forward_params|forward_input|forward_output|forward_buffers|backward_grad_output|backward_grad_input|params_grad|backward_output|backward_input)(?:\.(.*))?$/;

// "1/blocks.0.norm1.LayerNorm.0.forward_input.0" -> its parts; other names are their own module.
function parseName(name) {
  const plain = name.replace(/^\/?\d+\//, "").replace(/^\//, "");
  const match = kinds.exec(plain);
  return match ? { module: match[1] || "", className: match[2], call: match[3], kind: match[4], item: match[5] || "" }
               : { module: plain, className: "", call: "", kind: "", item: "" };
}

// Where a row stands in the tree: a module by its path; an operator's call under the module that it ran in, in the order of calls.
function placeOf(row) {
  const call = /^(\d+)-\w+$/.exec(row.module);
  if (!call) return row.module.split(/[./]/).filter(Boolean);
  const within = row.within === undefined || row.within === null ? ["outside of modules"] : row.within.split(".").filter(Boolean);
  return [...within, `${row.className.replace(/-default$/, "").replace(/-/g, ".")} (${Number(call[1])})`];
}

// Whether a row lies at or below a node of the tree.
const liesIn = (row, place) => place.every((part, i) => row.place[i] === part);

function moduleTree(rows) {
  const root = { name: "", path: "", place: [], children: new Map(), count: 0, failed: 0, worst: 0 };
  for (const row of rows) {
    let node = root;
    const add = (n) => { n.count += 1; n.failed += row.bad ? 1 : 0; if (row.badness > n.worst) n.worst = row.badness; };
    add(root);
    for (const part of row.place) {
      if (!node.children.has(part)) node.children.set(part, { name: part, path: `${node.path}/${part}`, place: [...node.place, part], children: new Map(), count: 0, failed: 0, worst: 0 });
      node = node.children.get(part);
      node.className = node.className || "";
      add(node);
    }
    if (!/^\d+-/.test(row.module)) node.className = row.className;
  }
  return root;
}

// onPick(place) narrows what else is shown; [] is the whole model.
function treeView(root, onPick) {
  const box = make("div", { class: "tree", role: "tree", "aria-label": "modules" });
  const open = new Set([""]);
  let picked = "";
  const lines = (node, depth) => {
    const hasChildren = node.children.size > 0, isOpen = open.has(node.path);
    const line = make("div", { class: "node", role: "treeitem", tabindex: "0", "aria-level": depth + 1, "aria-expanded": hasChildren ? String(isOpen) : undefined,
      "aria-selected": String(node.path === picked), style: `padding-left:${8 + 14 * depth}px`,
      onclick: () => pick(node), onkeydown: (e) => treeKey(e, node) },
      make("span", { class: "soft", "aria-hidden": "true" }, hasChildren ? (isOpen ? "▾" : "▸") : " "),
      make("span", { class: "dot", style: `background:${heatColour(node.worst)}` }),
      cutMiddle(node.name || "whole model", 16),
      node.className ? make("span", { class: "soft" }, node.className) : null,
      make("span", { class: node.failed ? "count bad" : "count" }, node.failed ? `${node.failed} of ${node.count}` : String(node.count)));
    return [line, ...(isOpen ? [...node.children.values()].flatMap((child) => lines(child, depth + 1)) : [])];
  };
  const draw = () => {
    const at = box.scrollTop;
    box.replaceChildren(...lines(root, 0));
    box.scrollTop = at;
  };
  const toggle = (node) => { open.has(node.path) ? open.delete(node.path) : open.add(node.path); draw(); };
  const pick = (node) => {
    if (picked === node.path && node.children.size) open.has(node.path) ? open.delete(node.path) : open.add(node.path);
    else open.add(node.path);
    picked = node.path;
    draw();
    onPick(node.place);
  };
  const treeKey = (event, node) => {
    if (event.key === "Enter" || event.key === " ") pick(node);
    else if (event.key === "ArrowRight" && !open.has(node.path)) toggle(node);
    else if (event.key === "ArrowLeft" && open.has(node.path)) toggle(node);
    else return;
    event.preventDefault();
    const again = [...box.children].find((n) => n.getAttribute("aria-selected") === "true");
    if (again) again.focus();
  };
  draw();
  return box;
}
