// The left side: the page as it looked, or its frame, with blocks that answer to the mouse.

import { attempt, getJson, h } from "./dom.js";

const FRAME_HEAD = '<link rel="stylesheet" href="/assets/frame.css">';

export class PageView {
  constructor(page, onHover, onSelect, canRender) {
    this.page = page;
    this.onHover = onHover;
    this.onSelect = onSelect;
    this.mode = "frame";
    this.texts = new Map(); // of the frame, by their block
    this.shots = new Map(); // by what the numbers of blocks belong to
    this.stage = h("div", { class: "stage" });
    this.scroller = h("div", { class: "scroll", tabIndex: 0, "aria-label": "The page" }, this.stage);
    this.buttons = ["frame", "screenshot"].map((mode) =>
      h("button", { type: "button", "aria-pressed": String(mode === "frame"), onclick: () => this.show(mode), disabled: mode === "screenshot" && !canRender,
        title: mode === "frame" ? "The page without style and remote parts" : canRender ? "The page as a browser shows it" : "Needs Chromium and playwright" },
        mode === "frame" ? "Text" : "Screenshot"));
    this.switch = h("div", { class: "switch", role: "group", "aria-label": "How the page is shown" }, this.buttons);
    new ResizeObserver(() => this.fit()).observe(this.scroller);
  }

  setView(view, method) {
    this.view = view;
    this.method = method;
    return this.show(this.mode);
  }

  async show(mode) {
    this.mode = mode;
    this.buttons.forEach((button, index) => button.setAttribute("aria-pressed", String((index === 1) === (mode === "screenshot"))));
    if (mode === "screenshot") {
      const { segmenter } = this.view;
      if (!this.shots.has(segmenter)) this.stage.replaceChildren(); // boxes of before are others
      const shot = this.shots.get(segmenter) ?? await attempt(() => getJson(`/v1/inspector/pages/${this.page.id}/screenshot?method=${this.method}`));
      if (!shot) return this.show("frame");
      this.shots.set(segmenter, shot);
      if (this.mode === "screenshot" && this.view.segmenter === segmenter) this.showScreenshot(shot);
    } else {
      await this.showFrame();
    }
    if (this.selectedBlock !== undefined && this.selectedBlock !== null) this.select(this.selectedBlock, true);
    return undefined;
  }

  showFrame() {
    const dark = document.documentElement.classList.contains("dark") ? "dark" : "";
    const frame = h("iframe", { title: "The page, sanitised", tabIndex: -1 });
    frame.setAttribute("sandbox", "allow-same-origin"); // no scripts, no forms, no links
    frame.srcdoc = `<!doctype html><html class="${dark}"><head>${FRAME_HEAD}</head><body>${this.view.frame}</body></html>`;
    const cover = h("div", { class: "cover" });
    this.frame = frame;
    this.spots = null;
    this.texts = new Map();
    const loaded = new Promise((resolve) => frame.addEventListener("load", () => { this.collectTexts(); this.fit(); this.paint(); resolve(); }, { once: true }));
    this.stage.replaceChildren(frame, cover);
    this.stage.style.width = this.stage.style.height = this.stage.style.transform = "";
    this.listen(cover, (event) => {
      const box = frame.getBoundingClientRect();
      const spot = frame.contentDocument?.elementFromPoint(event.clientX - box.left, event.clientY - box.top)?.closest("[data-b]");
      return spot ? Number(spot.dataset.b) : null;
    });
    return loaded;
  }

  /** Keep which texts of the frame are of which block: to search a long page for each takes long. */
  collectTexts() {
    for (const text of this.frame?.contentDocument?.querySelectorAll("[data-b]") ?? []) {
      const block = Number(text.dataset.b);
      if (this.texts.has(block)) this.texts.get(block).push(text);
      else this.texts.set(block, [text]);
    }
  }

  showScreenshot(shot) {
    const image = h("img", { src: `data:image/png;base64,${shot.image}`, alt: "The page as a browser shows it", width: shot.width, height: shot.height });
    const boxes = shot.boxes.map((box, index) => {
      const block = this.view.blocks[index];
      if (!block || box[2] <= 0 || box[3] <= 0 || !block.text) return null;
      const element = h("div", { class: `box ${block.informative ? "k" : "n"}` });
      const surety = Math.min(Math.max(block.informative ? block.score : 1 - block.score, 0), 1);
      element.style.setProperty("--surety", 0.06 + 0.18 * surety);
      element.dataset.b = index;
      ["left", "top", "width", "height"].forEach((side, at) => { element.style[side] = `${box[at]}px`; });
      return element;
    });
    const cover = h("div", { class: "cover" });
    this.frame = null;
    this.shot = shot;
    this.spots = boxes;
    this.stage.replaceChildren(image, ...boxes.filter(Boolean), cover);
    this.fit();
    this.paint();
    this.listen(cover, (event) => {
      const at = cover.getBoundingClientRect();
      const scale = at.width / shot.width || 1;
      const [x, y] = [(event.clientX - at.left) / scale, (event.clientY - at.top) / scale];
      let best = null;
      shot.boxes.forEach(([left, top, width, height], index) => {
        if (boxes[index] && x >= left && x < left + width && y >= top && y < top + height && (best === null || width * height < best.area)) best = { index, area: width * height };
      });
      return best && best.index;
    });
  }

  listen(cover, find) {
    cover.addEventListener("mousemove", (event) => this.onHover(find(event)));
    cover.addEventListener("mouseleave", () => this.onHover(null));
    cover.addEventListener("click", (event) => { const block = find(event); if (block !== null) this.onSelect(block, "page"); });
  }

  /** Give the frame the height of its page, and a screenshot the width that there is. */
  fit() {
    if (this.frame?.contentDocument?.body) {
      const { scrollTop } = this.scroller;
      this.frame.style.height = "100px"; // or the page would never become shorter
      this.frame.style.height = `${Math.max(this.frame.contentDocument.documentElement.scrollHeight, this.scroller.clientHeight)}px`;
      this.scroller.scrollTop = scrollTop;
    } else if (this.spots) {
      const scale = Math.min(1, this.scroller.clientWidth / this.shot.width);
      this.stage.style.width = `${this.shot.width}px`;
      this.stage.style.height = `${this.shot.height}px`;
      this.stage.style.transform = `scale(${scale})`;
    }
  }

  elements(block) {
    if (block === null || block === undefined) return [];
    if (this.spots) return this.spots[block] ? [this.spots[block]] : [];
    return this.texts.get(block) ?? [];
  }

  highlight(name, block) {
    this[name]?.forEach((element) => element.classList.remove(name));
    this[name] = this.elements(block);
    this[name].forEach((element) => element.classList.add(name));
  }

  /** Mark the blocks of a region of records, and go there. */
  showRegion(blocks) {
    this.region?.forEach((element) => element.classList.remove("region"));
    this.region = blocks.flatMap((block) => this.elements(block));
    this.region.forEach((element) => element.classList.add("region"));
    if (this.region.length) this.scrollTo(this.region[0]);
  }

  /** Mark the blocks that a rule would keep or drop. */
  preview(kept, dropped) {
    this.previewed?.forEach((element) => element.classList.remove("to-k", "to-n"));
    const mark = (blocks, name) => blocks.flatMap((block) => this.elements(block)).map((element) => {
      element.classList.add(name);
      return element;
    });
    this.previewed = [...mark(kept, "to-k"), ...mark(dropped, "to-n")];
  }

  paint() {
    this.highlight("selected", this.selectedBlock);
  }

  select(block, scroll) {
    this.selectedBlock = block;
    this.highlight("selected", block);
    const first = this.selected[0];
    if (scroll && first) this.scrollTo(first);
  }

  scrollTo(element) {
    const stage = this.stage.getBoundingClientRect();
    const scale = stage.width / (this.stage.offsetWidth || 1);
    const top = this.spots ? parseFloat(element.style.top) * scale : element.getBoundingClientRect().top;
    this.scroller.scrollTo({ top: Math.max(0, top - 120) });
  }
}
