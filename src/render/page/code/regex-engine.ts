import { readFile } from "node:fs/promises";
import { createOnigurumaEngine } from "shiki/engine/oniguruma";
import { charactersOf, findCharacter, haveCommon, type CharacterSet } from "./character-set.ts";
import { firstCharacters } from "./first-characters.ts";

/** What grammars are matched with. */
export type RegexEngine = Awaited<ReturnType<typeof createOnigurumaEngine>>;
type Scanner = ReturnType<RegexEngine["createScanner"]>;
type EngineString = ReturnType<RegexEngine["createString"]>;
type Match = NonNullable<ReturnType<Scanner["findNextMatchSync"]>>;

/** What is used of it; Node's types leave it to those of browsers. */
declare const WebAssembly: {
  instantiate(binary: Uint8Array, imports: unknown): Promise<{ instance: { exports: object } }>;
};

/**
 * Oniguruma, with its matches, for less. The rules of a grammar name the same patterns over and over (1,600 in
 * 13,900 places for the 20 languages of a usual site), and most of them begin with a character that a line does
 * not have. So each pattern is compiled once, when a line is first searched for it; the line is searched for it
 * once, not again by each rule at each place; and not at all where nothing in it can begin a match.
 */
export async function createRegexEngine(): Promise<RegexEngine> {
  const binary = await readFile(new URL(import.meta.resolve("shiki/onig.wasm")));
  // Given as bytes, or as the module beside the file, it makes Node load its client for HTTP, for 0.1 s.
  const instantiator = async (imports: unknown) =>
    (await WebAssembly.instantiate(binary, imports)).instance.exports;
  return sharePatterns(await createOnigurumaEngine({ instantiator }));
}

/** An engine that finds what `engine` finds. */
export function sharePatterns(engine: RegexEngine): RegexEngine {
  const patterns = new Map<string, Pattern>();

  function use(source: string): Pattern {
    let pattern = patterns.get(source);
    if (!pattern) patterns.set(source, (pattern = new Pattern(engine, source)));
    pattern.users += 1;
    return pattern;
  }
  /** Patterns that are made of a page's text, as the end of a here-document is, come and go. */
  function leave(pattern: Pattern): void {
    pattern.users -= 1;
    if (pattern.users > 0) return;
    patterns.delete(pattern.source);
    pattern.dispose();
  }
  return {
    createString: (text) => new Line(engine, text),
    createScanner(sources) {
      const used = sources.map((source) =>
        use(typeof source === "string" ? source : source.source),
      );
      const search = new LineSearch(used);
      return {
        findNextMatchSync(string, from, options) {
          const text = typeof string === "string" ? string : string.content;
          const line = string instanceof Line ? string : new Line(engine, text);
          return search.next(line, from, options);
        },
        dispose: () => used.splice(0).forEach(leave),
      };
    },
  };
}

/** A line of code as the engine takes it, made when it is first searched. */
class Line implements EngineString {
  readonly content: string;
  readonly #engine: RegexEngine;
  #text: EngineString | undefined;
  #characters: CharacterSet | undefined;

  constructor(engine: RegexEngine, content: string) {
    this.#engine = engine;
    this.content = content;
  }

  get characters(): CharacterSet {
    return (this.#characters ??= charactersOf(this.content));
  }

  get text(): EngineString {
    return (this.#text ??= this.#engine.createString(this.content));
  }

  dispose(): void {
    this.#text?.dispose?.();
    this.#text = undefined;
  }
}

/** Looks for several patterns in one line after the other, further and further behind its start. */
class LineSearch {
  readonly #patterns: readonly Pattern[];
  /** Numbers of the patterns that may still be found in the line; the first `#count` of them. */
  readonly #left: Uint16Array;
  #count = 0;
  #line: Line | undefined;
  #from = 0;
  #options = 0;

  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns;
    this.#left = new Uint16Array(patterns.length);
  }

  /** The first match at `from` or behind it; of those at the same place that of the pattern named first. */
  next(line: Line, from: number, options: number): Match | null {
    if (line !== this.#line || from < this.#from || options !== this.#options) this.#begin();
    this.#line = line;
    this.#from = from;
    this.#options = options;
    const left = this.#left;
    let kept = 0;
    let at = 0;
    let index = -1;
    let best: Match | null = null;
    let start = Infinity;
    for (; at < this.#count && start > from; at += 1) {
      const number = left[at] ?? 0;
      const pattern = this.#patterns[number];
      const match = pattern?.find(line, from, start, options);
      if (match === null) continue;
      left[kept++] = number;
      if (match === undefined) continue;
      const found = startOf(match);
      if (found < start) [index, best, start] = [number, match, found];
    }
    if (kept < at) left.copyWithin(kept, at, this.#count);
    this.#count -= at - kept;
    return best && { index, captureIndices: best.captureIndices };
  }

  #begin(): void {
    this.#count = this.#patterns.length;
    for (let number = 0; number < this.#count; number += 1) this.#left[number] = number;
  }
}

function startOf(match: Match): number {
  return match.captureIndices[0]?.start ?? Infinity;
}

/** Where in a line, from `from` on, something can begin that begins with one of the characters. */
function startIn(line: Line, first: CharacterSet, from: number): number {
  return haveCommon(first, line.characters) ? findCharacter(first, line.content, from) : Infinity;
}

/** A pattern, and what it was last found to match. */
class Pattern {
  readonly source: string;
  /** Scanners that hold it. */
  users = 0;
  readonly #engine: RegexEngine;
  readonly #first: CharacterSet | undefined;
  /** Whether its matches depend on where the search begins. */
  readonly #isAnchored: boolean;
  #scanner: Scanner | undefined;
  #line: Line | undefined;
  #from = 0;
  #options = 0;
  #match: Match | null = null;

  constructor(engine: RegexEngine, source: string) {
    this.source = source;
    this.#engine = engine;
    this.#first = firstCharacters(source);
    this.#isAnchored = source.includes("\\G");
  }

  /**
   * The first match of the line at `from` or behind it. Null where there is none in the rest of the line;
   * undefined where there is none at `from`, or none that begins ahead of `before`, and one may come later.
   */
  find(line: Line, from: number, before: number, options: number): Match | null | undefined {
    if (!this.#isKnown(line, from, options)) {
      const start = this.#first ? startIn(line, this.#first, from) : from;
      if (start === Infinity) return null;
      if (start >= before) return undefined;
      this.#scanner ??= this.#engine.createScanner([this.source]);
      this.#match = this.#scanner.findNextMatchSync(line.text, from, options);
      this.#line = line;
      this.#from = from;
      this.#options = options;
    }
    return this.#match ?? (this.#isAnchored ? undefined : null);
  }

  /** A match that was found from further ahead is the first still, unless the search begins behind its start. */
  #isKnown(line: Line, from: number, options: number): boolean {
    if (this.#line !== line || this.#options !== options || this.#isAnchored) return false;
    return from >= this.#from && (this.#match === null || startOf(this.#match) >= from);
  }

  dispose(): void {
    this.#scanner?.dispose?.();
    this.#scanner = undefined;
    this.#line = undefined;
  }
}
