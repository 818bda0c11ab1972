import { trustedHtml, type Html } from "../../markup/index.ts";
import type { default as Katex } from "katex";

/** Typesets TeX. One per process. */
export interface Formulas {
  /** Loads what `typeset` needs; pages without formulas pay nothing. */
  load(): Promise<void>;
  /** HTML and MathML of a formula, with the classes of `_octavo/formulas.css`. Never throws. */
  typeset(source: string, options: { readonly isDisplay: boolean }): Html | FormulaFailure;
}

export interface FormulaFailure {
  /** A sentence. */
  readonly reason: string;
}

/** Longer ones are not formulas. */
const maxLength = 10_000;

export function createFormulas(): Formulas {
  let katex: typeof Katex | undefined;
  return {
    async load() {
      katex ??= (await import("katex")).default;
    },
    typeset(source, { isDisplay }) {
      if (source.length > maxLength)
        return { reason: `It is longer than ${maxLength} characters.` };
      if (katex === undefined) return { reason: "" };
      try {
        const typeset = katex.renderToString(source, {
          displayMode: isDisplay,
          output: "htmlAndMathml",
          strict: "ignore",
          trust: false,
          // What hostile macros and sizes can cost.
          maxExpand: 500,
          maxSize: 40,
        });
        // The library escapes what it shows of the source, and makes no markup that it is asked for (`trust`).
        return trustedHtml(typeset);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { reason: `${message.replace(/^KaTeX parse error: /, "").slice(0, 200)}.` };
      }
    },
  };
}
