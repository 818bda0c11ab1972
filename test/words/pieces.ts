import type { Rule } from "./rules.ts";

/** A word of a source. */
export interface SourceWord {
  readonly word: string;
  /** The word as its inline elements divide it: a page may put an element of its own between them. */
  readonly parts: readonly string[];
  /** Where it is from, e.g. `text`, `Card title`. */
  readonly what: string;
  readonly line: number;
}

/** The text of a source, as it is read. */
export interface Pieces {
  /** Text that must be shown; texts without a `breakWord` between them may be one word. */
  show(text: string, what: string, line: number): void;
  breakWord(): void;
  /** Text that need not be shown, and why. */
  explain(text: string, rule: Rule): void;
  /** Reads with everything that is shown explained by a rule. */
  within(rule: Rule, read: () => void): void;
}

export interface SourceWords {
  readonly shown: readonly SourceWord[];
  readonly explained: ReadonlyMap<Rule, readonly string[]>;
}

const word = /[\p{L}\p{M}\p{N}]+/gu;

export function wordsOf(text: string): readonly string[] {
  return text.normalize("NFC").match(word) ?? [];
}

interface Fragment {
  readonly text: string;
  readonly what: string;
  readonly line: number;
}

export function collectWords(read: (pieces: Pieces) => void): SourceWords {
  const runs: Fragment[][] = [[]];
  const explained = new Map<Rule, string[]>();
  let reason: Rule | undefined;
  const pieces: Pieces = {
    show(text, what, line) {
      if (reason === undefined) runs.at(-1)?.push({ text: text.normalize("NFC"), what, line });
      else pieces.explain(text, reason);
    },
    breakWord() {
      if (runs.at(-1)?.length !== 0) runs.push([]);
    },
    explain(text, rule) {
      const words = explained.get(rule) ?? [];
      words.push(...wordsOf(text));
      explained.set(rule, words);
    },
    within(rule, reading) {
      const outer = reason;
      reason ??= rule;
      reading();
      reason = outer;
    },
  };
  read(pieces);
  return { shown: runs.flatMap(wordsOfRun), explained };
}

function wordsOfRun(run: readonly Fragment[]): readonly SourceWord[] {
  const text = run.map((fragment) => fragment.text).join("");
  const words: SourceWord[] = [];
  for (const match of text.matchAll(word)) {
    const parts: string[] = [];
    let [at, first]: [number, Fragment | undefined] = [0, undefined];
    for (const fragment of run) {
      const from = Math.max(match.index - at, 0);
      const to = Math.min(match.index + match[0].length - at, fragment.text.length);
      if (from < to) {
        parts.push(fragment.text.slice(from, to));
        first ??= fragment;
      }
      at += fragment.text.length;
    }
    const { what = "text", line = 0 } = first ?? {};
    words.push({ word: match[0], parts, what, line });
  }
  return words;
}
