import { createShikiPrimitive } from "shiki/core";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { bundledLanguages } from "shiki/langs";
import { escapeHtml } from "../../components/html.ts";
import { findGrammar, type Grammar } from "./languages.ts";
import { classOfColour, themeName, tokenTheme } from "./token-classes.ts";

/** Colours code. One per process: grammars and results are kept for its life. */
export interface Highlighter {
  /** Loads what `highlight` needs for these languages, as authors name them; unknown ones are passed over. */
  load(languages: Iterable<string>): Promise<void>;
  /**
   * HTML of each line, escaped, with `<span class="k">` around tokens; as many lines as `code` has.
   * Plain where the language is unknown or not loaded, or the block is too large or too slow. Never throws.
   */
  highlight(code: string, language: string): readonly string[];
}

export interface HighlighterOptions {
  /** A block with more characters is shown plain. */
  readonly maxBlockLength?: number;
  /** A longer line is shown plain. */
  readonly maxLineLength?: number;
  /** Wall time for one block, after which it is shown plain. */
  readonly blockTimeMs?: number;
  /** Characters of code whose results are kept. */
  readonly cacheLength?: number;
}

const defaults: Required<HighlighterOptions> = {
  maxBlockLength: 200_000,
  maxLineLength: 5_000,
  // The slowest of 5,000 real blocks takes 60 ms; a hostile one may not take the page's 20 s with it.
  blockTimeMs: 4_000,
  cacheLength: 8_000_000,
};

type Primitive = ReturnType<typeof createShikiPrimitive>;

/** Fields of the integer that vscode-textmate packs a token's style into: bits 15 to 23 are the colour. */
const colourShift = 15;
const colourMask = 0x1ff;

export function createHighlighter(options: HighlighterOptions = {}): Highlighter {
  const bounds = { ...defaults, ...options };
  const cache = createLineCache(bounds.cacheLength);
  const loaded = new Map<Grammar, Promise<void>>();
  let primitive: Promise<Primitive> | undefined;
  let ready: Primitive | undefined;

  async function loadGrammar(grammar: Grammar): Promise<void> {
    primitive ??= openPrimitive();
    ready = await primitive;
    await ready.loadLanguage(bundledLanguages[grammar]);
  }

  return {
    async load(languages) {
      const waiting: Promise<void>[] = [];
      for (const language of languages) {
        const grammar = findGrammar(language);
        if (grammar === undefined) continue;
        const loading = loaded.get(grammar) ?? loadGrammar(grammar);
        loaded.set(grammar, loading);
        waiting.push(loading);
      }
      await Promise.all(waiting);
    },
    highlight(code, language) {
      const grammar = findGrammar(language);
      if (grammar === undefined || ready === undefined || code.length > bounds.maxBlockLength) {
        return plainLines(code);
      }
      const key = `${grammar}\n${code}`;
      const known = cache.get(key);
      if (known !== undefined) return known;
      const lines = colourLines(ready, code, grammar, bounds) ?? plainLines(code);
      cache.set(key, lines);
      return lines;
    },
  };
}

/** WebAssembly is loaded with the first block that needs it: a page without code pays nothing. */
async function openPrimitive(): Promise<Primitive> {
  const engine = await createOnigurumaEngine(import("shiki/wasm"));
  return createShikiPrimitive({ engine, themes: [tokenTheme], langs: [] });
}

function plainLines(code: string): string[] {
  return escapeHtml(code).split("\n");
}

/** Undefined where the time ran out: half a coloured block would look like a mistake of the author. */
function colourLines(
  primitive: Primitive,
  code: string,
  name: Grammar,
  bounds: Required<HighlighterOptions>,
): string[] | undefined {
  const { colorMap } = primitive.setTheme(themeName);
  const grammar = primitive.getLanguage(name);
  const classes = colorMap.map((colour) => classOfColour(colour));
  const deadline = performance.now() + bounds.blockTimeMs;
  const lines: string[] = [];
  let state: Parameters<typeof grammar.tokenizeLine2>[1] = null;
  for (const line of code.split("\n")) {
    if (line === "" || line.length > bounds.maxLineLength) {
      lines.push(escapeHtml(line));
      continue;
    }
    const left = deadline - performance.now();
    if (left <= 0) return undefined;
    const result = grammar.tokenizeLine2(line, state, left);
    if (result.stoppedEarly) return undefined;
    lines.push(spanLine(line, result.tokens, classes));
    state = result.ruleStack;
  }
  return lines;
}

/** `tokens` holds pairs of start and packed style. Neighbours of one class, and blanks between, share a span. */
function spanLine(line: string, tokens: Uint32Array, classes: readonly string[]): string {
  let html = "";
  let openClass = "";
  let openStart = 0;
  for (let index = 0; index < tokens.length; index += 2) {
    const start = tokens[index] ?? 0;
    const end = tokens[index + 2] ?? line.length;
    const name = classes[((tokens[index + 1] ?? 0) >>> colourShift) & colourMask] ?? "";
    if (name === openClass || isBlank(line, start, end)) continue;
    html += span(line.slice(openStart, start), openClass);
    openClass = name;
    openStart = start;
  }
  return html + span(line.slice(openStart), openClass);
}

function span(text: string, name: string): string {
  if (name === "" || text === "") return escapeHtml(text);
  const blanks = text.length - text.trimEnd().length;
  const shown = blanks === 0 ? text : text.slice(0, -blanks);
  return `<span class="${name}">${escapeHtml(shown)}</span>${blanks === 0 ? "" : text.slice(-blanks)}`;
}

function isBlank(line: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const code = line.charCodeAt(index);
    if (code !== 32 && code !== 9) return false;
  }
  return true;
}

interface LineCache {
  get(key: string): readonly string[] | undefined;
  set(key: string, lines: readonly string[]): void;
}

/** Sites repeat blocks (a third of 2,934 in one site are distinct); the oldest go when it is full. */
function createLineCache(maxLength: number): LineCache {
  const entries = new Map<string, readonly string[]>();
  let length = 0;
  return {
    get: (key) => entries.get(key),
    set(key, lines) {
      entries.set(key, lines);
      length += key.length;
      for (const oldest of entries.keys()) {
        if (length <= maxLength) break;
        entries.delete(oldest);
        length -= oldest.length;
      }
    },
  };
}
