// Answers one JSON line {"html": …} with one JSON line {"content": …, "seconds": …} or {"error": …}.
// The time is from HTML text to HTML of the content, the parsing included.
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const [name, modules] = process.argv.slice(2);
const require = createRequire(path.join(modules, "..", "peers.mjs"));
const { JSDOM, VirtualConsole } = require("jsdom");
const address = "https://page.example/";
const quiet = new VirtualConsole(); // broken style sheets are no news

// What peers print must not come between the answers.
for (const kind of ["log", "info", "warn", "error", "debug"]) console[kind] = () => {};

function parsed(html) {
  return new JSDOM(html, { url: address, virtualConsole: quiet });
}

async function extractor() {
  if (name === "readability.js") {
    const { Readability } = require("@mozilla/readability");
    return async (html) => {
      const dom = parsed(html);
      const article = new Readability(dom.window.document).parse();
      const content = article?.content ?? "";
      dom.window.close();
      return content;
    };
  }
  const home = (file) => import(pathToFileURL(path.join(modules, "defuddle", "dist", file)));
  const { Defuddle } = await home("node.js");
  const open = await defuddleParser(home);
  return async (html) => {
    // Without useAsync: false it may ask third parties on the network.
    const result = await Defuddle(open(html), address, { useAsync: false });
    return result.content ?? "";
  };
}

// The DOM that defuddle itself takes where it is installed, which is many times faster.
async function defuddleParser(home) {
  try {
    require.resolve("linkedom");
    const { parseLinkedomHTML } = await home("utils/linkedom-compat.js");
    return (html) => parseLinkedomHTML(html, address);
  } catch {
    return (html) => parsed(html).window.document;
  }
}

const extract = await extractor();
for await (const line of readline.createInterface({ input: process.stdin })) {
  let answer;
  try {
    const { html } = JSON.parse(line);
    const start = process.hrtime.bigint();
    const content = await extract(html);
    answer = { content, seconds: Number(process.hrtime.bigint() - start) / 1e9 };
  } catch (error) {
    answer = { error: String(error?.message ?? error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
