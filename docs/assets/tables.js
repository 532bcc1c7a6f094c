// Filters above the large tables of the site (utils/site/site_tables.py): a choice for each column of few values, a field for text in any column,
// and how many rows are shown.
"use strict";

const MOST_CHOICES = 16;

function valuesOf(rows, column) {
  const values = new Set(rows.map((row) => row.cells[column].textContent));
  return values.size > 1 && values.size <= MOST_CHOICES ? [...values] : [];
}

function addFilters(box) {
  const table = box.querySelector("table");
  const rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const bar = document.createElement("p");
  const shown = document.createElement("output");
  const choices = [];
  heads.forEach((head, column) => {
    const values = valuesOf(rows, column);
    if (!values.length) return;
    const choice = document.createElement("select");
    choice.ariaLabel = head;
    choice.add(new Option(`${head}: all`, ""));
    for (const value of values) choice.add(new Option(value || "(empty)", "=" + value));
    choices.push([column, choice]);
    bar.append(choice, " ");
  });
  const words = document.createElement("input");
  words.type = "search";
  words.placeholder = "Filter rows";
  bar.append(words, " ", shown);
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const chosen = choices.every(([column, choice]) => !choice.value || "=" + row.cells[column].textContent === choice.value);
      row.hidden = !chosen || !wanted.every((word) => text.includes(word));
      count += !row.hidden;
    }
    shown.value = `${count} of ${rows.length} rows`;
  };
  bar.addEventListener("input", apply);
  table.before(bar);
  apply();
}

document.querySelectorAll(".assay-table").forEach(addFilters);
