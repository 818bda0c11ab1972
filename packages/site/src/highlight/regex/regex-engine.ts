import { beyondAsciiCode } from "./character-set.ts";
import {
  createOniguruma,
  type Captures,
  type PatternMatch,
  type RegexEngine,
} from "./oniguruma.ts";
import { anyPosition, canBeAt, canSurround, type PatternPosition } from "./pattern-algebra.ts";
import { maxLineLength } from "./pattern-algebra.ts";
import { toNativePattern, toNativePrefix, type NativePattern } from "./native-pattern.ts";
import { analyzePattern } from "./pattern-reader.ts";
import { getStartPosition, startPositionAlgebra } from "./pattern-algebra.ts";

type Scanner = ReturnType<RegexEngine["createScanner"]>;
type EngineString = ReturnType<RegexEngine["createString"]>;

/**
 * The maximum length of the source of a pattern that is passed to V8. V8 compiles an expression when it is first used.
 * It then throws if the expression has 40,000 letters, and ends the process if it has 10,000 nested groups. A pattern
 * that is built from a page's text can be as long as the text.
 */
const maxSourceLength = 20_000;

/** The Oniguruma engine, the number of its searches, and the thresholds for hot patterns. */
interface CountedEngine {
  readonly engine: RegexEngine;
  readonly thresholds: HotThresholds;
  searchCount: number;
}

/** A pattern becomes hot after these numbers of searches, for all patterns together and for this pattern. */
interface HotThresholds {
  readonly allPatterns: number;
  readonly onePattern: number;
}

/** A pattern that is tried at only one position in a line. It uses Oniguruma's memory until it is disposed of. */
interface AnchoredPattern {
  /** Returns the captures of the match that begins at the position, or undefined if no match begins there. */
  find(line: Line, at: number): Captures | undefined;
  dispose(): void;
}

/** A pattern with the known positions of its matches in the line that was last searched for it. */
class Pattern {
  readonly source: string;
  /** The positions at which the pattern's matches can begin. */
  readonly start: PatternPosition;
  /** The number of scanners that use the pattern. */
  userCount = 0;
  readonly #oniguruma: CountedEngine;
  /**
   * Whether the pattern's matches depend on where a search begins. `\G` matches that position, `\K` makes the match
   * begin later, and Oniguruma tries a pattern that begins with `.*` only at the beginning.
   */
  readonly #dependsOnSearchStart: boolean;
  #scanner: Scanner | undefined;
  #searchCount = 0;
  #isHot = false;
  #native: NativePattern | undefined;
  #anchored: AnchoredPattern | undefined;

  #line: Line | undefined;
  #options = 0;
  /**
   * The start of the known range. No match begins between `#from` and `#until` (exclusive). If there are captures, a
   * match begins at `#until`.
   */
  #from = 0;
  #until = 0;
  #captures: Captures | undefined;

  constructor(oniguruma: CountedEngine, source: string) {
    this.source = source;
    this.#oniguruma = oniguruma;
    const analysis = analyzePattern(source, startPositionAlgebra);
    this.start = analysis ? getStartPosition(analysis) : anyPosition;
    this.#dependsOnSearchStart = analysis?.beginsWithDots === true || /\\[GK]/.test(source);
  }

  /** Returns the captures of the match that begins at the position `at` in a search that begins at `from`. */
  find(line: Line, at: number, from: number, options: number): Captures | undefined {
    if (this.#native && line.isPlain && options === 0) {
      const { expression, getCaptures } = this.#native;
      expression.lastIndex = at;
      if (!expression.test(line.content)) return undefined;
      if (getCaptures) return getCaptures(line.content, at);
    }
    return this.#findWithOniguruma(line, at, from, options);
  }

  /** Searches with Oniguruma unless the result is known from an earlier search. */
  #findWithOniguruma(line: Line, at: number, from: number, options: number): Captures | undefined {
    const isKnown = this.#line === line && this.#options === options && at >= this.#from;
    if (isKnown && (!this.#dependsOnSearchStart || from === this.#from)) {
      if (at < this.#until) return undefined;
      if (at === this.#until && this.#captures) return this.#captures;
    }
    this.#line = line;
    this.#options = options;
    this.#countSearch();
    if (this.#anchored && options === 0) this.#searchAnchored(this.#anchored, line, at);
    else this.#search(line, this.#dependsOnSearchStart ? from : at, options);
    return this.#until === at ? this.#captures : undefined;
  }

  #searchAnchored(anchored: AnchoredPattern, line: Line, at: number): void {
    this.#captures = anchored.find(line, at);
    this.#from = at;
    this.#until = this.#captures ? at : at + 1;
  }

  #search(line: Line, from: number, options: number): void {
    this.#scanner ??= this.#oniguruma.engine.createScanner([this.source]);
    const match = this.#scanner.findNextMatchSync(line.text, from, options);
    this.#captures = match?.captureIndices;
    this.#from = from;
    this.#until = match?.captureIndices[0]?.start ?? Infinity;
  }

  /** Counts a search. When the pattern becomes hot, compiles it for V8 and anchors it. */
  #countSearch(): void {
    if (this.#isHot || this.#dependsOnSearchStart) return;
    this.#searchCount += 1;
    this.#oniguruma.searchCount += 1;
    const { engine, thresholds, searchCount } = this.#oniguruma;
    if (this.#searchCount <= thresholds.onePattern || searchCount <= thresholds.allPatterns) return;
    this.#isHot = true;
    if (this.source.length <= maxSourceLength) {
      this.#native = toNativePattern(this.source) ?? toNativePrefix(this.source);
    }
    this.#anchored = createAnchoredPattern(engine, this.source);
  }

  dispose(): void {
    this.#scanner?.dispose?.();
    this.#anchored?.dispose();
    this.#scanner = undefined;
    this.#anchored = undefined;
    this.#line = undefined;
  }
}

/** A line of code. The engine's form of the line is created when the line is first searched. */
class Line implements EngineString {
  readonly content: string;
  readonly isAscii: boolean;
  /** Whether V8 may match the line because it is ASCII, not long, and a single line. */
  readonly isPlain: boolean;
  readonly #engine: RegexEngine;
  #text: EngineString | undefined;

  constructor(engine: RegexEngine, content: string) {
    this.content = content;
    this.isAscii = /^[\0-\x7f]*$/.test(content);
    this.isPlain = this.isAscii && content.length <= maxLineLength && /^.*\n?$/.test(content);
    this.#engine = engine;
  }

  get text(): EngineString {
    return (this.#text ??= this.#engine.createString(this.content));
  }

  dispose(): void {
    this.#text?.dispose?.();
    this.#text = undefined;
  }
}

/**
 * Anchors the pattern for Oniguruma, which would otherwise search to the end of the line. For some patterns, this takes
 * 30 µs. Returns undefined if the pattern may end with a comment, or if it calls itself, because the call would include
 * the anchor.
 */
function createAnchoredPattern(engine: RegexEngine, source: string): AnchoredPattern | undefined {
  if (/\(\?[a-z]*x|\\g[<'][-+]?0+[>']/.test(source)) return undefined;
  let scanner: Scanner | undefined;
  return {
    find(line, at) {
      scanner ??= engine.createScanner([`\\G(?:${source})`]);
      return scanner.findNextMatchSync(line.text, at, 0)?.captureIndices;
    },
    dispose: () => scanner?.dispose?.(),
  };
}

/**
 * Creates an engine that has the same matches as Oniguruma and takes less time. The rules of a grammar repeat the same
 * patterns (1,600 in 13,900 places for the 20 languages of a typical site), and few of them can match at a given
 * position. Therefore, each pattern is compiled only once, when it is first needed. At each position, only the patterns
 * that can begin with the two characters there and follow the character before them are tried. Results are cached for
 * the rules that search next. Hot patterns are matched with V8's own expressions if these have the same matches.
 */
export async function createRegexEngine(): Promise<RegexEngine> {
  return sharePatterns(await createOniguruma());
}

/**
 * The default thresholds. Translating the hot patterns takes 0.3 s, which is as long as this number of searches takes.
 * Sites with a few hundred pages stay below the threshold. Sites with thousands of pages save half of the highlighting
 * time.
 */
const defaultThresholds: HotThresholds = { allPatterns: 150_000, onePattern: 50 };

/** Wraps `engine` in an engine that has the same results and shares patterns. */
export function sharePatterns(engine: RegexEngine, thresholds = defaultThresholds): RegexEngine {
  const oniguruma: CountedEngine = { engine, thresholds, searchCount: 0 };
  const patterns = new Map<string, Pattern>();

  function acquire(source: string): Pattern {
    let pattern = patterns.get(source);
    if (!pattern) patterns.set(source, (pattern = new Pattern(oniguruma, source)));
    pattern.userCount += 1;
    return pattern;
  }
  /**
   * Releases a pattern. Patterns that are built from a page's text, e.g. for the end of a here-document, are
   * short-lived.
   */
  function release(pattern: Pattern): void {
    pattern.userCount -= 1;
    if (pattern.userCount > 0) return;
    patterns.delete(pattern.source);
    pattern.dispose();
  }
  return {
    createString: (text) => new Line(engine, text),
    createScanner(sources) {
      const acquired = sources.map((source) =>
        acquire(typeof source === "string" ? source : source.source),
      );
      const search = new LineSearch(acquired);
      return {
        findNextMatchSync(string, from, options) {
          if (string instanceof Line) return search.findNext(string, from, options);
          const line = new Line(engine, typeof string === "string" ? string : string.content);
          const match = search.findNext(line, from, options);
          line.dispose();
          return match;
        },
        dispose: () => acquired.splice(0).forEach(release),
      };
    },
  };
}

/** Searches lines for several patterns. */
class LineSearch {
  readonly #patterns: readonly Pattern[];
  /**
   * The indexes of the patterns that can begin with a character, indexed by the character's code. They are computed
   * when the character first occurs.
   */
  readonly #indexesByCode: (readonly number[] | undefined)[] = [];

  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns;
  }

  /**
   * Returns the first match at or after `from`. If several patterns match at the same position, returns the match of
   * the first pattern.
   */
  findNext(line: Line, from: number, options: number): PatternMatch | null {
    const { content, isAscii } = line;
    let previous = from > 0 ? getCodeAt(content, from - 1) : beyondAsciiCode;
    let code = getCodeAt(content, from);
    for (let at = from; at <= content.length; at += 1) {
      const next = getCodeAt(content, at + 1);
      for (const number of this.#listPatternIndexes(code)) {
        const pattern = this.#patterns[number];
        if (!pattern || (isAscii && !canSurround(pattern.start, previous, next))) continue;
        const captureIndices = pattern.find(line, at, from, options);
        if (captureIndices) return { index: number, captureIndices };
      }
      previous = code;
      code = next;
    }
    return null;
  }

  #listPatternIndexes(code: number): readonly number[] {
    return (this.#indexesByCode[code] ??= this.#patterns.flatMap(({ start }, number) =>
      canBeAt(start, code) ? [number] : [],
    ));
  }
}

/** Returns a character's code. All characters beyond ASCII and the end of the text share one code. */
function getCodeAt(text: string, at: number): number {
  return at < text.length ? Math.min(text.charCodeAt(at), beyondAsciiCode) : beyondAsciiCode;
}
