import { maxLineLength } from "./backtracking.ts";
import { toNativePattern, toNativePrefix } from "./native-pattern.ts";
import type { NativePattern } from "./native-pattern.ts";
import type { Captures, EngineString, RegexEngine, Scanner } from "./oniguruma.ts";
import { analyzePattern } from "./pattern-reader.ts";
import { anyPosition } from "./position.ts";
import type { PatternPosition } from "./position.ts";
import { getStartPosition, starts } from "./start-positions.ts";

/**
 * V8 compiles an expression when it is first used: it throws at 40,000 letters, and ends the process at 10,000 nested
 * groups. A pattern that is built from a page's text can be as long as the text.
 */
const maxSourceLength = 20_000;

/** Oniguruma, the number of its searches, and the thresholds for hot patterns. */
export interface CountedEngine {
  readonly engine: RegexEngine;
  readonly thresholds: HotThresholds;
  searches: number;
}

/** Numbers of searches, of all patterns and of one, after which a pattern is hot. */
export interface HotThresholds {
  readonly allPatterns: number;
  readonly onePattern: number;
}

/** A pattern that is tried at only one position of a line. Holds memory of Oniguruma until it is disposed of. */
interface AnchoredPattern {
  /** The captures of the match that begins there; undefined if there is none. */
  find(line: Line, at: number): Captures | undefined;
  dispose(): void;
}

/** A pattern, with the known positions of its matches in the line that was last searched for it. */
export class Pattern {
  readonly source: string;
  /** The characters around the start of its matches. */
  readonly start: PatternPosition;
  /** The number of scanners that use it. */
  users = 0;
  readonly #oniguruma: CountedEngine;
  /**
   * Whether its matches depend on where a search begins: `\G` is that place, `\K` begins the match later, and
   * a pattern that begins with `.*` is tried by Oniguruma only at the beginning.
   */
  readonly #dependsOnSearchStart: boolean;
  #scanner: Scanner | undefined;
  #searches = 0;
  #isHot = false;
  #native: NativePattern | undefined;
  #anchored: AnchoredPattern | undefined;

  #line: Line | undefined;
  #options = 0;
  /** No match begins between `#from` and `#until`, exclusive; one begins at `#until` if there are captures. */
  #from = 0;
  #until = 0;
  #captures: Captures | undefined;

  constructor(oniguruma: CountedEngine, source: string) {
    this.source = source;
    this.#oniguruma = oniguruma;
    const read = analyzePattern(source, starts);
    this.start = read ? getStartPosition(read) : anyPosition;
    this.#dependsOnSearchStart = read?.beginsWithDots === true || /\\[GK]/.test(source);
  }

  /** The captures of the match that begins at this place of the line, in a search from `from` on. */
  find(line: Line, at: number, from: number, options: number): Captures | undefined {
    if (this.#native && line.isPlain && options === 0) {
      const { expression, captures } = this.#native;
      expression.lastIndex = at;
      if (!expression.test(line.content)) return undefined;
      if (captures) return captures(line.content, at);
    }
    return this.#ask(line, at, from, options);
  }

  /** Searches with Oniguruma, unless the result is known from an earlier search. */
  #ask(line: Line, at: number, from: number, options: number): Captures | undefined {
    const isKnown = this.#line === line && this.#options === options && at >= this.#from;
    if (isKnown && (!this.#dependsOnSearchStart || from === this.#from)) {
      if (at < this.#until) return undefined;
      if (at === this.#until && this.#captures) return this.#captures;
    }
    this.#line = line;
    this.#options = options;
    this.#countSearch();
    if (this.#anchored && options === 0) this.#try(this.#anchored, line, at);
    else this.#search(line, this.#dependsOnSearchStart ? from : at, options);
    return this.#until === at ? this.#captures : undefined;
  }

  #try(anchored: AnchoredPattern, line: Line, at: number): void {
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

  /** Counts a search. A hot pattern is worth compiling for V8 and anchoring. */
  #countSearch(): void {
    if (this.#isHot || this.#dependsOnSearchStart) return;
    this.#searches += 1;
    this.#oniguruma.searches += 1;
    const { engine, thresholds, searches } = this.#oniguruma;
    if (this.#searches <= thresholds.onePattern || searches <= thresholds.allPatterns) return;
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

/** A line of code. The engine's form of it is created when it is first searched. */
export class Line implements EngineString {
  readonly content: string;
  readonly isAscii: boolean;
  /** Whether V8 may match it: it is ASCII, not long, and one line. */
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
 * Anchors the pattern for Oniguruma, which otherwise searches to the end of the line: 30 µs for some patterns.
 * Undefined if the pattern may end with a comment, or calls itself: the anchor would be part of the call.
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
