import { beyondAscii } from "./character-set.ts";
import { Line, Pattern, type CountedEngine, type HotThresholds } from "./pattern.ts";
import { createOniguruma, type PatternMatch, type RegexEngine } from "./oniguruma.ts";
import { canBeAt, canSurround } from "./position.ts";

/**
 * An engine with Oniguruma's matches at a lower cost. The rules of a grammar name the same patterns over and over
 * (1,600 in 13,900 places for the 20 languages of a usual site), and few of them can match at a given place. So each
 * pattern is compiled once, when it is first needed; at each place only the patterns are tried that can begin with its
 * two characters, after the one before them; what was found is cached for the rules that ask next; and hot patterns
 * are matched by V8's own expressions, if these match the same.
 */
export async function createRegexEngine(): Promise<RegexEngine> {
  return sharePatterns(await createOniguruma());
}

/**
 * Translating the hot patterns takes 0.3 s, as long as that many searches. Sites of some hundred pages stay
 * below; those of thousands save half of the cost of coloring.
 */
const defaultThresholds: HotThresholds = { allPatterns: 150_000, onePattern: 50 };

/** Wraps `engine` in an engine with the same results. */
export function sharePatterns(engine: RegexEngine, thresholds = defaultThresholds): RegexEngine {
  const oniguruma: CountedEngine = { engine, thresholds, searches: 0 };
  const patterns = new Map<string, Pattern>();

  function acquire(source: string): Pattern {
    let pattern = patterns.get(source);
    if (!pattern) patterns.set(source, (pattern = new Pattern(oniguruma, source)));
    pattern.users += 1;
    return pattern;
  }
  /** Releases a pattern. Patterns built from a page's text, such as the end of a here-document, are short-lived. */
  function release(pattern: Pattern): void {
    pattern.users -= 1;
    if (pattern.users > 0) return;
    patterns.delete(pattern.source);
    pattern.dispose();
  }
  return {
    createString: (text) => new Line(engine, text),
    createScanner(sources) {
      const used = sources.map((source) =>
        acquire(typeof source === "string" ? source : source.source),
      );
      const search = new LineSearch(used);
      return {
        findNextMatchSync(string, from, options) {
          if (string instanceof Line) return search.next(string, from, options);
          const line = new Line(engine, typeof string === "string" ? string : string.content);
          const match = search.next(line, from, options);
          line.dispose();
          return match;
        },
        dispose: () => used.splice(0).forEach(release),
      };
    },
  };
}

/** Searches lines for several patterns. */
class LineSearch {
  readonly #patterns: readonly Pattern[];
  /** By a character's code, the indexes of the patterns that can begin with it; computed when it is first met. */
  readonly #beginning: (readonly number[] | undefined)[] = [];

  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns;
  }

  /** The first match at or after `from`; of several at the same place, that of the first pattern. */
  next(line: Line, from: number, options: number): PatternMatch | null {
    const { content, isAscii } = line;
    let previous = from > 0 ? codeAt(content, from - 1) : beyondAscii;
    let code = codeAt(content, from);
    for (let at = from; at <= content.length; at += 1) {
      const next = codeAt(content, at + 1);
      for (const number of this.#beginningWith(code)) {
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

  #beginningWith(code: number): readonly number[] {
    return (this.#beginning[code] ??= this.#patterns.flatMap(({ start }, number) =>
      canBeAt(start, code) ? [number] : [],
    ));
  }
}

/** Returns a character's code. All characters beyond ASCII, and the end of the text, share one code. */
function codeAt(text: string, at: number): number {
  return at < text.length ? Math.min(text.charCodeAt(at), beyondAscii) : beyondAscii;
}
