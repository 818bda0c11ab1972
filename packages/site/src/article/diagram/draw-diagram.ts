import type { renderMermaidSVG } from "beautiful-mermaid";
import { escapeHtml } from "../../markup/index.ts";
import { getComparableText, leadSign, restoreSigns, type KnownDiagram } from "./known-diagram.ts";
import { readDiagram } from "./read-diagram.ts";

/** Draws Mermaid diagrams. Create one per process: it caches drawings in memory. */
export interface Diagrams {
  /** Loads the library; must be called before `draw`. */
  load(): Promise<void>;
  /**
   * Draws the diagram as SVG in the colors of the page (`--_text` and others, see `media.css`). `prefix` is added
   * to its ids. Never throws: for a diagram that cannot be drawn, returns a reason for the author.
   */
  draw(source: string, prefix: string): Drawing | DrawingFailure;
}

export interface Drawing {
  readonly svg: string;
  /** The diagram's title, if the author gave one. */
  readonly title?: string;
  /** The diagram's description for screen readers, if the author gave one. */
  readonly description?: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

interface DrawingFailure {
  readonly reason: string;
}

/** The most characters of one drawing. */
const maxBytes = 1_000_000;
/** The most characters of cached sources and drawings. */
const maxCachedCharacters = 20_000_000;

const titledGroup =
  /(<g><rect[^>]*\/><rect[^>]* fill="var\(--_group-hdr\)"[^>]*\/>)(<text\b(?:(?!<\/text>)[^])*<\/text>)/g;

export function createDiagrams(): Diagrams {
  let render: typeof renderMermaidSVG | undefined;
  const cache = new Map<string, string | undefined>();
  let cachedCharacters = 0;

  function drawOnce(known: KnownDiagram): string | undefined {
    const text = known.lines.join("\n");
    if (cache.has(text)) return cache.get(text);
    const drawn = render === undefined ? undefined : drawWhole(render, known);
    cachedCharacters += text.length + (drawn?.length ?? 0);
    if (cachedCharacters < maxCachedCharacters) cache.set(text, drawn);
    return drawn;
  }

  return {
    async load() {
      render ??= (await import("beautiful-mermaid")).renderMermaidSVG;
    },
    draw(source, prefix) {
      const { known, title, description } = readDiagram(source);
      const drawn = known === undefined ? undefined : drawOnce(known);
      const svg = drawn === undefined ? undefined : sanitizeSvg(drawn, prefix);
      const names = {
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
      };
      if (svg === undefined) return { reason: "It has statements that are not drawn here." };
      const width = Number(/ width="([\d.]+)"/.exec(svg)?.[1] ?? 0);
      const height = Number(/ height="([\d.]+)"/.exec(svg)?.[1] ?? 0);
      return { svg: raiseGroupTitles(svg), width, height, ...names };
    },
  };
}

/** Returns the library's drawing, if it has every label of the diagram. */
function drawWhole(
  render: typeof renderMermaidSVG,
  { lines, labels }: KnownDiagram,
): string | undefined {
  try {
    const svg = render(lines.join("\n"), { transparent: true, padding: 8 }).replace(
      leadMessage,
      "",
    );
    const isWhole = svg.length <= maxBytes && !svg.includes("NaN") && hasLabels(svg, labels);
    return isWhole ? restoreSigns(svg) : undefined;
  } catch {
    // Its layout fails for some diagrams that it reads.
    return undefined;
  }
}

const leadMessage = new RegExp(
  `<g class="message"[^>]* data-label="${leadSign}"[^>]*>(?:(?!</g>)[^])*</g>`,
);
const svgText = /<text\b[^>]*>((?:(?!<\/text>)[^])*)<\/text>/g;

/** Reports whether a drawing shows each label, as often as the diagram has it. */
function hasLabels(svg: string, labels: readonly string[]): boolean {
  let shown = Array.from(svg.matchAll(svgText), ([, text = ""]) => getComparableText(text)).join(
    "\n",
  );
  const longestFirst = labels
    .filter((label) => label !== "")
    .map((label) => getComparableText(label.replaceAll("&", "&amp;").replaceAll("'", "&#39;")))
    .toSorted((a, b) => b.length - a.length);
  for (const label of longestFirst) {
    if (!shown.includes(label)) return false;
    shown = shown.replace(label, () => "\n");
  }
  return true;
}

/** Moves the titles of groups in front of the edges that cross them, with an outline in the background color. */
function raiseGroupTitles(svg: string): string {
  // Titles moved out of a group with a transform would lose it.
  if (svg.includes(" transform=")) return svg;
  let titles = "";
  const rest = svg.replaceAll(titledGroup, (_, box: string, title: string) => {
    titles += title.replace(
      "<text",
      '<text paint-order="stroke" stroke="var(--_group-hdr)" stroke-width="6" stroke-linejoin="round"',
    );
    return box;
  });
  return titles === "" ? svg : rest.replace(/<\/svg>\s*$/, `${titles}</svg>`);
}

/** Attributes with numeric values. */
const numbers = new Set(
  "x y x1 y1 x2 y2 cx cy r rx ry dx dy width height font-size font-weight stroke-width opacity fill-opacity stroke-opacity markerWidth markerHeight refX refY".split(
    " ",
  ),
);
const words = new Set(
  "text-anchor dominant-baseline orient stroke-linejoin stroke-linecap font-style paint-order".split(
    " ",
  ),
);
const lists = new Set(["points", "d", "stroke-dasharray", "transform", "viewBox"]);
const paints = new Set(["fill", "stroke", "color"]);
const markers = new Set(["marker-start", "marker-end", "marker-mid"]);
const elements = new Set(
  "svg g defs marker rect line path polygon polyline circle ellipse text tspan".split(" "),
);

const number = /^-?\d+(?:\.\d+)?(?:px|em|%)?$/;
const word = /^[a-z-]{1,30}$/;
const list = /^[\w\s.,()+-]*$/;
const paint =
  /^(?:#[\da-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl)a?\([\d\s.,%/]+\)|var\(--_?[a-z-]+\)|color-mix\([\w\s(),%-]+\))$/i;
const reference = /^url\(#([\w-]+)\)$/;

const token =
  /<style>[^]*?<\/style>|<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
const attribute = /([\w:-]+)="([^"]*)"/g;

/**
 * Rebuilds the library's SVG from known elements, and attributes with values of a known form. Style sheets,
 * classes, data and addresses are dropped. `prefix` makes ids unique on the page. Undefined if the text has
 * unknown elements or is not well-formed.
 */
function sanitizeSvg(svg: string, prefix: string): string | undefined {
  const parts: string[] = [];
  const open: string[] = [];
  let at = 0;
  token.lastIndex = 0;
  for (let match = token.exec(svg); match; match = token.exec(svg)) {
    at = token.lastIndex;
    const [, close, name, attributes = "", isEmpty, text] = match;
    if (text !== undefined)
      parts.push(open.at(-1) === "text" || open.at(-1) === "tspan" ? text : "");
    if (name === undefined) continue;
    if (!elements.has(name)) return undefined;
    if (close === "/") {
      if (open.pop() !== name) return undefined;
      parts.push(`</${name}>`);
    } else {
      if (isEmpty === "") open.push(name);
      parts.push(`<${name}${safeAttributes(attributes, prefix)}${isEmpty === "" ? "" : "/"}>`);
    }
  }
  return at === svg.length && open.length === 0 ? contrastLabels(parts.join("")) : undefined;
}

function safeAttributes(source: string, prefix: string): string {
  let text = "";
  for (const { 1: name = "", 2: value = "" } of source.matchAll(attribute)) {
    const safe = safeValue(name, value.trim(), prefix);
    if (safe !== undefined) text += ` ${name}="${escapeHtml(safe)}"`;
  }
  return text;
}

function safeValue(name: string, value: string, prefix: string): string | undefined {
  if (numbers.has(name)) return number.test(value) ? rounded(value) : undefined;
  if (words.has(name)) return word.test(value) ? value : undefined;
  if (lists.has(name)) return list.test(value) ? rounded(value) : undefined;
  if (paints.has(name)) return paint.test(value) ? value : undefined;
  const target = reference.exec(value)?.[1];
  if (markers.has(name)) return target === undefined ? undefined : `url(#${prefix}${target})`;
  return name === "id" && /^[\w-]+$/.test(value) ? prefix + value : undefined;
}

/** Rounds to hundredths of a pixel. */
function rounded(value: string): string {
  return value.replaceAll(/\d+\.\d{3,}/g, (digits) =>
    String(Math.round(Number(digits) * 100) / 100),
  );
}

const filledGroup =
  /(<(?:rect|polygon|path|circle|ellipse)[^>]* fill="(#[\da-f]{3,6})"[^>]*\/>)((?:(?!<\/g>)[^])*)/gi;

/** Adjusts labels on shapes with an author's color, which is the same in both color schemes. */
function contrastLabels(svg: string): string {
  return svg.replace(filledGroup, (_, shape: string, fill: string, rest: string) => {
    const ink = luminance(fill) > 0.4 ? "#1a1a1a" : "#ffffff";
    return shape + rest.replaceAll('fill="var(--_text)"', `fill="${ink}"`);
  });
}

/** Relative luminance of WCAG 2, without its linear segment. */
function luminance(hex: string): number {
  const digits = hex.slice(1);
  const full = digits.length < 6 ? Array.from(digits, (digit) => digit + digit).join("") : digits;
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map(
    (at) => (Number.parseInt(full.slice(at, at + 2), 16) / 255) ** 2.2,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
