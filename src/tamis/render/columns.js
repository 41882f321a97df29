// The layout of all elements and texts of the document, as columns in one JSON string: a string
// crosses to Python several times as fast as an object. Runs in the page, so it must not trust it.
() => {
  const elements = document.getElementsByTagName("*");
  const place = new Map();
  const range = document.createRange();
  const words = new Map(); // each distinct string of the document's styles goes over once
  const word = (text) => {
    if (!words.has(text)) words.set(text, words.size);
    return words.get(text);
  };
  const near = (number) => Math.round(number * 100) / 100;
  // A page that is written from right to left overflows to the left: its left edge is how far it scrolls.
  scrollTo({ left: -1e9, top: 0, behavior: "instant" });
  const left = scrollX;
  const boxes = (box) => [near(box.x + scrollX - left), near(box.y + scrollY), near(box.width), near(box.height)];
  const rows = { name: [], parent: [], box: [], shown: [], style: [], size: [], border: [] };
  const texts = { parent: [], box: [] };
  const styled = (style) =>
    [style.display, style.position, style.float, style.clear, plain(style.color), plain(style.backgroundColor),
     style.backgroundImage === "none" ? "" : "image"].map(word);

  // Colours outside sRGB are painted and read back.
  let canvas;
  const painted = new Map();
  const plain = (colour) => {
    if (colour.startsWith("rgb")) return colour;
    if (!painted.has(colour)) {
      canvas ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      painted.set(colour, `rgba(${r}, ${g}, ${b}, ${a / 255})`);
    }
    return painted.get(colour);
  };

  // What is laid out and yet not seen: in a closed <details>, fully transparent, or in a box without height or width that
  // clips what is in it. An absolute box leaves one that is not positioned, a fixed box leaves any.
  const hidden = []; // by element
  const clipped = []; // 0 not, 1 but for absolute boxes, 2 but for fixed ones
  const isClosed = (element) => element?.localName === "details" && !element.open;
  const isAroundAll = (element) => element.contains(document.body); // a script will fade it in
  const isEmptyClip = (style, box) =>
    (/^(hidden|clip)$/.test(style.overflowY) && box.height === 0) || (/^(hidden|clip)$/.test(style.overflowX) && box.width === 0);
  const look = (element, index, style, box) => {
    const parent = element.parentElement, above = place.get(parent);
    const inClosed = isClosed(parent) && element !== parent.querySelector(":scope > summary");
    hidden.push(hidden[above] || inClosed || (parseFloat(style.opacity) === 0 && !isAroundAll(element)));
    const position = style.position;
    let state = above === undefined ? 0 : clipped[above];
    if (position === "fixed" || (position === "absolute" && state === 1)) state = 0;
    const inside = state || hidden[index];
    if (state === 1 && position !== "static") state = 2;
    const isBox = style.display !== "contents" && style.display !== "inline" && !isAroundAll(element);
    if (isBox && isEmptyClip(style, box)) state = position === "static" ? Math.max(state, 1) : 2;
    clipped.push(state);
    return !inside;
  };

  for (const element of elements) {
    const index = rows.name.length;
    place.set(element, index);
    const style = getComputedStyle(element);
    rows.name.push(word(element.localName));
    rows.parent.push(place.get(element.parentElement) ?? -1);
    const box = element.getBoundingClientRect();
    rows.box.push(...boxes(box));
    const laid = style.display === "contents" || element.getClientRects().length > 0;
    rows.shown.push(look(element, index, style, box) && laid && style.visibility === "visible" ? 1 : 0);
    const isTextUnseen = isClosed(element) || clipped[index] > 0;
    rows.style.push(...styled(style));
    rows.size.push(parseFloat(style.fontSize), parseFloat(style.fontWeight));
    rows.border.push(...["Top", "Right", "Bottom", "Left"].map((side) => parseFloat(style[`border${side}Width`])));
    for (let child = element.firstChild; child; child = child.nextSibling) {
      if (child.nodeType !== 3 || !/\S/.test(child.data)) continue;
      range.selectNodeContents(child);
      texts.parent.push(index);
      texts.box.push(...(isTextUnseen ? [0, 0, 0, 0] : boxes(range.getBoundingClientRect())));
    }
  }
  const root = document.documentElement;
  return JSON.stringify({
    url: document.URL, words: [...words.keys()], rows, texts,
    screen: [innerWidth, innerHeight], size: [root.scrollWidth, root.scrollHeight],
  });
}
