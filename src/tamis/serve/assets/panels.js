// The right side: what came of a page, in tabs.

import { attempt, csv, download, getJson, h, moment, plural, say } from "./dom.js";

export const MAX_LINES = 2000; // blocks of a page that are listed at once
const MAX_SHOWN = 300_000; // characters of a format that are shown at once
export const MAX_ROWS = 500; // records that are listed at first; the CSV has all of them

export const PANELS = {
  document: { name: "Document", draw: drawDocument },
  compare: { name: "Compare", draw: drawCompare },
  records: { name: "Records", draw: drawRecords, count: (view) => (view.regions[0]?.main ? view.regions[0].count : 0) },
  posts: { name: "Posts", draw: (state) => drawPosts(state, "posts"), when: (view) => view.posts?.length, count: (view) => view.posts?.length },
  comments: { name: "Comments", draw: (state) => drawPosts(state, "comments"), when: (view) => view.comments?.length, count: (view) => view.comments?.length },
  metadata: { name: "Metadata", draw: drawMetadata },
  formats: { name: "Copy", draw: drawFormats },
  history: { name: "History", draw: drawHistory, when: (view, state) => state.abilities.store && Boolean(state.page.url) },
  rules: { name: "Rules", draw: (state) => state.drawRules() },
};

function facts(view) {
  const parts = [["status", view.status], ["type", view.page_type], ["confidence", view.confidence?.toFixed(2)], ["method", view.method], ["match", view.match?.toFixed(2)]];
  return h("div", { class: "facts" }, parts.filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => h("span", { class: "fact" }, `${name} `, h("b", {}, value))),
    view.truncated.map((text) => h("span", { class: "fact" }, text)));
}

function drawDocument(state) {
  const { view } = state;
  const lines = h("div", { class: "lines", role: "listbox", "aria-label": "Blocks" });
  const toggle = h("input", { type: "checkbox", checked: state.showsNoise, id: "shows-noise", onchange: () => { state.showsNoise = toggle.checked; fill(); } });
  const kept = view.blocks.filter((block) => block.informative).length;
  function fill() {
    state.lines = new Map();
    const rows = [];
    let left = 0;
    view.blocks.forEach((block, index) => {
      if (!block.text || (!block.informative && !state.showsNoise)) return;
      if (rows.length >= state.maxLines) { left += 1; return; }
      const line = h("div", { class: `block ${block.informative ? "k" : "n"} ${block.tag}`, role: "option", "aria-selected": "false" },
        h("span", { class: "score", title: block.reason }, block.score.toFixed(2)), block.text);
      line.dataset.b = index;
      state.lines.set(index, line);
      rows.push(line);
    });
    if (left) rows.push(h("button", { type: "button", onclick: () => { state.maxLines += 10 * MAX_LINES; fill(); } }, `Show more (${left.toLocaleString("en")})`));
    if (!rows.length) rows.push(h("p", { class: "empty" }, "Nothing on this page is content by this method. Show the noise, or try another one."));
    lines.replaceChildren(...rows);
    state.paint();
  }
  const find = (event) => { const line = event.target.closest("[data-b]"); return line ? Number(line.dataset.b) : null; };
  lines.addEventListener("mouseover", (event) => state.hover(find(event)));
  lines.addEventListener("mouseleave", () => state.hover(null));
  lines.addEventListener("click", (event) => { const block = find(event); if (block !== null) state.select(block, "lines"); });
  fill();
  return h("div", {}, facts(view), h("div", { class: "choices" }, h("label", {}, toggle, "show noise"),
    h("span", { class: "fact" }, h("b", {}, kept.toLocaleString("en")), ` of ${plural(view.blocks.length, "block")} kept`)), lines);
}

function drawCompare(state) {
  const methods = ["site", ...state.abilities.methods];
  const choose = (id, value) => h("select", { id, "aria-label": "Method", onchange: fill }, methods.map((name) => h("option", { value: name, selected: name === value }, name)));
  const first = choose("compare-first", state.compared?.[0] ?? "learned"), second = choose("compare-second", state.compared?.[1] ?? "kfeature");
  const summary = h("span", { class: "fact" }), grid = h("div", { class: "compare" }), more = h("div");
  const only = h("input", { type: "checkbox", id: "only-differences", onchange: () => list(MAX_LINES) });
  let answer = null, turn = 0;
  async function fill() {
    const now = turn += 1;
    state.compared = [first.value, second.value];
    summary.textContent = "comparing …";
    const compared = await attempt(() => getJson(`/v1/inspector/pages/${state.page.id}/compare?first=${first.value}&second=${second.value}&shown=${state.method}`));
    if (now !== turn) return; // others were chosen in the meantime
    if (!compared) { summary.textContent = "not compared"; return; }
    answer = compared;
    list(MAX_LINES);
  }
  function list(most) {
    if (!answer) return;
    const lines = answer.lines.filter((line) => (line.first || line.second) && !(only.checked && line.first === line.second));
    summary.textContent = `${plural(answer.lines.length - answer.same, "line")} of ${answer.lines.length.toLocaleString("en")} differ`;
    const cell = (line, isKept, isOther) => {
      const element = h("div", { class: `cell ${isKept ? (isOther ? "both" : "only") : "gone"}`, "aria-hidden": String(!isKept) }, line.text);
      if (line.block >= 0) { // text may stand in no block
        element.addEventListener("mouseenter", () => state.hover(line.block));
        element.addEventListener("click", () => state.select(line.block, "lines"));
      }
      return element;
    };
    grid.replaceChildren(...lines.slice(0, most).flatMap((line) => [cell(line, line.first, line.second), cell(line, line.second, line.first)]));
    more.replaceChildren(lines.length > most ? h("button", { type: "button", class: "more", onclick: () => list(most + 2 * MAX_LINES) }, `Show more (${(lines.length - most).toLocaleString("en")})`) : "");
    if (!lines.length) grid.replaceChildren(h("p", { class: "empty" }, "Both keep the same."));
  }
  fill();
  return h("div", {}, h("div", { class: "choices" }, first, "beside", second, h("label", {}, only, "only what differs"), summary), grid, more);
}

function drawRecords(state) {
  const { view } = state;
  if (!view.regions.length) return h("p", { class: "empty" }, `No records: ${view.records_reason}`);
  state.region = Math.min(state.region ?? 0, view.regions.length - 1);
  const region = view.regions[state.region];
  const names = region.fields.map((field) => field.name);
  const rows = region.rows.map((row, index) => ({ row, index }));
  const body = h("tbody");
  let order = null;
  const more = h("button", { type: "button", class: "more", onclick: () => { state.maxRows = rows.length; fill(); } }, `Show all ${rows.length.toLocaleString("en")}`);
  const fill = () => { more.hidden = rows.length <= state.maxRows; body.replaceChildren(...rows.slice(0, state.maxRows).map(({ row }) => h("tr", {}, names.map((name, at) => {
    const value = row[name];
    const text = value === null || value === undefined ? "" : String(value);
    const isAddress = ["url", "image"].includes(region.fields[at].type);
    return h("td", { class: isAddress ? "address" : typeof value === "number" ? "number" : "", title: isAddress ? text : undefined }, text);
  })))); };
  const sort = (name) => {
    const sign = order?.name === name && order.sign === 1 ? -1 : 1;
    order = { name, sign };
    heads.forEach((head, at) => head.setAttribute("aria-sort", names[at] !== name ? "none" : sign === 1 ? "ascending" : "descending"));
    rows.sort((a, b) => {
      const [x, y] = [a.row[name], b.row[name]];
      if (x === y) return a.index - b.index;
      if (x === null || x === undefined) return 1;
      if (y === null || y === undefined) return -1;
      return sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y)));
    });
    fill();
  };
  const rename = (field) => state.ask(`A name for the column ${field.name}`, field.name, (name) => state.mark({ kind: "column", field: field.name, name }));
  const heads = region.fields.map((field) => h("th", { scope: "col", "aria-sort": "none" }, h("button", { type: "button", onclick: () => sort(field.name), title: "Sort" }, field.name), h("small", {}, field.type),
    state.region === 0 ? h("button", { type: "button", class: "quiet rename", onclick: () => rename(field), "aria-label": `Rename ${field.name}`, title: "Rename" }, "✎") : null));
  fill();
  state.showRegion(region);
  const choice = h("select", { "aria-label": "Region", id: "region", onchange: () => { state.region = Number(choice.value); state.draw(); } },
    view.regions.map((entry, index) => h("option", { value: index, selected: index === state.region }, `${entry.count} records at ${entry.xpath}`)));
  return h("div", {}, h("div", { class: "choices" }, choice,
    h("button", { type: "button", id: "csv", onclick: () => download("records.csv", csv(rows.map(({ row }) => row), names), "text/csv") }, "CSV"),
    h("button", { type: "button", id: "choose-region", onclick: () => state.mark({ kind: "region", region: state.region }) }, "These are the records"),
    h("span", { class: "fact" }, region.reason),
    region.count > rows.length ? h("span", { class: "fact" }, `the first ${rows.length.toLocaleString("en")} of them`) : null, view.next_page ? h("span", { class: "fact" }, "next page ", h("b", {}, view.next_page)) : null),
    state.draftHome("records"),
    h("div", { class: "table", tabIndex: 0, "aria-label": "Records" }, h("table", {}, h("thead", {}, h("tr", {}, heads)), body)), more);
}

function drawPosts(state, name) {
  const entries = state.view[name] ?? [];
  if (!entries.length) return h("p", { class: "empty" }, `The page has no ${name}.`);
  return h("div", {}, entries.map((entry) => {
    const element = h("div", { class: "post" }, h("small", {}, [entry.author, entry.date].filter(Boolean).join(" · ")), h("div", {}, entry.text ?? ""));
    element.style.marginLeft = `${Math.min(entry.depth ?? 0, 8) * 18}px`;
    return element;
  }));
}

function drawMetadata(state) {
  const { view, page } = state;
  const pairs = Object.entries(view.metadata).filter(([, value]) => value && value.length !== 0);
  return h("div", {}, facts(view), h("dl", { class: "pairs" }, pairs.map(([name, value]) => [h("dt", {}, name.replace("_", " ")), h("dd", {}, Array.isArray(value) ? value.join(", ") : value)]),
    h("dt", {}, "address"), h("dd", {}, page.url ?? "none"), h("dt", {}, "size"), h("dd", {}, `${page.bytes.toLocaleString("en")} bytes`)));
}

function drawFormats(state) {
  const source = h("pre", { class: "source", tabIndex: 0 });
  const note = h("p", { class: "empty", hidden: true }, `Only the first ${MAX_SHOWN.toLocaleString("en")} characters are shown. “Copy” takes all of them.`);
  let formats = {}, shown = "Markdown";
  const buttons = ["Markdown", "Text", "HTML", "JSON"].map((name) => h("button", { type: "button", onclick: () => show(name) }, name));
  function show(name) {
    shown = name;
    const text = formats[name] ?? "…";
    source.textContent = text.slice(0, MAX_SHOWN);
    note.hidden = text.length <= MAX_SHOWN;
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.textContent === name)));
  }
  const load = async () => {
    const answer = await attempt(() => getJson(`/v1/inspector/pages/${state.page.id}/formats?method=${state.method}`));
    if (!answer) return;
    const { blocks, regions } = state.view;
    formats = { Markdown: answer.markdown, Text: answer.text, HTML: answer.html, JSON: JSON.stringify({ ...answer, blocks, regions }, null, 2) };
    show(shown);
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(formats[shown]);
      say(`${shown} copied.`);
    } catch {
      source.textContent = formats[shown];
      getSelection().selectAllChildren(source);
      say("The browser does not let the page copy: it is selected, press Ctrl-C.", true);
    }
  };
  show("Markdown");
  load();
  return h("div", {}, h("div", { class: "choices" }, h("div", { class: "switch", role: "group", "aria-label": "Format" }, buttons),
    h("button", { type: "button", id: "copy", onclick: copy }, "Copy")), source, note);
}

function drawHistory(state) {
  const target = h("div", {}, h("p", { class: "empty" }, "Looking …"));
  const path = `/v1/history/${encodeURIComponent(state.page.url)}`;
  const load = async () => {
    let answer;
    try {
      answer = await getJson(path);
    } catch (error) {
      target.replaceChildren(h("p", { class: "empty" }, error.message));
      return;
    }
    const { versions } = answer;
    const changes = h("div");
    const show = async (number) => {
      const compared = await attempt(() => getJson(`${path}?before=${number - 1}&after=${number}`));
      if (!compared) return;
      const pieces = (list, kind) => list.filter((piece) => piece.informative && piece.text).map((piece) => h("p", { class: kind }, piece.text));
      changes.replaceChildren(h("div", { class: "choices" }, h("h3", {}, `What changed with version ${number}`),
        h("button", { type: "button", onclick: () => state.openVersion(number) }, "Open this version"), h("button", { type: "button", onclick: () => state.openVersion(number - 1) }, "Open the one before")), ...pieces(compared.changes.removed, "removed"), ...pieces(compared.changes.added, "added"),
        h("p", { class: "empty" }, `${plural(compared.changes.kept, "piece")} stayed as they were.`));
    };
    target.replaceChildren(h("div", { class: "list" }, versions.map((version, index) => h("button", { type: "button", class: "entry", disabled: index === 0, onclick: () => show(index + 1) },
      h("b", {}, `Version ${index + 1}`), h("small", {}, [moment(version.fetched_at), version.title].filter(Boolean).join(" · ")),
      index === 0 ? h("small", {}, " · the first") : null))), changes);
  };
  load();
  return target;
}
