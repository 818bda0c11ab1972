import { createContext, Script } from "node:vm";
import type { Context } from "node:vm";
import type { renderMermaidSVG } from "beautiful-mermaid";
import { escapeHtml, readMermaidScript } from "../../markup/index.ts";
import { getComparableText, leadSign, restoreSigns, type KnownDiagram } from "./known-diagram.ts";
import { readDiagram } from "./read-diagram.ts";

/** Draws Mermaid diagrams. Create one per process: it caches drawings in memory. */
export interface Diagrams {
  /** Loads the library. Must be called before `draw`. */
  load(): Promise<void>;
  /**
   * Draws a diagram as SVG in the colors of the page (`--_text` and others, see `components.css`) if the library can
   * draw all of its statements. Adds `prefix` to the ids. Otherwise, returns a diagram for Mermaid to draw in the
   * reader's browser or, if Mermaid rejects the diagram, a reason for the author. Never throws.
   */
  draw(source: string, prefix: string): Drawing | LiveDiagram | MermaidFault;
}

/** A diagram that Mermaid draws in the reader's browser. */
export interface LiveDiagram extends DiagramNames {
  readonly isLive: true;
  /** The parts that Mermaid will not draw: icons from packs that it does not include, and images on other hosts. */
  readonly omissions: readonly Omission[];
}

interface Omission {
  /** The icon's name or the image's address. */
  readonly name: string;
  /** The 0-based line of the diagram. */
  readonly line: number;
}

/** The names that an author gave a diagram. */
export interface DiagramNames {
  readonly title?: string;
  /** The description for screen readers. */
  readonly description?: string;
}

export interface Drawing extends DiagramNames {
  readonly svg: string;
  /** The width in pixels. */
  readonly width: number;
  /** The height in pixels. */
  readonly height: number;
}

/** The maximum number of characters in one drawing. */
const maxDrawingLength = 1_000_000;
/** The maximum number of characters in all cached sources and drawings. */
const maxCachedCharacters = 20_000_000;

const titledGroup =
  /(<g><rect[^>]*\/><rect[^>]* fill="var\(--_group-hdr\)"[^>]*\/>)(<text\b(?:(?!<\/text>)[^])*<\/text>)/g;

/**
 * Creates a renderer of diagrams. `maxParseMs` is the maximum time for which Mermaid may parse one diagram; a diagram
 * that takes longer is treated as faulty.
 */
export function createDiagrams({
  maxParseMs = 10_000,
}: { readonly maxParseMs?: number } = {}): Diagrams {
  let render: typeof renderMermaidSVG | undefined;
  const cache = new Map<string, string | undefined>();
  const faults = new Map<string, MermaidFault | undefined>();
  const parser = createMermaidParser(maxParseMs);
  let cachedCharacters = 0;

  function drawOnce(diagram: KnownDiagram): string | undefined {
    const text = diagram.lines.join("\n");
    if (cache.has(text)) return cache.get(text);
    const drawing = render === undefined ? undefined : drawWhole(render, diagram);
    cachedCharacters += text.length + (drawing?.length ?? 0);
    if (cachedCharacters < maxCachedCharacters) cache.set(text, drawing);
    return drawing;
  }

  /** Checks a diagram with Mermaid, unless Mermaid is certain to accept it. */
  function findFault(source: string, isAccepted: boolean): MermaidFault | undefined {
    if (isAccepted || faults.has(source)) return faults.get(source);
    const fault = parser.findFault(source);
    cachedCharacters += source.length;
    if (cachedCharacters < maxCachedCharacters) faults.set(source, fault);
    return fault;
  }

  return {
    async load() {
      render ??= (await import("beautiful-mermaid")).renderMermaidSVG;
    },
    draw(source, prefix) {
      const { known, isAccepted, title, description } = readDiagram(source);
      const drawing = known === undefined ? undefined : drawOnce(known);
      const svg = drawing === undefined ? undefined : sanitizeSvg(drawing, prefix);
      const names = {
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
      };
      if (svg === undefined) {
        return (
          findFault(source, isAccepted) ?? {
            isLive: true,
            omissions: findOmissions(source),
            ...names,
          }
        );
      }
      const width = Number(/ width="([\d.]+)"/.exec(svg)?.[1] ?? 0);
      const height = Number(/ height="([\d.]+)"/.exec(svg)?.[1] ?? 0);
      return { svg: raiseGroupTitles(svg), width, height, ...names };
    },
  };
}

const omissionPatterns = [
  /@\{[^}]*?\bimg\s*:\s*["']?((?:https?:)?\/\/[^"',\s}]+)/g,
  /@\{[^}]*?\bicon\s*:\s*["']?([\w-]+:[\w-]+)/g,
  /\b(fa[a-z]?:fa-[\w-]+)/g,
  /^\s*(?:group|service)\s+[\w-]+\(([\w-]+:[\w-]+)\)/gm,
  /::icon\(([^)]+)\)/g,
];

function findOmissions(source: string): Omission[] {
  return omissionPatterns.flatMap((form) =>
    Array.from(source.matchAll(form), (match) => ({
      name: match[1] ?? "",
      line: source.slice(0, match.index + match[0].length).split("\n").length - 1,
    })),
  );
}

/** Returns the library's drawing if it contains every label of the diagram; otherwise, undefined. */
function drawWhole(
  render: typeof renderMermaidSVG,
  { lines, labels }: KnownDiagram,
): string | undefined {
  try {
    const svg = render(lines.join("\n"), { transparent: true, padding: 8 }).replace(
      leadMessagePattern,
      "",
    );
    const isWhole =
      svg.length <= maxDrawingLength && !svg.includes("NaN") && hasLabels(svg, labels);
    return isWhole ? restoreSigns(svg) : undefined;
  } catch {
    // The library's layout fails for some diagrams that the library can parse.
    return undefined;
  }
}

const leadMessagePattern = new RegExp(
  `<g class="message"[^>]* data-label="${leadSign}"[^>]*>(?:(?!</g>)[^])*</g>`,
);
const svgText = /<text\b[^>]*>((?:(?!<\/text>)[^])*)<\/text>/g;

/** Reports whether a drawing shows each label as often as the label occurs in the diagram. */
function hasLabels(svg: string, labels: readonly string[]): boolean {
  let shownText = Array.from(svg.matchAll(svgText), ([, text = ""]) =>
    getComparableText(text),
  ).join("\n");
  const longestFirst = labels
    .filter((label) => label !== "")
    .map((label) => getComparableText(label.replaceAll("&", "&amp;").replaceAll("'", "&#39;")))
    .toSorted((a, b) => b.length - a.length);
  for (const label of longestFirst) {
    if (!shownText.includes(label)) return false;
    shownText = shownText.replace(label, () => "\n");
  }
  return true;
}

/** Moves the titles of groups in front of the edges that cross them, with an outline in the background color. */
function raiseGroupTitles(svg: string): string {
  // A title that is moved out of a group with a transform would lose the transform.
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

/** The attributes with numeric values. */
const numberAttributes = new Set(
  "x y x1 y1 x2 y2 cx cy r rx ry dx dy width height font-size font-weight stroke-width opacity fill-opacity stroke-opacity markerWidth markerHeight refX refY".split(
    " ",
  ),
);
const wordAttributes = new Set(
  "text-anchor dominant-baseline orient stroke-linejoin stroke-linecap font-style paint-order".split(
    " ",
  ),
);
const listAttributes = new Set(["points", "d", "stroke-dasharray", "transform", "viewBox"]);
const paintAttributes = new Set(["fill", "stroke", "color"]);
const markerAttributes = new Set(["marker-start", "marker-end", "marker-mid"]);
const allowedElements = new Set(
  "svg g defs marker rect line path polygon polyline circle ellipse text tspan".split(" "),
);

const numberPattern = /^-?\d+(?:\.\d+)?(?:px|em|%)?$/;
const wordPattern = /^[a-z-]{1,30}$/;
const listPattern = /^[\w\s.,()+-]*$/;
const paintPattern =
  /^(?:#[\da-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl)a?\([\d\s.,%/]+\)|var\(--_?[a-z-]+\)|color-mix\([\w\s(),%-]+\))$/i;
const referencePattern = /^url\(#([\w-]+)\)$/;

const tokenPattern =
  /<style>[^]*?<\/style>|<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
const attributePattern = /([\w:-]+)="([^"]*)"/g;

/**
 * Rebuilds the library's SVG from known elements and from attributes whose values have a known form. Drops style
 * sheets, classes, data and addresses. `prefix` makes ids unique on the page. Returns undefined if the SVG has unknown
 * elements or is not well-formed.
 */
function sanitizeSvg(svg: string, prefix: string): string | undefined {
  const parts: string[] = [];
  const openElements: string[] = [];
  let at = 0;
  tokenPattern.lastIndex = 0;
  for (let match = tokenPattern.exec(svg); match; match = tokenPattern.exec(svg)) {
    at = tokenPattern.lastIndex;
    const [, close, name, attributes = "", isEmpty, text] = match;
    if (text !== undefined)
      parts.push(openElements.at(-1) === "text" || openElements.at(-1) === "tspan" ? text : "");
    if (name === undefined) continue;
    if (!allowedElements.has(name)) return undefined;
    if (close === "/") {
      if (openElements.pop() !== name) return undefined;
      parts.push(`</${name}>`);
    } else {
      if (isEmpty === "") openElements.push(name);
      parts.push(`<${name}${sanitizeAttributes(attributes, prefix)}${isEmpty === "" ? "" : "/"}>`);
    }
  }
  return at === svg.length && openElements.length === 0
    ? setLabelColors(parts.join(""))
    : undefined;
}

function sanitizeAttributes(source: string, prefix: string): string {
  let text = "";
  for (const { 1: name = "", 2: value = "" } of source.matchAll(attributePattern)) {
    const safe = sanitizeValue(name, value.trim(), prefix);
    if (safe !== undefined) text += ` ${name}="${escapeHtml(safe)}"`;
  }
  return text;
}

function sanitizeValue(name: string, value: string, prefix: string): string | undefined {
  if (numberAttributes.has(name)) return numberPattern.test(value) ? roundNumber(value) : undefined;
  if (wordAttributes.has(name)) return wordPattern.test(value) ? value : undefined;
  if (listAttributes.has(name)) return listPattern.test(value) ? roundNumber(value) : undefined;
  if (paintAttributes.has(name))
    return paintPattern.test(value) ? ensureVisiblePaint(name, value) : undefined;
  const target = referencePattern.exec(value)?.[1];
  if (markerAttributes.has(name))
    return target === undefined ? undefined : `url(#${prefix}${target})`;
  return name === "id" && /^[\w-]+$/.test(value) ? prefix + value : undefined;
}

function ensureVisiblePaint(name: string, value: string): string {
  return name === "stroke" && !isVisibleInBothSchemes(value) ? "var(--_line)" : value;
}

/** Rounds to hundredths of a pixel. */
function roundNumber(value: string): string {
  return value.replaceAll(/\d+\.\d{3,}/g, (digits) =>
    String(Math.round(Number(digits) * 100) / 100),
  );
}

const shapeGroup =
  /(<(?:rect|polygon|path|circle|ellipse)[^>]* fill="(#[\da-f]{3,6}|var\(--_node-fill\))"[^>]*\/>)((?:(?!<\/(?:g|marker)>)[^])*)/gi;
const labelFill = /(<(?:text|tspan)\b[^>]* fill=")(#[\da-f]{3,6}|var\(--_text\))"/gi;

/** The minimum contrast of text. */
const minContrast = 4.5;

/**
 * Sets the colors of labels. A label on a color that the author chose, which is the same in both schemes, gets a color
 * that contrasts with it. Other labels get the text color of the page.
 */
function setLabelColors(svg: string): string {
  return svg.replace(shapeGroup, (_, shape: string, fill: string, rest: string) => {
    const backgroundLuminance = fill.startsWith("#") ? measureLuminance(fill) : undefined;
    const labels = rest.replaceAll(labelFill, (__, start: string, color: string) => {
      if (backgroundLuminance === undefined) return `${start}var(--_text)"`;
      const isReadable =
        color.startsWith("#") &&
        computeContrast(measureLuminance(color), backgroundLuminance) >= minContrast;
      return `${start}${isReadable ? color : chooseInk(backgroundLuminance)}"`;
    });
    return shape + labels;
  });
}

function chooseInk(backgroundLuminance: number): string {
  const inks = ["#1a1a1a", "#ffffff", "#000000"];
  const found = inks.find(
    (ink) => computeContrast(measureLuminance(ink), backgroundLuminance) >= minContrast,
  );
  return found ?? "#000000";
}

/** Reports whether a line of this color is visible on white and on the near-black background of dark pages. */
function isVisibleInBothSchemes(color: string): boolean {
  if (!color.startsWith("#")) return !/^(?:[a-z]+$|rgb|hsl)/i.test(color) || color === "none";
  const luminance = measureLuminance(color);
  return computeContrast(luminance, 1) >= 3 && computeContrast(luminance, darkLuminance) >= 3;
}

const darkLuminance = 0.006;

function computeContrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Returns the relative luminance that WCAG 2 defines. */
function measureLuminance(hex: string): number {
  const digits = hex.slice(1);
  const full = digits.length < 6 ? Array.from(digits, (digit) => digit + digit).join("") : digits;
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Parses diagrams in the same way as Mermaid in the reader's browser. */
interface MermaidParser {
  /** Returns the reason why Mermaid rejects a diagram, or undefined if Mermaid accepts it. */
  findFault(source: string): MermaidFault | undefined;
}

interface MermaidFault {
  /** A sentence for the author. */
  readonly reason: string;
  /** The 0-based line of the diagram, if Mermaid names one. */
  readonly line?: number;
}

/** The maximum length of a diagram, which is Mermaid's own limit. */
const maxDiagramLength = 50_000;

/**
 * The browser objects that Mermaid's parsers look for. The document has no HTML implementation, so Mermaid's sanitizer
 * does not change text. This is safe because nothing is drawn.
 */
const browserObjects = `
  var window = globalThis, self = globalThis, navigator = { userAgent: "" };
  var Element = class {};
  var document = {
    nodeType: 9, implementation: {}, addEventListener() {}, createElement: () => ({}), querySelector: () => null,
  };
  var URL = class {
    constructor(href) {
      this.href = String(href);
      this.protocol = /^[a-z][a-z0-9+.-]*:/i.exec(this.href)?.[0].toLowerCase();
      if (this.protocol === undefined) throw new TypeError("Invalid URL");
    }
    toString() { return this.href; }
  };
  var structuredClone = (value) => {
    if (value instanceof Map) return new Map(structuredClone([...value]));
    if (value instanceof Set) return new Set(structuredClone([...value]));
    if (Array.isArray(value)) return value.map(structuredClone);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, structuredClone(part)]));
  };
  var addEventListener = () => {}, setTimeout = () => 0, clearTimeout = () => {};
  var console = Object.fromEntries(
    ["debug", "error", "info", "log", "trace", "warn"].map((name) => [name, () => {}]),
  );
`;

const parserStart = `
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
  var answer;
  // An error of these types means that a parser needs other browser objects. It does not describe a fault of the
  // diagram.
  var describe = (error) =>
    error instanceof ReferenceError || error instanceof TypeError ? "" : String(error?.message ?? error);
`;

/**
 * Creates a parser that loads Mermaid on first use, which takes 0.3 s of CPU time. Mermaid runs in its own context
 * without any Node.js functions, for at most `timeoutMs` per diagram. A diagram usually takes about 15 ms.
 */
function createMermaidParser(timeoutMs: number): MermaidParser {
  let script: Script | undefined;
  let context: Context | undefined;

  function openContext(): Context {
    // Mermaid's asynchronous work is completed before the call returns and is included in the time limit.
    const created = createContext(
      {},
      { microtaskMode: "afterEvaluate", codeGeneration: { strings: false, wasm: false } },
    );
    script ??= new Script(readMermaidScript().toString("utf8"), { filename: "mermaid.js" });
    new Script(browserObjects).runInContext(created);
    script.runInContext(created);
    new Script(parserStart).runInContext(created);
    return created;
  }

  return {
    findFault(source) {
      if (source.length > maxDiagramLength) {
        return { reason: `It is longer than ${maxDiagramLength} characters.` };
      }
      context ??= openContext();
      try {
        new Script(
          `answer = undefined; mermaid.parse(${JSON.stringify(source)})` +
            `.then(() => { answer = ""; }, (error) => { answer = describe(error); });`,
        ).runInContext(context, { timeout: timeoutMs });
        const answer: unknown = new Script("answer").runInContext(context);
        return answer === "" ? undefined : describeFault(source, String(answer));
      } catch {
        // Discard the context, because Mermaid was interrupted while working in it.
        context = undefined;
        return { reason: `Mermaid could not read it within ${timeoutMs / 1000} seconds.` };
      }
    },
  };
}

const maxQuotedLength = 80;

function describeFault(source: string, message: string): MermaidFault {
  if (message.startsWith("No diagram type detected")) {
    return { reason: "It does not begin with a known type of diagram." };
  }
  const number = /\bon line (\d+)/.exec(message)?.[1];
  const line = number === undefined ? undefined : findLine(source, Number(number));
  if (line === undefined) {
    const [first = ""] = message.split("\n");
    return { reason: `Mermaid says: ${first.slice(0, 200)}` };
  }
  const text = source.split("\n")[line]?.trim() ?? "";
  const quoted = text.length > maxQuotedLength ? `${text.slice(0, maxQuotedLength)}…` : text;
  return { reason: `Mermaid does not understand "${quoted}".`, line };
}

/** Converts Mermaid's line number, which is 1-based and excludes comments and settings, to a line of the source. */
function findLine(source: string, number: number): number {
  const withoutSettings = source
    .replace(/^\s*---[ \t]*\n[^]*?\n[ \t]*---[ \t]*(?=\n)/, blankOut)
    .replaceAll(/%%\{[^]*?\}%%/g, blankOut);
  const lines = withoutSettings.split("\n").map((line) => line.trim());
  const first = lines.findIndex((line) => line !== "" && !line.startsWith("%%"));
  const countedLines = lines.flatMap((line, at) =>
    at < first || line.startsWith("%%") ? [] : [at],
  );
  const last = lines.findLastIndex((line) => line !== "" && !line.startsWith("%%"));
  return Math.min(countedLines[number - 1] ?? last, Math.max(last, 0));
}

function blankOut(text: string): string {
  return text.replaceAll(/[^\n]/g, "");
}
