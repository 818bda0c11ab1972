import { beyondAscii } from "./character-set.ts";
import { Line } from "./line.ts";
import { createOniguruma, type PatternMatch, type RegexEngine } from "./oniguruma.ts";
import { canStand, canStandBetween } from "./place.ts";
import { Pattern, type CountedEngine, type Patience } from "./pattern.ts";

/**
 * Oniguruma, with its matches, for less. The rules of a grammar name the same patterns over and over (1,600 in
 * 13,900 places for the 20 languages of a usual site), and few of them can match at a given place. So each
 * pattern is compiled once, when it is first needed; a place is tried with the patterns that its two characters
 * can begin, behind the one in front of them; what was found is kept for the rules that ask next; and what is
 * searched for again and again is matched by V8's own expressions, where they match the same.
 */
export async function createRegexEngine(): Promise<RegexEngine> {
  return sharePatterns(await createOniguruma());
}

/**
 * To translate the busy patterns takes 0.3 s, as long as that many searches. The sites of some hundred pages stay
 * below; those of thousands save half of what colouring costs.
 */
const usualPatience: Patience = { ofAll: 150_000, ofOne: 50 };

/** An engine that finds what `engine` finds. */
export function sharePatterns(engine: RegexEngine, patience = usualPatience): RegexEngine {
  const oniguruma: CountedEngine = { engine, patience, searches: 0 };
  const patterns = new Map<string, Pattern>();

  function use(source: string): Pattern {
    let pattern = patterns.get(source);
    if (!pattern) patterns.set(source, (pattern = new Pattern(oniguruma, source)));
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
          if (string instanceof Line) return search.next(string, from, options);
          const line = new Line(engine, typeof string === "string" ? string : string.content);
          const match = search.next(line, from, options);
          line.dispose();
          return match;
        },
        dispose: () => used.splice(0).forEach(leave),
      };
    },
  };
}

/** Looks for several patterns in lines. */
class LineSearch {
  readonly #patterns: readonly Pattern[];
  /** By a character's code, the numbers of the patterns that can begin with it; made when it is first met. */
  readonly #beginning: (readonly number[] | undefined)[] = [];

  constructor(patterns: readonly Pattern[]) {
    this.#patterns = patterns;
  }

  /** The first match at `from` or behind it; of those at the same place that of the pattern named first. */
  next(line: Line, from: number, options: number): PatternMatch | null {
    const { content, isAscii } = line;
    let inFront = from > 0 ? codeAt(content, from - 1) : beyondAscii;
    let code = codeAt(content, from);
    for (let at = from; at <= content.length; at += 1) {
      const behind = codeAt(content, at + 1);
      for (const number of this.#beginningWith(code)) {
        const pattern = this.#patterns[number];
        if (!pattern || (isAscii && !canStandBetween(pattern.start, inFront, behind))) continue;
        const captureIndices = pattern.find(line, at, from, options);
        if (captureIndices) return { index: number, captureIndices };
      }
      inFront = code;
      code = behind;
    }
    return null;
  }

  #beginningWith(code: number): readonly number[] {
    return (this.#beginning[code] ??= this.#patterns.flatMap(({ start }, number) =>
      canStand(start, code) ? [number] : [],
    ));
  }
}

/** All that are not ASCII count as one, and the end of the text as such a one. */
function codeAt(text: string, at: number): number {
  return at < text.length ? Math.min(text.charCodeAt(at), beyondAscii) : beyondAscii;
}
