import { applyEdits, LineIndex, type TextEdit } from "@octavo/site/text";

/** A replacement of text. `old` occurs exactly once in the file. */
interface Replacement {
  readonly old: string;
  readonly new: string;
}

/** A range of whole lines, and its text after the edits. */
interface Passage {
  first: number;
  last: number;
  readonly edits: TextEdit[];
}

/** The maximum number of lines that are added around a position to make it unique. */
const maxContext = 24;

/**
 * Converts edits by position into replacements of text, as the tool `edit` expects them. Each consists of whole lines
 * with their line breaks, and of as many surrounding lines as are needed to make it unique. Undefined if the lines
 * cannot be made unique.
 */
export function toReplacements(
  text: string,
  edits: readonly TextEdit[],
): readonly Replacement[] | undefined {
  const lines = new Lines(text);
  const passages: Passage[] = [];
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    const first = lines.at(edit.start);
    const last = lines.at(Math.max(edit.start, edit.end - 1));
    const passage = widen({ first, last, edits: [edit] }, lines);
    if (passage === undefined) return undefined;
    join(passages, passage);
  }
  return passages.map(({ first, last, edits: inside }) => {
    const [start, end] = lines.range(first, last);
    return { old: text.slice(start, end), new: applyEdits(text, inside, { start, end }) };
  });
}

/** Joins adjacent passages, because a replacement must not depend on text that another replacement has changed. */
function join(passages: Passage[], passage: Passage): void {
  const before = passages.at(-1);
  if (before === undefined || passage.first > before.last + 1) {
    passages.push(passage);
    return;
  }
  before.last = Math.max(before.last, passage.last);
  before.edits.push(...passage.edits);
}

function widen(passage: Passage, lines: Lines): Passage | undefined {
  for (let step = 0; step <= maxContext; step++) {
    if (lines.isUnique(passage.first, passage.last)) return passage;
    const isUpwards = step % 2 === 0 ? passage.first > 0 : passage.last >= lines.count - 1;
    if (isUpwards) passage.first = Math.max(0, passage.first - 1);
    else passage.last = Math.min(lines.count - 1, passage.last + 1);
  }
  return undefined;
}

/** A text's lines, with the number of occurrences of each line and of each pair of adjacent lines. */
class Lines {
  readonly #text: string;
  readonly #lines: LineIndex;
  readonly #ids: readonly number[];
  readonly #counts = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
    this.#lines = new LineIndex(text);
    const known = new Map<string, number>();
    this.#ids = Array.from({ length: this.count }, (_, line) => {
      const content = text.slice(this.#lines.startOf(line), this.#lines.startOf(line + 1));
      const id = known.get(content) ?? known.size;
      known.set(content, id);
      return id;
    });
    for (let line = 0; line < this.count; line++) {
      for (const key of [this.#single(line), this.#pair(line)]) {
        this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
      }
    }
  }

  get count(): number {
    return this.#lines.count;
  }

  /** Returns the index of the line that contains the offset, starting at 0. */
  at(offset: number): number {
    return this.#lines.lineAt(offset);
  }

  /**
   * Returns the range of lines. It includes the preceding line break, so that the end of a longer line does not match.
   */
  range(first: number, last: number): [start: number, end: number] {
    const start = Math.max(0, this.#lines.startOf(first) - 1);
    return [start, this.#lines.startOf(last + 1)];
  }

  /**
   * Reports whether these lines occur only once in the text, because one of the lines or an adjacent pair occurs only
   * once.
   */
  isUnique(first: number, last: number): boolean {
    const isInner = (line: number) => line > 0 && line < this.count - 1;
    for (let line = first; line <= last; line++) {
      if (!isInner(line)) continue;
      if (this.#counts.get(this.#single(line)) === 1) return true;
      const hasNext = line < last && isInner(line + 1);
      if (hasNext && this.#counts.get(this.#pair(line)) === 1) return true;
    }
    // The first line has no line break before it and the last line has none after it, so other lines may contain them.
    if (isInner(first) && isInner(last)) return false;
    const old = this.#text.slice(...this.range(first, last));
    return this.#text.indexOf(old) === this.#text.lastIndexOf(old);
  }

  #single(line: number): string {
    return String(this.#ids[line]);
  }

  #pair(line: number): string {
    return `${this.#ids[line]} ${this.#ids[line + 1]}`;
  }
}
