import { anchoredPattern, type AnchoredPattern } from "./anchored-pattern.ts";
import { beginningOf } from "./beginnings.ts";
import type { Line } from "./line.ts";
import { nativePattern, type NativePattern } from "./native-pattern.ts";
import type { Captures, RegexEngine, Scanner } from "./oniguruma.ts";
import { readPattern } from "./pattern-reader.ts";
import { anyPlace, type PatternPlace } from "./place.ts";
import { placeOf, starts } from "./starts.ts";

/**
 * V8 compiles an expression when it is first used: it throws at 40,000 letters, and ends the process at 10,000 nested
 * groups. A pattern that is made of a page's text can be as long as that is.
 */
const maxSourceLength = 20_000;

/** Oniguruma, how often it was asked, and when it is asked often enough. */
export interface CountedEngine {
  readonly engine: RegexEngine;
  readonly patience: Patience;
  searches: number;
}

/** Searches, of all patterns and of one, after which a pattern is busy. */
export interface Patience {
  readonly ofAll: number;
  readonly ofOne: number;
}

/** A pattern, and what is known of where it matches the line that was last searched for it. */
export class Pattern {
  readonly source: string;
  /** What stands where it matches. */
  readonly start: PatternPlace;
  /** Scanners that hold it. */
  users = 0;
  readonly #oniguruma: CountedEngine;
  /**
   * Whether its matches depend on where a search begins: `\G` is that place, `\K` begins the match later, and
   * what begins with any text is tried by Oniguruma at the beginning and nowhere else.
   */
  readonly #dependsOnBegin: boolean;
  #scanner: Scanner | undefined;
  #searches = 0;
  #isBusy = false;
  #native: NativePattern | undefined;
  #anchored: AnchoredPattern | undefined;

  #line: Line | undefined;
  #options = 0;
  /** No match begins from `#from` to `#until`, which is behind it; one does there if it has captures. */
  #from = 0;
  #until = 0;
  #captures: Captures | undefined;

  constructor(oniguruma: CountedEngine, source: string) {
    this.source = source;
    this.#oniguruma = oniguruma;
    const read = readPattern(source, starts);
    this.start = read ? placeOf(read) : anyPlace;
    this.#dependsOnBegin = read?.beginsWithDots === true || /\\[GK]/.test(source);
  }

  /** What the match takes that begins at this place of the line, which is searched from `from` on. */
  find(line: Line, at: number, from: number, options: number): Captures | undefined {
    if (this.#native && line.isPlain && options === 0) {
      const { expression, captures } = this.#native;
      expression.lastIndex = at;
      if (!expression.test(line.content)) return undefined;
      if (captures) return captures(line.content, at);
    }
    return this.#ask(line, at, from, options);
  }

  /** Asks Oniguruma, unless it said before. */
  #ask(line: Line, at: number, from: number, options: number): Captures | undefined {
    const isKnown = this.#line === line && this.#options === options && at >= this.#from;
    if (isKnown && (!this.#dependsOnBegin || from === this.#from)) {
      if (at < this.#until) return undefined;
      if (at === this.#until && this.#captures) return this.#captures;
    }
    this.#line = line;
    this.#options = options;
    this.#countSearch();
    if (this.#anchored && options === 0) this.#try(this.#anchored, line, at);
    else this.#search(line, this.#dependsOnBegin ? from : at, options);
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

  /** What is searched for again and again is worth other ways to do so. */
  #countSearch(): void {
    if (this.#isBusy || this.#dependsOnBegin) return;
    this.#searches += 1;
    this.#oniguruma.searches += 1;
    const { engine, patience, searches } = this.#oniguruma;
    if (this.#searches <= patience.ofOne || searches <= patience.ofAll) return;
    this.#isBusy = true;
    if (this.source.length <= maxSourceLength) {
      this.#native = nativePattern(this.source) ?? beginningOf(this.source);
    }
    this.#anchored = anchoredPattern(engine, this.source);
  }

  dispose(): void {
    this.#scanner?.dispose?.();
    this.#anchored?.dispose();
    this.#scanner = undefined;
    this.#anchored = undefined;
    this.#line = undefined;
  }
}
