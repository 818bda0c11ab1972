import { trustHtml, type Html } from "../../markup/index.ts";
import type { default as Katex } from "katex";

/** Typesets TeX. Create one per process. */
export interface Formulas {
  /** Loads the library. Must be called before `typeset`. */
  load(): Promise<void>;
  /** Typesets a formula as HTML and MathML with the classes of `_octavo/formulas.css`. Never throws. */
  typeset(source: string, options: { readonly isDisplay: boolean }): Html | FormulaFailure;
}

interface FormulaFailure {
  /** A sentence for the author. */
  readonly reason: string;
}

/** The maximum length of a formula. */
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
        const formulaHtml = katex.renderToString(source, {
          displayMode: isDisplay,
          output: "htmlAndMathml",
          strict: "ignore",
          trust: false,
          // These options limit the effects of hostile macros and sizes.
          maxExpand: 500,
          maxSize: 40,
        });
        // The library escapes the source and, because of `trust: false`, does not add links or authored markup.
        return trustHtml(formulaHtml);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { reason: `${message.replace(/^KaTeX parse error: /, "").slice(0, 200)}.` };
      }
    },
  };
}
