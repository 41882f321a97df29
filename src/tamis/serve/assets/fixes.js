// The fix loop: a mark becomes a rule, is tried on the other pages of the site, and saved.

import { attempt, call, getJson, h, plural, postJson, readLines, say } from "./dom.js";

/** Show a draft: what the rule says, and page by page what it changes. */
export async function showDraft(target, mark, { onSaved, onClosed, onEffect, onPages }) {
  const draft = await attempt(() => postJson("/v1/inspector/drafts", mark));
  if (!draft) return null;
  const stop = new AbortController();
  const bar = h("i");
  const result = h("p", { class: "result", role: "status" }, "Trying it on the pages of the site …");
  const changes = h("div");
  const close = () => { stop.abort(); box.remove(); onClosed(); };
  const save = async () => {
    const saved = await attempt(() => postJson(`/v1/inspector/drafts/${draft.id}/save`));
    if (!saved) return;
    stop.abort();
    box.remove();
    onSaved(saved);
  };
  const box = h("section", { class: "draft", "aria-label": "A rule to try" },
    h("h3", {}, draft.rules.map((rule) => rule.meaning).join(" ")),
    h("div", { class: "meter" }, bar), result,
    h("div", { class: "marks" },
      h("button", { class: "primary", type: "button", onclick: save, id: "save-rule" }, "Save rule", h("kbd", {}, "⏎")),
      h("button", { type: "button", onclick: close, id: "discard-rule" }, "Discard", h("kbd", {}, "Esc"))),
    changes);
  target.replaceChildren(box);
  box.scrollIntoView({ block: "nearest" });
  const effect = (line) => { if (line.id === mark.page) onEffect(line.kept ?? [], line.dropped ?? []); };
  attempt(() => runTrial(draft, stop.signal, { bar, result, changes, effect, onPages }));
  return { save, close };
}

async function runTrial(draft, signal, { bar, result, changes, effect, onPages }) {
  let total = 0, done = 0, changed = 0;
  for await (const line of readLines(`/v1/inspector/drafts/${draft.id}/trial`, signal)) {
    if (line.total !== undefined) { total = line.total; continue; }
    done += 1;
    effect(line);
    bar.style.width = `${(100 * done) / Math.max(total, 1)}%`;
    const count = (line.count ?? 0) + (line.records ? 1 : 0);
    if (count || line.problem) {
      changed += count ? 1 : 0;
      changes.append(describeChange(line, onPages));
    }
    const verb = changed === 1 ? "changes" : "change";
    result.textContent = done < total ? `${plural(changed, "page")} ${verb} so far – ${done} of ${total} tried …` : `${plural(changed, "page")} ${verb}, of ${total}:`;
  }
  if (!changed) result.textContent = `None of ${plural(total, "page")} changes: all of them are so already.`;
}

function describeChange(line, onPages) {
  const name = line.title || line.name || line.url || "a page";
  const rows = (line.blocks ?? []).map((block) =>
    h("li", { class: block.informative ? "k" : "n" }, h("b", {}, block.informative ? "kept: " : "dropped: "), block.text.slice(0, 220)));
  if (line.records) rows.push(h("li", { class: "k" }, h("b", {}, "records: "), `${line.records.before.rows} → ${line.records.after.rows} rows; ${line.records.after.fields.join(", ")}`));
  if (line.problem) rows.push(h("li", {}, line.problem));
  const hidden = (line.count ?? 0) - (line.blocks ?? []).length;
  return h("details", { class: "change" },
    h("summary", {}, name, " ", h("small", {}, `${[line.count ? plural(line.count, "block") : null, line.records ? "records" : null].filter(Boolean).join(" and ") || "not tried"}${line.url ? ` · ${line.url}` : ""}`)),
    h("ul", {}, rows, hidden > 0 ? h("li", {}, `and ${hidden} more`) : null),
    h("button", { class: "quiet", type: "button", onclick: () => onPages(line) }, "Open this page"));
}

/** List the rules of a site, each with what it means, and the test cases. */
export async function showRules(target, host, onChanged) {
  const site = await attempt(() => getJson(`/v1/inspector/sites/${encodeURIComponent(host)}?run=true`));
  if (!site) return;
  const undo = async (rule) => {
    const left = await attempt(() => call(`/v1/inspector/sites/${encodeURIComponent(host)}/rules/${rule.id}`, { method: "DELETE" }));
    if (!left) return;
    say("Undone.");
    await showRules(target, host, onChanged);
    onChanged();
  };
  const broken = site.cases.filter((entry) => entry.failures.length).length;
  target.replaceChildren(h("div", {},
    h("div", { class: "choices" },
      h("h2", {}, `Rules of ${host}`),
      h("button", { type: "button", id: "run-cases", onclick: () => showRules(target, host, onChanged) }, "Run the test cases again")),
    site.rules.length ? null : h("p", { class: "empty" }, "No rules yet. Choose a block, and say whether it is content or noise."),
    site.rules.map((rule) => h("div", { class: "rule" },
      h("span", { class: `badge ${rule.kind}` }, rule.kind),
      h("div", {}, rule.meaning, rule.example ? h("small", {}, `made from: “${rule.example}”`) : null, h("small", {}, rule.created ?? "")),
      h("button", { type: "button", class: "undo", onclick: () => undo(rule), "aria-label": `Undo: ${rule.meaning}` }, "Undo"))),
    site.cases.length ? h("h2", {}, broken ? `${plural(broken, "test case")} no longer hold${broken === 1 ? "s" : ""}` : `${site.cases.length === 1 ? "The test case holds" : `All ${site.cases.length} test cases hold`}`) : null,
    h("div", { class: "list cases" }, site.cases.map((entry) => h("div", { class: "rule" },
      h("span", { class: `badge ${entry.failures.length ? "failed" : "ok"}` }, entry.failures.length ? "failed" : "holds"),
      h("div", {}, entry.url ?? entry.title ?? entry.id, h("small", {}, plural(entry.marks, "mark")), entry.failures.map((failure) => h("small", {}, failure))))))));
}
