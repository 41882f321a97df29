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
  const boxes = (box) => [near(box.x + scrollX), near(box.y + scrollY), near(box.width), near(box.height)];
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

  for (const element of elements) {
    const index = rows.name.length;
    place.set(element, index);
    const style = getComputedStyle(element);
    rows.name.push(word(element.localName));
    rows.parent.push(place.get(element.parentElement) ?? -1);
    rows.box.push(...boxes(element.getBoundingClientRect()));
    const laid = style.display === "contents" || element.getClientRects().length > 0;
    rows.shown.push(laid && style.visibility === "visible" ? 1 : 0);
    rows.style.push(...styled(style));
    rows.size.push(parseFloat(style.fontSize), parseFloat(style.fontWeight));
    rows.border.push(...["Top", "Right", "Bottom", "Left"].map((side) => parseFloat(style[`border${side}Width`])));
    for (let child = element.firstChild; child; child = child.nextSibling) {
      if (child.nodeType !== 3 || !/\S/.test(child.data)) continue;
      range.selectNodeContents(child);
      texts.parent.push(index);
      texts.box.push(...boxes(range.getBoundingClientRect()));
    }
  }
  const root = document.documentElement;
  return JSON.stringify({
    url: document.URL, words: [...words.keys()], rows, texts,
    screen: [innerWidth, innerHeight], size: [root.scrollWidth, root.scrollHeight],
  });
}
