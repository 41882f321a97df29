// Small helpers: elements without innerHTML, calls to the API, messages.

export const $ = (id) => document.getElementById(id);

/** Make an element. Text is always text: nothing of a page becomes markup. */
export function h(name, options = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && key !== "list") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

let token = "";

export function setToken(value) {
  token = value;
  sessionStorage.setItem("tamis-token", value);
}

/** Take the token from the address, where it is never sent to a server, and hide it. */
export function readFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("token")) {
    setToken(given.get("token"));
    given.delete("token");
    history.replaceState(null, "", `${location.pathname}${given.size ? `#${given}` : ""}`);
  }
  token = token || sessionStorage.getItem("tamis-token") || "";
  return { hasToken: token !== "", page: given.get("page") };
}

export class ApiError extends Error {
  constructor(problem) {
    super(problem.detail || problem.title || "the service does not answer");
    this.problem = problem;
  }
}

let underWay = 0;

function work(change) {
  underWay += change;
  $("progress").hidden = underWay === 0;
}

export async function call(path, options = {}) {
  work(1);
  try {
    const headers = { Authorization: `Bearer ${token}`, ...options.headers };
    let response;
    try {
      response = await fetch(path, { ...options, headers });
    } catch {
      throw new ApiError({ detail: "The service does not answer. Is it still running?" });
    }
    if (!response.ok) {
      const problem = await response.json().catch(() => ({ title: response.statusText }));
      throw new ApiError({ ...problem, status: response.status });
    }
    return response;
  } finally {
    work(-1);
  }
}

export const getJson = async (path) => (await call(path)).json();

export const postJson = async (path, value) =>
  (await call(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value ?? {}) })).json();

/** Yield the lines of an answer as they come. */
export async function* readLines(path, signal) {
  const response = await call(path, { signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  work(1);
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) if (line) yield JSON.parse(line);
    }
    if (rest) yield JSON.parse(rest);
  } finally {
    work(-1);
  }
}

/** Close what was said about what a person did before. */
export const forgetMessages = () => $("messages").replaceChildren();

/** Tell something; `action` is something that can be done about it: its name, and what runs. */
export function say(text, isBad = false, action = null) {
  const close = () => message.remove();
  const message = h("div", { class: isBad ? "message bad" : "message" }, h("span", {}, text),
    action && h("button", { type: "button", onclick: () => { close(); attempt(action.run); } }, action.name),
    h("button", { class: "quiet", type: "button", onclick: close, "aria-label": "Close" }, "✕"));
  $("messages").replaceChildren(message);
  if (!isBad) setTimeout(close, action ? 20000 : 6000);
  return message;
}

/** Run what a person asked for; what goes wrong is said, with what to do. */
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    const isStranger = error.problem?.status === 401; // the service was started anew
    if (error.name !== "AbortError") say(isStranger ? "The token no longer holds. Open the address that the service printed when it started." : error.message, true);
    return undefined;
  }
}

export function download(name, text, kind) {
  const url = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export function csv(rows, names) {
  const cell = (value) => {
    let text = value === null || value === undefined ? "" : String(value);
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`; // no formula of a page runs in a spreadsheet
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names, ...rows.map((row) => names.map((name) => row[name]))].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

export const moment = (iso) => iso.slice(0, 16).replace("T", " ");
export const size = (bytes) => (bytes > 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(bytes / 1e3))} kB`);
export const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
