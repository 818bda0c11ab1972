import { applyEdits, LineIndex } from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";

/** A change of a text by its words; `old` stands in it exactly once. */
interface Replacement {
  readonly old: string;
  readonly new: string;
}

/** A run of whole lines, and what stands in it after its edits. */
interface Passage {
  first: number;
  last: number;
  readonly edits: TextEdit[];
}

/** More lines than this around a place are not taken to tell it from others. */
const maxContext = 24;

/**
 * Turns edits by place into replacements by words, as the tool `edit` takes them: whole lines with their
 * line ends, and as many lines around them as make them unique. Undefined where no such lines do.
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

/** Passages that touch become one: a replacement must not need what another has changed. */
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

/** A text's lines, and how often each of them and each pair of neighbours stands in it. */
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

  /** The line, from 0, that holds the offset. */
  at(offset: number): number {
    return this.#lines.lineAt(offset);
  }

  /** With the line end before them, so that no longer line holds them too. */
  range(first: number, last: number): [start: number, end: number] {
    const start = Math.max(0, this.#lines.startOf(first) - 1);
    return [start, this.#lines.startOf(last + 1)];
  }

  /** Whether these lines stand in the text once: because one of them does, or two neighbours. */
  isUnique(first: number, last: number): boolean {
    const isInner = (line: number) => line > 0 && line < this.count - 1;
    for (let line = first; line <= last; line++) {
      if (!isInner(line)) continue;
      if (this.#counts.get(this.#single(line)) === 1) return true;
      const hasNext = line < last && isInner(line + 1);
      if (hasNext && this.#counts.get(this.#pair(line)) === 1) return true;
    }
    // The first line has no line end before it and the last none after it: other lines may hold them.
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
