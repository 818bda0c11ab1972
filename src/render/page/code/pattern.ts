import type { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { nativePattern, type Captures, type NativePattern } from "./native-pattern.ts";
import { anyPlace, placeOf, starts, type Place } from "./part.ts";
import { readPattern } from "./pattern-reader.ts";

/** What grammars are matched with. */
export type RegexEngine = Awaited<ReturnType<typeof createOnigurumaEngine>>;
type Scanner = ReturnType<RegexEngine["createScanner"]>;
type EngineString = ReturnType<RegexEngine["createString"]>;

/** Oniguruma, how often it was asked, and when it is asked often enough. */
export interface CountedEngine {
  readonly engine: RegexEngine;
  readonly patience: Patience;
  searches: number;
}

/** Searches, of all patterns and of one, after which a pattern is matched by an expression of V8. */
export interface Patience {
  readonly ofAll: number;
  readonly ofOne: number;
}

/** V8 tries what it must without an end, and ways to match can grow with a power of the line's length. */
const longestNative = 300;

/** A line of code as the engine takes it, made when it is first searched. */
export class Line implements EngineString {
  readonly content: string;
  readonly isAscii: boolean;
  /** Whether it may be matched by V8's expressions. */
  readonly isPlain: boolean;
  readonly #engine: RegexEngine;
  #text: EngineString | undefined;

  constructor(engine: RegexEngine, content: string) {
    this.content = content;
    this.isAscii = /^[\0-\x7f]*$/.test(content);
    this.isPlain = this.isAscii && content.length <= longestNative;
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

/** A pattern, and what is known of where it matches the line that was last searched for it. */
export class Pattern {
  readonly source: string;
  /** What stands where it matches. */
  readonly start: Place;
  /** Scanners that hold it. */
  users = 0;
  readonly #oniguruma: CountedEngine;
  /** Whether its matches depend on where the search begins. */
  readonly #isAnchored: boolean;
  #scanner: Scanner | undefined;
  #searches = 0;
  #native: NativePattern | undefined;
  #isTranslated = false;

  #line: Line | undefined;
  #options = 0;
  /** No match begins from `#from` to `#until`, which is behind it; one does there if `#isFound`. */
  #from = 0;
  #until = 0;
  #isFound = false;
  #captures: Captures | undefined;

  constructor(oniguruma: CountedEngine, source: string) {
    this.source = source;
    this.#oniguruma = oniguruma;
    const read = readPattern(source, starts);
    this.start = read ? placeOf(read) : anyPlace;
    this.#isAnchored = source.includes("\\G");
  }

  /** Whether a match begins at this place of the line, which is searched from `from` on. */
  matches(line: Line, at: number, from: number, options: number): boolean {
    const isKnown = this.#line === line && this.#options === options && at >= this.#from;
    if (isKnown && (!this.#isAnchored || from === this.#from)) {
      if (at < this.#until) return false;
      if (at === this.#until && this.#isFound) return true;
    }
    this.#line = line;
    this.#options = options;
    const native = line.isPlain && options === 0 ? this.#useNative() : undefined;
    if (native) this.#look(native, line, at);
    else this.#search(line, this.#isAnchored ? from : at, options);
    return this.#isFound && this.#until === at;
  }

  /** What a match takes of the line: that which `matches` just found. */
  captures({ content }: Line): Captures {
    return (this.#captures ??= this.#native?.captures(content, this.#until) ?? []);
  }

  #look(native: NativePattern, { content }: Line, at: number): void {
    this.#isFound = native.matches(content, at);
    this.#from = at;
    this.#until = this.#isFound ? at : at + 1;
    this.#captures = undefined;
  }

  #search(line: Line, from: number, options: number): void {
    this.#scanner ??= this.#oniguruma.engine.createScanner([this.source]);
    const match = this.#scanner.findNextMatchSync(line.text, from, options);
    this.#captures = match?.captureIndices;
    this.#from = from;
    this.#until = match?.captureIndices[0]?.start ?? Infinity;
    this.#isFound = match !== null;
  }

  /** The expression of V8, where the pattern is searched for again and again and has one. */
  #useNative(): NativePattern | undefined {
    if (this.#isTranslated) return this.#native;
    this.#oniguruma.searches += 1;
    this.#searches += 1;
    const { patience, searches } = this.#oniguruma;
    if (this.#searches <= patience.ofOne || searches <= patience.ofAll) return undefined;
    this.#isTranslated = true;
    return (this.#native = nativePattern(this.source));
  }

  dispose(): void {
    this.#scanner?.dispose?.();
    this.#scanner = undefined;
    this.#line = undefined;
  }
}
