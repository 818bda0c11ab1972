import { createShikiPrimitive } from "shiki/core";
import type { ThemeRegistration } from "shiki/core";
import { bundledLanguages } from "shiki/langs";
import { escapeHtml, html, trustHtml } from "../markup/index.ts";
import type { Html } from "../markup/index.ts";
import { createRegexEngine } from "./regex/regex-engine.ts";
import type { RegexEngine } from "./regex/oniguruma.ts";
import { isDiagramLanguage } from "./diagram-language.ts";
import { tokenClasses } from "./code-styles.ts";

/**
 * Highlights code. Create only one highlighter per process, because it keeps its grammars and results until the process
 * ends.
 */
export interface Highlighter {
  /**
   * Loads the grammars that `highlight` needs for these languages, whose names are as authored. Unknown languages are
   * ignored.
   */
  load(languages: Iterable<string>): Promise<void>;
  /**
   * Returns the escaped HTML of each line of `code`, with spans such as `<span class="k">` around tokens. The lines are
   * not highlighted if the language is unknown or not loaded, or if the block is too large or takes too long. Never
   * throws.
   */
  highlight(code: string, language: string): readonly Html[];
}

interface HighlighterOptions {
  /** The maximum length of a block, in characters. Longer blocks are not highlighted. */
  readonly maxBlockLength?: number;
  /** The maximum length of a line. Longer lines are not highlighted. */
  readonly maxLineLength?: number;
  /**
   * The CPU time after which a block is not highlighted. With wall time, the bundle would depend on the machine's load.
   */
  readonly blockTimeMs?: number;
  /** The number of characters of code whose lines are cached. */
  readonly memoLength?: number;
}

const defaults: Required<HighlighterOptions> = {
  maxBlockLength: 200_000,
  maxLineLength: 5_000,
  // The slowest of 5,000 real blocks takes 60 ms. A hostile block must not use up the page's 20 s.
  blockTimeMs: 4_000,
  memoLength: 4_000_000,
};

type Primitive = ReturnType<typeof createShikiPrimitive>;
/** The function with which the library loads a grammar. All names of a language share one loader. */
type GrammarLoader = (typeof bundledLanguages)[Grammar];

type GrammarReader = ReturnType<Primitive["getLanguage"]>;
type State = Parameters<GrammarReader["tokenizeLine2"]>[1];
type OpenState = NonNullable<State>;

/** The grammar and the cache that are used to highlight the lines of one language. */
interface LineColors {
  readonly grammar: GrammarReader;
  /** Class names, indexed by the color numbers in tokens. */
  readonly classes: readonly string[];
  readonly memo: LineMemo<OpenState>;
}

/**
 * The position of the color in the integer into which vscode-textmate packs a token's style. Bits 15 to 23 contain the
 * color.
 */
const colorShift = 15;
const colorMask = 0x1ff;

export function createHighlighter(options: HighlighterOptions = {}): Highlighter {
  const bounds = { ...defaults, ...options };
  const budget: LineBudget = { maxLength: bounds.memoLength, usedLength: 0, age: 0 };
  const loads = new Map<GrammarLoader, Promise<void>>();
  const colorsByLoader = new Map<GrammarLoader, LineColors>();
  let engine: Promise<RegexEngine> | undefined;

  /**
   * Loads a grammar in a separate registry. In a shared registry, a block's colors would depend on which other
   * languages (embedded in or injected into its language) earlier pages happened to need.
   */
  async function loadGrammar(grammar: Grammar): Promise<void> {
    // The engine is created for the first block that needs it, so that pages without code do not load WebAssembly.
    engine ??= createRegexEngine();
    const primitive = createShikiPrimitive({
      engine: await engine,
      themes: [tokenTheme],
      langs: [],
      // The library counts registries and would warn if there are more than ten.
      warnings: false,
    });
    const loader = bundledLanguages[grammar];
    for (const inner of listEmbeddedGrammars(grammar)) {
      await primitive.loadLanguage(bundledLanguages[inner]);
    }
    await primitive.loadLanguage(loader);
    const { colorMap } = primitive.setTheme(themeName);
    colorsByLoader.set(loader, {
      grammar: primitive.getLanguage(grammar),
      classes: colorMap.map((color) => getColorClass(color)),
      memo: createLineMemo(budget),
    });
  }

  return {
    async load(languages) {
      const waiting: Promise<void>[] = [];
      for (const language of languages) {
        const grammar = findGrammar(language);
        if (grammar === undefined) continue;
        const loader = bundledLanguages[grammar];
        const load = loads.get(loader) ?? loadGrammar(grammar);
        loads.set(loader, load);
        waiting.push(load);
      }
      await Promise.all(waiting);
    },
    highlight(code, language) {
      const grammar = findGrammar(language);
      if (grammar === undefined || code.length > bounds.maxBlockLength)
        return renderPlainLines(code);
      const colors = colorsByLoader.get(bundledLanguages[grammar]);
      if (colors === undefined) return renderPlainLines(code);
      return colorLines(colors, code, bounds) ?? renderPlainLines(code);
    },
  };
}

/** A highlighter for pages that will not be shown. It does not highlight or load anything. */
export const plainHighlighter: Highlighter = {
  async load() {},
  highlight: renderPlainLines,
};

function renderPlainLines(code: string): Html[] {
  // Splitting escaped text into lines does not remove escapes.
  return escapeHtml(code).split("\n").map(trustHtml);
}

/**
 * Highlights lines. Returns undefined if the time runs out, because a half-highlighted block would look like an
 * author's mistake.
 */
function colorLines(
  colors: LineColors,
  code: string,
  bounds: Required<HighlighterOptions>,
): Html[] | undefined {
  const getRemainingMs = startBlockTimer(bounds.blockTimeMs);
  const lines: Html[] = [];
  let state: State = null;
  for (const line of code.split("\n")) {
    if (line === "" || line.length > bounds.maxLineLength) {
      lines.push(escapeHtml(line));
      continue;
    }
    const colored: ColoredLine<OpenState> | undefined =
      colors.memo.get(state, line) ?? colorLine(colors, line, state, getRemainingMs);
    if (colored === undefined) return undefined;
    lines.push(colored.html);
    state = colored.next;
  }
  return lines;
}

function colorLine(
  { grammar, classes, memo }: LineColors,
  line: string,
  state: State,
  getRemainingMs: () => number,
): ColoredLine<OpenState> | undefined {
  for (;;) {
    const remainingMs = getRemainingMs();
    if (remainingMs <= 0) return undefined;
    // The library measures wall time. If CPU time is left, a line at which it stopped is tokenized again.
    const { tokens, ruleStack, stoppedEarly } = grammar.tokenizeLine2(line, state, remainingMs);
    if (stoppedEarly) continue;
    return memo.put(state, line, { html: renderLine(line, tokens, classes), next: ruleStack });
  }
}

/**
 * Creates a function that returns the remaining milliseconds of a block's CPU time. Querying the system takes as long
 * as highlighting a short line, so this is done only for blocks that have already taken `unmeasuredMs`.
 */
function startBlockTimer(blockTimeMs: number): () => number {
  const startedMs = performance.now();
  let endMs: number | undefined;
  return () => {
    if (endMs === undefined) {
      if (performance.now() - startedMs < unmeasuredMs) return blockTimeMs;
      endMs = measureCpuMs() + blockTimeMs;
    }
    return endMs - measureCpuMs();
  };
}

/** The time before CPU time is measured, which is the time that the slowest of 5,000 real blocks takes. */
const unmeasuredMs = 60;

/** Returns the CPU time of this thread. */
function measureCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Renders a line. `tokens` contains pairs of a start and a packed style. Adjacent tokens of the same class share a
 * span.
 */
function renderLine(line: string, tokens: Uint32Array, classes: readonly string[]): Html {
  let text = "";
  let openClass = "";
  let openStart = 0;
  for (let index = 0; index < tokens.length; index += 2) {
    const start = tokens[index] ?? 0;
    const end = tokens[index + 2] ?? line.length;
    const name = classes[((tokens[index + 1] ?? 0) >>> colorShift) & colorMask] ?? "";
    if (name === openClass || isBlank(line, start, end)) continue;
    text += renderSpan(line.slice(openStart, start), openClass);
    openClass = name;
    openStart = start;
  }
  // The text consists only of spans, whose code is escaped.
  return trustHtml(text + renderSpan(line.slice(openStart), openClass));
}

function renderSpan(text: string, name: string): Html {
  if (name === "" || text === "") return escapeHtml(text);
  const blanks = text.length - text.trimEnd().length;
  const visibleText = blanks === 0 ? text : text.slice(0, -blanks);
  return html`<span class="${escapeHtml(name)}">${escapeHtml(visibleText)}</span>${blanks === 0 ? "" : escapeHtml(text.slice(-blanks))}`;
}

function isBlank(line: string, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const code = line.charCodeAt(index);
    if (code !== 32 && code !== 9) return false;
  }
  return true;
}

/**
 * The state of a grammar between two lines, which consists of the open rules. The type of vscode-textmate hides the
 * fields that are compared here. Tokenizing a line does not permanently change the state in which the line begins.
 */
interface LineState {
  readonly depth: number;
  readonly parent: LineState | null;
  readonly beginRuleCapturedEOL: boolean;
  /** Reports whether the same rules are open, with the same ends and the same styles. */
  equals(other: LineState): boolean;
}

interface ColoredLine<State> {
  readonly html: Html;
  /** The state in which the next line begins. */
  readonly next: State;
}

/**
 * A cache of the highlighted lines of one language. Documentation contains many repetitions, such as versions and
 * translations of a page, requests that differ in one line, and braces. A line's colors depend only on its text and the
 * state before it, so the same line in the same state is not tokenized again.
 */
interface LineMemo<State> {
  /**
   * Returns a cached line. `state` is null for the first line. For any other line, it is the `next` of a line that this
   * memo returned.
   */
  get(state: State | null, line: string): ColoredLine<State> | undefined;
  /**
   * Caches a line and returns it with the `next` that identifies the state in which the following line may be cached.
   */
  put(state: State | null, line: string, colored: ColoredLine<State>): ColoredLine<State>;
}

/** The budget of cached characters, which all languages of a highlighter share. */
interface LineBudget {
  readonly maxLength: number;
  usedLength: number;
  /** Incremented when all lines are dropped because the budget is used up. */
  age: number;
}

/**
 * The maximum number of states of one depth for which lines are cached. Code with more states of one depth has few
 * repeated lines.
 */
const maxStatesOfDepth = 50;

function createLineMemo<State extends object>(budget: LineBudget): LineMemo<State> {
  let age = budget.age;
  let firstLines = new Map<string, ColoredLine<State>>();
  let linesByState = new WeakMap<State, Map<string, ColoredLine<State>>>();
  let states = new Map<number, State[]>();

  function forget(): void {
    age = budget.age;
    firstLines = new Map();
    linesByState = new WeakMap();
    states = new Map();
  }
  function getLinesAfter(state: State | null): Map<string, ColoredLine<State>> | undefined {
    return state === null ? firstLines : linesByState.get(state);
  }
  /** Returns the first of all equal states, which is the key of cached lines. */
  function findCanonicalState(state: State): State {
    const { depth } = state as unknown as LineState;
    let statesOfDepth = states.get(depth);
    if (!statesOfDepth) states.set(depth, (statesOfDepth = []));
    const found = statesOfDepth.find((other) => areSame(other, state));
    if (found !== undefined) return found;
    if (statesOfDepth.length < maxStatesOfDepth) {
      statesOfDepth.push(state);
      linesByState.set(state, new Map());
    }
    return state;
  }
  return {
    get(state, line) {
      return age === budget.age ? getLinesAfter(state)?.get(line) : undefined;
    },
    put(state, line, { html, next }) {
      if (budget.usedLength > budget.maxLength) {
        budget.usedLength = 0;
        budget.age += 1;
      }
      if (age !== budget.age) forget();
      // A copy of safe HTML is also safe HTML.
      const colored = { html: trustHtml(copyText(html)), next: findCanonicalState(next) };
      const lines = getLinesAfter(state);
      if (lines !== undefined) {
        lines.set(copyText(line), colored);
        budget.usedLength += line.length;
      }
      return colored;
    },
  };
}

function areSame(a: object, b: object): boolean {
  if (!(a as LineState).equals(b as LineState)) return false;
  let one: LineState | null = a as LineState;
  let other: LineState | null = b as LineState;
  while (one !== other && one !== null && other !== null) {
    if (one.beginRuleCapturedEOL !== other.beginRuleCapturedEOL) return false;
    one = one.parent;
    other = other.parent;
  }
  return true;
}

/** Returns a copy of a text. Unlike a slice in V8, it does not keep the text of the whole page in memory. */
function copyText(text: string): string {
  return ` ${text}`.slice(1);
}

/** The name of a grammar: any name that the library itself supports. */
type Grammar = keyof typeof bundledLanguages;

/** Names that real sites use but the library does not recognize. */
const aliases: Readonly<Record<string, Grammar>> = {
  curl: "bash",
  env: "dotenv",
  golang: "go",
  htm: "html",
  jinja2: "jinja",
  mysql: "sql",
  node: "javascript",
  nodejs: "javascript",
  postgres: "sql",
  postgresql: "sql",
  psql: "sql",
  pycon: "python",
  py3: "python",
  python3: "python",
  svg: "xml",
  tsql: "sql",
};

/**
 * Finds the grammar for the language of a fence, ignoring case. Returns undefined for plain text and for unknown names
 * (`output`, `redis`), which are shown as plain text.
 */
function findGrammar(language: string): Grammar | undefined {
  const name = language.toLowerCase();
  if (isDiagramLanguage(name)) return undefined;
  if (Object.hasOwn(aliases, name)) return aliases[name];
  return Object.hasOwn(bundledLanguages, name) ? (name as Grammar) : undefined;
}

/**
 * Embedded languages that the library does not load together with the outer language. They are needed for frontmatter
 * and fences in documentation that shows its own source. Loading all possible languages would require 57 grammars.
 */
const embeddedGrammars: Readonly<Record<string, readonly Grammar[]>> = {
  markdown: ["yaml", "json", "shellscript"],
  md: ["yaml", "json", "shellscript"],
  mdx: ["yaml", "json", "shellscript", "tsx"],
};

/**
 * Lists the grammars to load before `grammar`. The list is fixed, so that blocks in this language always look the same.
 */
function listEmbeddedGrammars(grammar: Grammar): readonly Grammar[] {
  return embeddedGrammars[grammar] ?? [];
}

/** Formats a color of the synthetic theme. Colors are in the order of `tokenClasses`, and color 0 is the default. */
function formatColor(index: number): string {
  return `#${(index + 1).toString(16).padStart(6, "0")}`;
}

export const themeName = "octavo";

/** The theme that is passed to the highlighter. */
export const tokenTheme: ThemeRegistration = {
  name: themeName,
  type: "light",
  fg: "#000000",
  bg: "#ffffff",
  settings: [
    { settings: { foreground: "#000000", background: "#ffffff" } },
    ...tokenClasses.map(({ scopes }, index) => ({
      scope: [...scopes],
      settings: { foreground: formatColor(index) },
    })),
  ],
};

/** Returns the class for a color of the theme, or an empty string for plain text. */
function getColorClass(color: string | undefined): string {
  const index = color === undefined ? -1 : Number.parseInt(color.slice(1), 16) - 1;
  return tokenClasses[index]?.name ?? "";
}
