// The inspector: the start page, a page at work, keyboard, theme.

import { $, attempt, call, forgetMessages, getJson, h, moment, plural, postJson, readFragment, say, setToken, size } from "./dom.js";
import { showDraft, showRules } from "./fixes.js";
import { PageView } from "./pageview.js";
import { MAX_LINES, MAX_ROWS, PANELS } from "./panels.js";

const STORED_AT_ONCE = 20; // pages of the store

let abilities = null;
let state = null; // of the page at work
let hasBegun = false; // whether anything was shown

// Opening ------------------------------------------------------------------------------------------

async function openPage(request) {
  forgetMessages();
  const page = await attempt(() => postJson("/v1/inspector/pages", request));
  if (page) await showPage(page);
}

async function openFiles(files) {
  forgetMessages();
  let first = null;
  for (const file of files) {
    const query = new URLSearchParams({ name: file.name });
    const page = await attempt(async () => (await call(`/v1/inspector/pages?${query}`, { method: "POST", headers: { "Content-Type": "text/html" }, body: file })).json());
    first = first ?? page;
  }
  if (first) await showPage(first);
}

async function openOrSearch(text) {
  forgetMessages();
  if (/^https?:\/\//i.test(text)) return openPage({ url: text });
  if (/^[\w-]+(\.[\w-]+)+(\/\S*)?$/.test(text)) return openPage({ url: `https://${text}` });
  if (text.trimStart().startsWith("<")) return openPage({ html: text, name: "pasted page" });
  if (!abilities.store) return say("That is no address. To search, start the service with --store.", true);
  const answer = await attempt(() => getJson(`/v1/search?${new URLSearchParams({ q: text, limit: 30 })}`));
  if (answer) await showStart(answer.hits, text);
  return undefined;
}

function askForHtml() {
  const text = h("textarea", { placeholder: "<html> …", "aria-label": "HTML", id: "pasted" });
  const url = h("input", { type: "text", placeholder: "Its address, if you know it: https://…", "aria-label": "Address", id: "pasted-url" });
  const submit = () => { if (!text.value.trim()) return; $("dialog").close(); openPage({ html: text.value, url: url.value.trim() || null, name: "pasted page" }); };
  showDialog(h("h2", {}, "Paste a page"), text, url, row(h("button", { type: "button", onclick: () => $("dialog").close() }, "Cancel"), h("button", { class: "primary", type: "button", onclick: submit, id: "open-pasted" }, "Open")));
}

const row = (...buttons) => h("div", { class: "row" }, buttons);

function showDialog(...children) {
  $("dialog").replaceChildren(...children);
  $("dialog").showModal();
}

function ask(title, value, onAnswer) {
  const input = h("input", { type: "text", value, "aria-label": title, id: "answer" });
  const done = () => { $("dialog").close(); if (input.value.trim()) onAnswer(input.value.trim()); };
  input.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); done(); } });
  showDialog(h("h2", {}, title), h("p", {}, input), row(h("button", { type: "button", onclick: () => $("dialog").close() }, "Cancel"), h("button", { class: "primary", type: "button", onclick: done, id: "answer-ok" }, "OK")));
  input.select();
}

// The start page -----------------------------------------------------------------------------------

/** Let the buttons of the browser go from page to page, and back to the start. */
function remember(hash) {
  if (location.hash === hash) return;
  history[hasBegun ? "pushState" : "replaceState"](null, "", `${location.pathname}${hash}`);
}

async function showStart(hits = null, words = "") {
  state = null;
  document.title = "tamis inspector";
  remember("");
  hasBegun = true;
  const open = (await attempt(() => getJson("/v1/inspector/pages")))?.pages ?? [];
  const stored = abilities.store && !hits ? await listStored(0) : [];
  const drop = h("div", { class: "drop" }, h("b", {}, "Drop pages here"), h("br"), "or give an address, paste HTML, or choose files above. Several pages of one site belong together: what you mend on one is tried on all.");
  $("main").replaceChildren(h("div", { class: "start" },
    hits ? h("h1", {}, `${plural(hits.length, "page")} for “${words}”`) : h("h1", {}, "What is worth keeping on a page?"),
    hits ? null : h("p", {}, "See which blocks tamis keeps and why, compare methods, take the records as a table – and where it is wrong, say so: your mark becomes a rule for the whole site."),
    hits ? null : drop,
    hits ? h("div", { class: "list" }, hits.map((hit) => entry(hit.title ?? hit.url, `${hit.url} · ${hit.published ?? hit.fetched_at.slice(0, 10)}`, () => openPage({ stored: hit.url }), [h("p", {}, marked(hit.snippet)), hit.copies.length ? h("small", {}, `The same text is on ${plural(hit.copies.length, "other page")}.`) : null]))) : null,
    hits && !hits.length ? h("p", {}, "No page of the store has all of these words. Try fewer of them.") : null,
    open.length ? h("section", { class: "list" }, h("h2", {}, "Open"), open.toReversed().map((page) => entry(page.title ?? page.name, `${page.name} · ${page.host} · ${size(page.bytes)}`, () => showPage(page)))) : null,
    stored.length ? h("section", { class: "list" }, h("h2", {}, "In the store"), stored) : null));
}

const entry = (title, about, action, more = null) => h("button", { type: "button", class: "entry", onclick: action }, h("b", {}, title), h("small", {}, about), more);

/** Return some pages of the store, and a button that brings more of them. */
async function listStored(offset) {
  const answer = await attempt(() => getJson(`/v1/pages?${new URLSearchParams({ limit: STORED_AT_ONCE, offset })}`));
  const entries = (answer?.pages ?? []).map((page) => entry(page.title ?? page.url, `${page.url} · ${moment(page.fetched_at)}`, () => openPage({ stored: page.url })));
  if (entries.length === STORED_AT_ONCE) {
    const more = h("button", { type: "button", class: "more", onclick: async () => more.replaceWith(...await listStored(offset + STORED_AT_ONCE)) }, "Show more");
    entries.push(more);
  }
  return entries;
}

function marked(snippet) {
  return snippet.split("**").map((part, index) => (index % 2 ? h("mark", {}, part) : part));
}

// A page at work -----------------------------------------------------------------------------------

async function showPage(page) {
  const method = state?.page.id === page.id ? state.method : "site";
  const view = await attempt(() => getJson(`/v1/inspector/pages/${page.id}?method=${method}`));
  if (!view) return;
  state = new Work(page, view, method);
  remember(`#page=${page.id}`);
  hasBegun = true;
  document.title = `${page.title ?? page.name} – tamis`;
  $("main").replaceChildren(state.element);
  await state.pageView.setView(view, method);
  state.draw();
  $("main").focus({ preventScroll: true });
}

const NARROW = matchMedia("(max-width: 900px)");
const WITH_BLOCK = ["document", "compare"]; // tabs beside which the chosen block is described

class Work {
  constructor(page, view, method) {
    this.page = page;
    this.view = view;
    this.method = method;
    this.abilities = abilities;
    this.showsNoise = false;
    this.maxLines = MAX_LINES;
    this.maxRows = MAX_ROWS;
    this.tab = "document";
    this.selected = null;
    this.reach = "form";
    this.lines = new Map();
    this.ask = ask;
    this.openVersion = (version) => openPage({ stored: page.url, version, name: `${page.url}, version ${version}` });
    this.pageView = new PageView(page, (block) => this.hover(block), (block, from) => this.select(block, from), abilities.screenshots);
    const methods = h("select", { id: "method", "aria-label": "Method", onchange: () => this.setMethod(methods.value) }, ["site", ...abilities.methods].map((name) => h("option", { value: name, selected: name === method }, name)));
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "What came of the page" });
    this.panel = h("div", { class: "panel", role: "tabpanel", id: "panel" });
    this.scroller = h("div", { class: "scroll" }, this.panel);
    this.details = h("section", { class: "details", "aria-label": "The block", hidden: true });
    this.about = h("small");
    const flip = h("button", { type: "button", class: "narrow-only", onclick: () => this.element.classList.toggle("show-page") }, "Page");
    this.element = h("div", { class: "work" },
      h("section", { class: "side left", "aria-label": "The page" },
        h("div", { class: "head" }, h("div", { class: "title" }, page.title ?? page.name, h("small", {}, page.url ?? page.name)), this.pageView.switch,
          h("button", { type: "button", class: "narrow-only", onclick: () => this.element.classList.remove("show-page") }, "Document")),
        this.pageView.scroller,
        h("div", { class: "legend" }, h("span", {}, h("i", { class: "of-content" }), "content"), h("span", {}, h("i", { class: "of-noise" }), "noise"), h("span", {}, "stronger colour: surer"))),
      h("section", { class: "side right", "aria-label": "What came of it" },
        h("div", { class: "head" }, h("div", { class: "title" }, page.host, this.about), flip, methods),
        this.tabs, this.scroller),
      this.details);
  }

  async setMethod(method) {
    this.method = method;
    await this.refresh();
  }

  async refresh() {
    const view = await attempt(() => getJson(`/v1/inspector/pages/${this.page.id}?method=${this.method}`));
    if (!view) return;
    const areOthers = view.segmenter !== this.view.segmenter; // the numbers mean other blocks
    this.view = view;
    if (areOthers) this.select(null);
    await this.pageView.setView(view, this.method);
    this.draw();
    if (this.selected !== null) this.drawDetails();
  }

  draw() {
    const names = Object.keys(PANELS).filter((name) => PANELS[name].when?.(this.view, this) ?? true);
    if (!names.includes(this.tab)) this.tab = "document";
    this.closeDraft(); // what cannot be seen is not saved
    this.details.hidden = this.selected === null || !WITH_BLOCK.includes(this.tab);
    this.tabs.replaceChildren(...names.map((name) => {
      const count = PANELS[name].count?.(this.view);
      return h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-selected": String(name === this.tab), "aria-controls": "panel", tabIndex: name === this.tab ? 0 : -1, onclick: () => this.show(name) }, PANELS[name].name, count ? h("span", { class: "count" }, count) : null);
    }));
    this.about.textContent = `${size(this.page.bytes)} · ${plural(this.view.blocks.length, "block")}`;
    this.pageView.showRegion([]);
    this.panel.replaceChildren(PANELS[this.tab].draw(this));
    this.panel.setAttribute("aria-labelledby", `tab-${this.tab}`);
    this.paint();
  }

  show(name) {
    this.tab = name;
    this.scroller.scrollTop = 0;
    this.draw();
  }

  step(by) { // from tab to tab
    const tabs = [...this.tabs.children];
    const next = tabs[(tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true") + by + tabs.length) % tabs.length];
    next.click();
    $(next.id).focus();
  }

  hover(block) {
    if (block === this.hovered) return;
    this.lines.get(this.hovered)?.classList.remove("hover");
    this.hovered = block;
    this.lines.get(block)?.classList.add("hover");
    this.pageView.highlight("hover", block);
  }

  paint() {
    this.lines.forEach((line) => { if (line.classList.contains("selected")) { line.classList.remove("selected"); line.setAttribute("aria-selected", "false"); } });
    const line = this.lines.get(this.selected);
    line?.classList.add("selected");
    line?.setAttribute("aria-selected", "true");
    return line;
  }

  select(block, from = "keys") {
    this.closeDraft();
    this.selected = block;
    const line = this.paint();
    if (from !== "lines") line?.scrollIntoView({ block: "center" });
    this.drawDetails().then(() => this.lines.get(this.selected)?.scrollIntoView({ block: "nearest" })); // it takes room from the lines
    this.pageView.select(block, from !== "page" || NARROW.matches);
  }

  /** Go to the next block that is listed, or the one before. */
  move(by) {
    const shown = [...this.lines.keys()];
    if (!shown.length) return;
    const at = shown.indexOf(this.selected);
    this.select(shown[Math.min(Math.max(at < 0 ? 0 : at + by, 0), shown.length - 1)]);
  }

  async drawDetails() {
    const index = this.selected;
    this.details.hidden = index === null || !WITH_BLOCK.includes(this.tab);
    if (index === null) return;
    const block = this.view.blocks[index];
    const isOurs = ["site", "learned"].includes(this.method); // marks are on the blocks of these
    const features = h("div", { class: "features" });
    const about = h("dl", { class: "pairs" }, [["reason", block.reason], ["score", block.score.toFixed(3)], ["XPath", block.xpath], ["span", `${block.span[0]}–${block.span[1]}`]].map(([name, value]) => [h("dt", {}, name), h("dd", { class: name === "XPath" ? "mono" : "" }, value)]));
    const reach = h("select", { id: "reach", "aria-label": "How far the rule goes", onchange: () => { this.reach = reach.value; } },
      [["form", "blocks like it, at this place"], ["path", "every block at this place"], ["text", "this very text, at this place"]].map(([value, name]) => h("option", { value, selected: value === this.reach }, name)));
    const alike = h("input", { type: "checkbox", id: "only-like-page", checked: Boolean(this.onlyLikePage), onchange: () => { this.onlyLikePage = alike.checked; } });
    this.draftTarget = h("div");
    this.details.scrollTop = 0;
    this.details.replaceChildren(
      h("header", {}, h("span", { class: "tag" }, `<${block.tag}>`), h("h2", {}, block.text.slice(0, 120) || "no text"),
        h("span", { class: `verdict ${block.informative ? "k" : "n"}` }, block.informative ? "content" : "noise"),
        h("button", { class: "quiet", type: "button", onclick: () => this.select(null), "aria-label": "Close the block" }, "✕")),
      isOurs ? h("div", { class: "marks" },
        h("button", { type: "button", class: "content", id: "mark-content", onclick: () => this.markBlock("content") }, "Content", h("kbd", {}, "c")),
        h("button", { type: "button", class: "noise", id: "mark-noise", onclick: () => this.markBlock("noise") }, "Noise", h("kbd", {}, "n")), reach,
        this.page.url ? h("label", {}, alike, " only pages like this one") : "") : h("div", { class: "marks" },
        h("span", { class: "hint" }, "Marks are made on what is known of the site."),
        h("button", { type: "button", id: "to-site", onclick: () => this.showSite() }, "Show it by site")),
      this.draftTarget, about, features);
    if (!isOurs) return;
    const why = await attempt(() => getJson(`/v1/inspector/pages/${this.page.id}/explain?block=${index}`));
    if (!why || this.selected !== index) return;
    about.append(h("dt", {}, "place"), h("dd", { class: "mono" }, why.path || "the top"), h("dt", {}, "form"), h("dd", {}, why.form));
    if (!why.features.length) return;
    const most = Math.max(...why.features.map((feature) => Math.abs(feature.log_odds)));
    features.append(h("h3", {}, / by rule /.test(block.reason) ? "Without the rule" : "What decided", h("small", {}, "feature, value here (typical of the page), for content or against it")), ...why.features.flatMap((feature) => {
      const bar = h("i", { class: feature.log_odds < 0 ? "minus" : "" });
      bar.style.width = `${(50 * Math.abs(feature.log_odds)) / most}%`;
      bar.style[feature.log_odds < 0 ? "right" : "left"] = "50%";
      return [h("span", { class: "mono" }, feature.name), h("small", { title: `here ${short(feature.value)}; typical of the page ${short(feature.typical)}` }, `${short(feature.value)} (${short(feature.typical)})`), h("div", { class: "gauge" }, bar), h("span", {}, `${feature.log_odds > 0 ? "+" : "−"}${Math.abs(feature.log_odds).toFixed(2)}`)];
    }));
  }

  markBlock(kind) {
    if (this.selected === null || !["site", "learned"].includes(this.method)) return;
    this.mark({ kind, block: this.selected, reach: this.reach, only_like_page: Boolean(this.onlyLikePage) && Boolean(this.page.url) });
  }

  draftHome() { // where a draft on records is shown
    this.recordTarget = h("div");
    return this.recordTarget;
  }

  async mark(mark) {
    this.closeDraft();
    const turn = this.turn;
    const target = mark.block === undefined ? this.recordTarget : this.draftTarget;
    const draft = await showDraft(target, { page: this.page.id, ...mark }, {
      onSaved: (saved) => { this.draft = null; this.offerUndo(saved); return this.showSite(); },
      onClosed: () => { this.draft = null; this.preview([], []); },
      onEffect: (kept, dropped) => { if (turn === this.turn) this.preview(kept, dropped); },
      onPages: (line) => (line.id ? showPage(line) : openPage({ stored: line.stored })),
    });
    if (turn === this.turn) this.draft = draft;
    else draft?.close(); // another block was chosen in the meantime
  }

  /** Show on the page where records lie. */
  showRegion({ xpath }) {
    const isInside = (block) => block.xpath === xpath || block.xpath.startsWith(`${xpath}/`);
    this.pageView.showRegion(this.view.blocks.flatMap((block, index) => (isInside(block) ? [index] : [])));
  }

  /** Show on both sides what a draft would change on this page. */
  preview(kept, dropped) {
    this.pageView.preview(kept, dropped);
    this.lines.forEach((line) => line.classList.remove("to-k", "to-n"));
    kept.forEach((block) => this.lines.get(block)?.classList.add("to-k"));
    dropped.forEach((block) => this.lines.get(block)?.classList.add("to-n"));
  }

  /** Read the page again with the rules of its site. */
  async showSite() {
    this.method = "site";
    const chooser = $("method");
    if (chooser) chooser.value = "site";
    await this.refresh();
  }

  async offerUndo({ host, rules }) {
    const path = `/v1/inspector/sites/${encodeURIComponent(host)}`;
    const undo = { name: "Undo", run: async () => {
      for (const rule of rules) await call(`${path}/rules/${rule.id}`, { method: "DELETE" });
      say("Undone.");
      await this.showSite();
    } };
    const saved = `Saved to the rules of ${host}, with this page as a test case.`;
    const message = say(saved, false, undo);
    const site = await attempt(() => getJson(`${path}?run=true`));
    const broken = site?.cases.filter((entry) => entry.failures.length).length;
    if (broken && message.isConnected) say(`${saved} But ${broken === 1 ? "a test case no longer holds" : `${broken} test cases no longer hold`}: see Rules.`, true, undo);
  }

  closeDraft() {
    this.turn = (this.turn ?? 0) + 1;
    this.draft?.close();
    this.draft = null;
  }

  drawRules() {
    const target = h("div", {}, h("p", { class: "empty" }, "Running the test cases …"));
    showRules(target, this.page.host, () => this.refresh());
    return target;
  }
}

// Keyboard, theme, start ---------------------------------------------------------------------------

const short = (value) => Number(value.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 2 });

const KEYS = [["/", "address or words"], ["j  k", "next block, block before"], ["c", "this block is content"], ["n", "this block is noise"], ["Enter", "save the rule"], ["Esc", "discard it, close the block"], ["[  ]", "tab before, next tab"], ["x", "show noise, or not"], ["o", "all pages"], ["?", "this help"]];

function showHelp() {
  showDialog(h("h2", {}, "Keyboard"), h("dl", { class: "pairs" }, KEYS.map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)])), row(h("button", { class: "primary", type: "button", onclick: () => $("dialog").close() }, "Close")));
}

function handleKey(event) {
  const typing = event.target.closest("input[type=text], textarea, select") || $("dialog").open;
  if (event.key === "Escape" && !$("dialog").open) {
    if (typing) return document.activeElement.blur();
    if (state?.draft) return state.closeDraft();
    if (state && state.selected !== null) return state.select(null);
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const isOnControl = event.target.closest("button, a, summary, input");
  const actions = {
    "/": () => $("address").focus(), "?": showHelp, o: () => showStart(),
    j: () => state?.move(1), k: () => state?.move(-1),
    ArrowDown: () => !isOnControl && state?.tab === "document" && state.move(1), ArrowUp: () => !isOnControl && state?.tab === "document" && state.move(-1),
    c: () => state?.markBlock("content"), n: () => state?.markBlock("noise"),
    Enter: () => !isOnControl && state?.draft?.save(),
    "]": () => state?.step(1), "[": () => state?.step(-1),
    x: () => { if (state) { state.showsNoise = !state.showsNoise; state.draw(); } },
  };
  const action = actions[event.key];
  if (!action || action() === false) return undefined;
  event.preventDefault();
  return undefined;
}

function setTheme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  state?.pageView.mode === "frame" && state.pageView.showFrame();
}

async function start() {
  const wanted = localStorage.getItem("tamis-theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  setTheme(wanted ? wanted === "dark" : system.matches);
  system.addEventListener("change", () => { if (!localStorage.getItem("tamis-theme")) setTheme(system.matches); });
  $("theme").onclick = () => { const dark = !document.documentElement.classList.contains("dark"); localStorage.setItem("tamis-theme", dark ? "dark" : "light"); setTheme(dark); };
  $("help").onclick = showHelp;
  $("paste").onclick = askForHtml;
  $("choose").onclick = () => $("files").click();
  $("files").onchange = () => { openFiles([...$("files").files]); $("files").value = ""; };
  $("home").onclick = (event) => { event.preventDefault(); showStart(); };
  $("open-form").onsubmit = (event) => { event.preventDefault(); const text = $("address").value.trim(); if (text) openOrSearch(text); };
  document.addEventListener("keydown", handleKey);
  document.addEventListener("dragover", (event) => { event.preventDefault(); document.querySelector(".drop")?.classList.add("over"); });
  document.addEventListener("dragleave", () => document.querySelector(".drop")?.classList.remove("over"));
  document.addEventListener("drop", (event) => { event.preventDefault(); document.querySelector(".drop")?.classList.remove("over"); if (event.dataTransfer.files.length) openFiles([...event.dataTransfer.files]); });
  await begin(readFragment());
}

async function begin({ hasToken, page }) {
  if (hasToken) {
    try {
      abilities = await getJson("/v1/inspector");
    } catch (error) {
      if (error.problem?.status !== 401) return say(error.message, true);
    }
  }
  if (!abilities) return askForToken();
  if (!abilities.fetch) $("address").placeholder = "Words to search for (addresses are not fetched here)";
  window.addEventListener("popstate", () => showOpen(readFragment().page));
  return showOpen(page ?? (abilities.begins_with.length === 1 ? abilities.begins_with[0] : null)); // `tamis inspect PAGE`
}

async function showOpen(id) {
  if (id && id === state?.page.id) return undefined;
  const answer = await attempt(() => getJson("/v1/inspector/pages"));
  const wanted = answer?.pages.find((entry) => entry.id === id);
  return wanted ? showPage(wanted) : showStart();
}

function askForToken() {
  ask("The token of this service (it prints one when it starts)", "", (token) => { setToken(token); begin(readFragment()); });
}

start();
