import type { Line } from "./line.ts";
import type { Captures, RegexEngine, Scanner } from "./oniguruma.ts";

/** A pattern that is tried at one place of a line, and not at those after it. Holds memory of Oniguruma until disposed of. */
export interface AnchoredPattern {
  /** The captures of the match that begins there; undefined if there is none. */
  find(line: Line, at: number): Captures | undefined;
  dispose(): void;
}

/**
 * The pattern matched by Oniguruma, which without the anchor searches to the end of the line: 30 µs for
 * some. Undefined if it may end with a comment, or calls itself: the anchor would be part of the call.
 */
export function anchoredPattern(engine: RegexEngine, source: string): AnchoredPattern | undefined {
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
