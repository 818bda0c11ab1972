import type { Line } from "./line.ts";
import { nativePattern } from "./native-pattern.ts";
import type { Captures, RegexEngine, Scanner } from "./oniguruma.ts";
import { anyPlace, type Place } from "./place.ts";
import { anchoredPattern } from "./pattern-in-place.ts";
import type { AnchoredPattern, PatternInPlace } from "./pattern-in-place.ts";
import { readPattern } from "./pattern-reader.ts";
import { placeOf, starts } from "./starts.ts";

/** Oniguruma, how often it was asked, and when it is asked often enough. */
export interface CountedEngine {
  readonly engine: RegexEngine;
  readonly patience: Patience;
  searches: number;
}

/** Searches, of all patterns and of one, after which a pattern is tried in place. */
export interface Patience {
  readonly ofAll: number;
  readonly ofOne: number;
}

/** A pattern, and what is known of where it matches the line that was last searched for it. */
export class Pattern {
  readonly source: string;
  /** What stands where it matches. */
  readonly start: Place;
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
  #ways: WaysInPlace | undefined;

  #line: Line | undefined;
  #options = 0;
  /** No match begins from `#from` to `#until`, which is behind it; one does there if `#isFound`. */
  #from = 0;
  #until = 0;
  #isFound = false;
  #captures: Captures | undefined;
  /** What found it, and has the captures if they are not here. */
  #finder: PatternInPlace | undefined;

  constructor(oniguruma: CountedEngine, source: string) {
    this.source = source;
    this.#oniguruma = oniguruma;
    const read = readPattern(source, starts);
    this.start = read ? placeOf(read) : anyPlace;
    this.#dependsOnBegin = read?.beginsWithDots === true || /\\[GK]/.test(source);
  }

  /** Whether a match begins at this place of the line, which is searched from `from` on. */
  matches(line: Line, at: number, from: number, options: number): boolean {
    const isKnown = this.#line === line && this.#options === options && at >= this.#from;
    if (isKnown && (!this.#dependsOnBegin || from === this.#from)) {
      if (at < this.#until) return false;
      if (at === this.#until && this.#isFound) return true;
    }
    this.#line = line;
    this.#options = options;
    const way = options === 0 ? this.#wayInPlace(line) : undefined;
    if (way) this.#try(way, line, at);
    else this.#search(line, this.#dependsOnBegin ? from : at, options);
    return this.#isFound && this.#until === at;
  }

  /** What a match takes of the line: that which `matches` just found. */
  captures(line: Line): Captures {
    return (this.#captures ??= this.#finder?.captures(line, this.#until) ?? []);
  }

  #try(way: PatternInPlace, line: Line, at: number): void {
    this.#isFound = way.matches(line, at);
    this.#from = at;
    this.#until = this.#isFound ? at : at + 1;
    this.#captures = undefined;
    this.#finder = way;
  }

  #search(line: Line, from: number, options: number): void {
    this.#scanner ??= this.#oniguruma.engine.createScanner([this.source]);
    const match = this.#scanner.findNextMatchSync(line.text, from, options);
    this.#captures = match?.captureIndices;
    this.#from = from;
    this.#until = match?.captureIndices[0]?.start ?? Infinity;
    this.#isFound = match !== null;
  }

  /** How to try the pattern in place; only where it is searched for again and again. */
  #wayInPlace(line: Line): PatternInPlace | undefined {
    if (this.#dependsOnBegin || !this.#isBusy()) return undefined;
    this.#ways ??= waysInPlace(this.#oniguruma.engine, this.source);
    const { native, anchored } = this.#ways;
    return line.isPlain && native ? native : anchored;
  }

  #isBusy(): boolean {
    if (this.#ways) return true;
    this.#searches += 1;
    this.#oniguruma.searches += 1;
    const { patience, searches } = this.#oniguruma;
    return this.#searches > patience.ofOne && searches > patience.ofAll;
  }

  dispose(): void {
    this.#scanner?.dispose?.();
    this.#ways?.anchored?.dispose();
    this.#scanner = undefined;
    this.#ways = undefined;
    this.#line = undefined;
  }
}

interface WaysInPlace {
  /** For plain lines. */
  readonly native: PatternInPlace | undefined;
  readonly anchored: AnchoredPattern | undefined;
}

function waysInPlace(engine: RegexEngine, source: string): WaysInPlace {
  return { native: nativePattern(source), anchored: anchoredPattern(engine, source) };
}
