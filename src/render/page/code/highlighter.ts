import { createShikiPrimitive } from "shiki/core";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { bundledLanguages } from "shiki/langs";
import { escapeHtml } from "../../components/html.ts";
import { embeddedGrammars, findGrammar, type Grammar } from "./languages.ts";
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
type Engine = Awaited<ReturnType<typeof createOnigurumaEngine>>;
/** How the library loads a grammar; one for all names of a language. */
type GrammarLoader = (typeof bundledLanguages)[Grammar];

/** Fields of the integer that vscode-textmate packs a token's style into: bits 15 to 23 are the colour. */
const colourShift = 15;
const colourMask = 0x1ff;

export function createHighlighter(options: HighlighterOptions = {}): Highlighter {
  const bounds = { ...defaults, ...options };
  const cache = createLineCache(bounds.cacheLength);
  const loading = new Map<GrammarLoader, Promise<void>>();
  const ready = new Map<GrammarLoader, Primitive>();
  let engine: Promise<Engine> | undefined;

  /**
   * A registry of its own for each language: in a shared one, what a block looks like would depend on
   * which other languages (embedded in it, or injected into it) pages before it happened to need.
   */
  async function loadGrammar(grammar: Grammar): Promise<void> {
    // WebAssembly is loaded with the first block that needs it: a page without code pays nothing.
    engine ??= createOnigurumaEngine(import("shiki/wasm"));
    const primitive = createShikiPrimitive({
      engine: await engine,
      themes: [tokenTheme],
      langs: [],
      // The library counts registries, and warns of more than ten.
      warnings: false,
    });
    const loader = bundledLanguages[grammar];
    for (const inner of embeddedGrammars(grammar)) {
      await primitive.loadLanguage(bundledLanguages[inner]);
    }
    await primitive.loadLanguage(loader);
    ready.set(loader, primitive);
  }

  return {
    async load(languages) {
      const waiting: Promise<void>[] = [];
      for (const language of languages) {
        const grammar = findGrammar(language);
        if (grammar === undefined) continue;
        const loader = bundledLanguages[grammar];
        const begun = loading.get(loader) ?? loadGrammar(grammar);
        loading.set(loader, begun);
        waiting.push(begun);
      }
      await Promise.all(waiting);
    },
    highlight(code, language) {
      const grammar = findGrammar(language);
      if (grammar === undefined || code.length > bounds.maxBlockLength) return plainLines(code);
      const primitive = ready.get(bundledLanguages[grammar]);
      if (primitive === undefined) return plainLines(code);
      const key = `${grammar}\n${code}`;
      const known = cache.get(key);
      if (known !== undefined) return known;
      const lines = colourLines(primitive, code, grammar, bounds) ?? plainLines(code);
      cache.set(key, lines);
      return lines;
    },
  };
}

/** Colours nothing and loads nothing, for pages that nobody will see. */
export const plainHighlighter: Highlighter = {
  async load() {},
  highlight: plainLines,
};

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
