// The right side: what came of a page, in tabs.

import { attempt, csv, download, getJson, h, moment, plural, say } from "./dom.js";

export const MAX_LINES = 2000; // blocks of a page that are listed at once

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
    h("span", { class: "fact" }, h("b", {}, kept), ` of ${plural(view.blocks.length, "block")} kept`)), lines);
}

function drawCompare(state) {
  const methods = ["site", ...state.abilities.methods];
  const choose = (id, value) => h("select", { id, "aria-label": "Method", onchange: fill }, methods.map((name) => h("option", { value: name, selected: name === value }, name)));
  const first = choose("compare-first", state.compared?.[0] ?? "learned"), second = choose("compare-second", state.compared?.[1] ?? "kfeature");
  const summary = h("span", { class: "fact" }), grid = h("div", { class: "compare" });
  const only = h("input", { type: "checkbox", id: "only-differences", onchange: () => fill() });
  async function fill() {
    state.compared = [first.value, second.value];
    const answer = await attempt(() => getJson(`/v1/inspector/pages/${state.page.id}/compare?first=${first.value}&second=${second.value}`));
    if (!answer) return;
    const lines = answer.lines.filter((line) => (line.first || line.second) && !(only.checked && line.first === line.second));
    summary.textContent = `${plural(answer.lines.length - answer.same, "line")} of ${answer.lines.length} differ`;
    const cell = (line, isKept, isOther) => {
      const element = h("div", { class: `cell ${isKept ? (isOther ? "both" : "only") : "gone"}`, "aria-hidden": String(!isKept) }, line.text);
      element.addEventListener("mouseenter", () => state.hover(line.block));
      element.addEventListener("click", () => state.select(line.block, "lines"));
      return element;
    };
    grid.replaceChildren(...lines.flatMap((line) => [cell(line, line.first, line.second), cell(line, line.second, line.first)]));
    if (!lines.length) grid.replaceChildren(h("p", { class: "empty" }, "Both keep the same."));
  }
  fill();
  return h("div", {}, h("div", { class: "choices" }, first, "beside", second, h("label", {}, only, "only what differs"), summary), grid);
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
  const fill = () => body.replaceChildren(...rows.map(({ row }) => h("tr", {}, names.map((name, at) => {
    const value = row[name];
    const text = value === null || value === undefined ? "" : String(value);
    const isAddress = ["url", "image"].includes(region.fields[at].type);
    return h("td", { class: isAddress ? "address" : typeof value === "number" ? "number" : "", title: isAddress ? text : undefined }, text);
  }))));
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
    h("span", { class: "fact" }, region.reason), view.next_page ? h("span", { class: "fact" }, "next page ", h("b", {}, view.next_page)) : null),
    state.draftHome("records"),
    h("div", { class: "table", tabIndex: 0, "aria-label": "Records" }, h("table", {}, h("thead", {}, h("tr", {}, heads)), body)));
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
  let formats = {}, shown = "Markdown";
  const buttons = ["Markdown", "Text", "HTML", "JSON"].map((name) => h("button", { type: "button", onclick: () => show(name) }, name));
  function show(name) {
    shown = name;
    source.textContent = formats[name] ?? "…";
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
      getSelection().selectAllChildren(source);
      say("The browser does not let the page copy: it is selected, press Ctrl-C.", true);
    }
  };
  show("Markdown");
  load();
  return h("div", {}, h("div", { class: "choices" }, h("div", { class: "switch", role: "group", "aria-label": "Format" }, buttons),
    h("button", { type: "button", id: "copy", onclick: copy }, "Copy")), source);
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
