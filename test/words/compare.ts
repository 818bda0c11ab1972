import { wordsOf } from "./pieces.ts";
import { readShownWords, type ShownWords } from "./shown-words.ts";
import { readSource, type SourceInput, type SourceReading } from "./read-source.ts";
import type { Rule } from "./rules.ts";

export interface LostWord {
  readonly word: string;
  /** Where it is from: `text`, `code`, `Card title`. */
  readonly what: string;
  /** In the file of the page, or in what it imports. */
  readonly line: number;
}

export interface PageComparison {
  readonly path: string;
  /** Words that the source says and the page must show. */
  readonly words: number;
  readonly lost: readonly LostWord[];
  /** Words of the source that are not text, by rule. */
  readonly explained: ReadonlyMap<Rule, number>;
  /** Words of the file that the reader of the source did not see: the comparison knows nothing of them. */
  readonly unread: readonly string[];
  readonly isRough: boolean;
}

/** Compares a page of a bundle with its source, word by word: each must be there as often. */
export function comparePage(source: SourceInput, html: string): PageComparison {
  const reading = readSource(source);
  const explained = [...reading.explained].map(([rule, words]) => [rule, words.length] as const);
  return {
    path: source.path,
    words: reading.shown.length,
    lost: findLost(reading, readShownWords(html)),
    explained: new Map(explained),
    unread: findUnread(source.text, reading),
    isRough: reading.isRough,
  };
}

function findLost({ shown }: SourceReading, page: ShownWords): readonly LostWord[] {
  const used = new Map<string, number>();
  const take = (word: string, isSpoken: boolean): boolean => {
    const count = (used.get(word) ?? 0) + 1;
    const available = page.inText(word) + (isSpoken ? page.inAttributes(word) : 0);
    if (count > available) return false;
    used.set(word, count);
    return true;
  };
  const isText = ({ what }: LostWord) => what === "text" || what === "code";
  // Text comes first: it may not be in attributes alone.
  const ordered = [...shown.filter(isText), ...shown.filter((word) => !isText(word))];
  return ordered.filter((word) => {
    if (take(word.word, !isText(word))) return false;
    return word.parts.length < 2 || !word.parts.every((part) => take(part, !isText(word)));
  });
}

/** References to characters, numbers of lists and boxes of tasks are no words. */
const signs = /&(?:#?\w+);|\\[ux][\dA-Fa-f{}]+|^[ \t>*+-]*(?:\d+[.)](?=\s)|\[x\])/gm;

function findUnread(text: string, { shown, explained }: SourceReading): readonly string[] {
  const read = new Map<string, number>();
  const add = (word: string) => read.set(word, (read.get(word) ?? 0) + 1);
  for (const { word, parts } of shown) {
    add(word);
    if (parts.length > 1) parts.flatMap(wordsOf).forEach(add);
  }
  for (const words of explained.values()) words.forEach(add);
  return wordsOf(text.replaceAll(signs, " ")).filter((word) => {
    const count = read.get(word) ?? 0;
    read.set(word, count - 1);
    return count <= 0;
  });
}
