// Texts from the sheet become text nodes and nothing else. What cannot be seen, or reorders what
// is read, is shown by its number: two readings may differ in nothing else.

// Left as they are: line ends and tabs; joiners, direction marks, soft hyphens and zero-width
// spaces, which ordinary words of many scripts contain; number signs of Arabic, Syriac and Kaithi,
// which have a shape; the tags inside the flags of countries such as Scotland.
const KEPT =
  "\\n\\t\\u{AD}\\u{200B}-\\u{200F}\\u{61C}\\u{600}-\\u{605}\\u{6DD}\\u{70F}\\u{890}\\u{891}\\u{8E2}" +
  "\\u{110BD}\\u{110CD}";
const PIECES = new RegExp(
  `(\\u{1F3F4}[\\u{E0020}-\\u{E007E}]+\\u{E007F})|((?![${KEPT}])[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}])`,
  "gu",
);

/** Put a text of the sheet into an element, and nothing else. */
export function showText(element, text) {
  const nodes = [];
  let from = 0;
  const plain = text.replaceAll("\r\n", "\n");
  for (const match of plain.matchAll(PIECES)) {
    if (match[2] === undefined) continue;
    nodes.push(plain.slice(from, match.index), mark(match[2]));
    from = match.index + match[2].length;
  }
  nodes.push(plain.slice(from));
  element.replaceChildren(...nodes);
}

/** Show a reading; an empty one as "nothing", told apart from the word to eyes and to ears. */
export function showReading(element, text) {
  element.classList.toggle("nothing", text === "");
  if (text === "") element.replaceChildren("nothing", span("unseen", " (this side is empty)"));
  else showText(element, text);
}

/** Return seconds as a clock shows them: 3723.5 as 1:02:03.5. */
export function clock(seconds) {
  const tenths = Math.floor(seconds * 10 + 1e-6);
  const rest = String(Math.floor(tenths / 10) % 60).padStart(2, "0");
  const minutes = Math.floor(tenths / 600);
  const shown = `${rest}.${tenths % 10}`;
  if (minutes < 60) return `${minutes}:${shown}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${shown}`;
}

const mark = (char) => span("mark", `U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);

function span(kind, text) {
  const made = document.createElement("span");
  made.className = kind;
  made.textContent = text;
  return made;
}
