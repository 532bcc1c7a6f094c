"""Large tables of the documentation: JSON in docs/tables, one row per line, and on the site a page with filters.

    {"columns": ["fault", "type"],
     "rows": [
    ["`drop_k`", "f32"]
    ]}

A cell is a text with `code` and **bold**. A page shows a table by a paragraph that is only a link to its file: `[All 278 cells](tables/cells.json)`.
"""
import html
import json
import pathlib
import re

LINK = re.compile(r"^\[([^\]\n]+)\]\(((?:\.\./)*tables/[\w.-]+\.json)\)$", re.M)


def content(columns, rows):
    """The text of the file."""
    columns, rows = list(columns), [[str(cell) for cell in row] for row in rows]
    for row in rows:
        if len(row) != len(columns):
            raise ValueError(f"a row has {len(row)} cells, the table {len(columns)} columns: {row}")
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{{"columns": {json.dumps(columns)},\n "rows": [\n{lines}\n]}}\n'


def write(path, columns, rows):
    path = pathlib.Path(path)
    path.parent.mkdir(exist_ok=True)
    path.write_text(content(columns, rows))


def read(path):
    """(columns, rows)."""
    table = json.loads(pathlib.Path(path).read_text())
    return table["columns"], table["rows"]


def _cell(text):
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)


def _row(cells, kind):
    return "<tr>" + "".join(f"<{kind}>{_cell(cell)}</{kind}>" for cell in cells) + "</tr>"


def as_html(caption, path):
    """The table on the site; docs/assets/tables.js adds the filters. Without them the table is complete."""
    columns, rows = read(path)
    body = "\n".join(_row(row, "td") for row in rows)
    return (f'<div class="assay-table" data-search-exclude>\n<p class="assay-caption">{_cell(caption)}</p>\n<table>\n'
            f'<thead>{_row(columns, "th")}</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>')
