import { OctavoError } from "@octavo/site/core";
import { compilePattern, isWordCode } from "./compile-pattern.ts";
import type { Instruction } from "./compile-pattern.ts";

/** Steps that one search may take altogether; about two seconds. */
const maxSteps = 200_000_000;

/** Gives where the leftmost match in a line begins; -1 where there is none. */
export type LineSearch = (line: string) => number;

/**
 * A regular expression that can be slow but never hang: all its alternatives go through a line side by
 * side, so that a line costs its length times the pattern's, whatever both are. Throws `invalid_input`
 * for what it does not know (look-around, back references), and `too_large` when the texts searched
 * with it have cost too much.
 */
export function linearPattern(
  source: string,
  { ignoreCase }: { readonly ignoreCase: boolean },
): LineSearch {
  const run = new Run(compilePattern(source, { ignoreCase }));
  return (line) => run.search(ignoreCase ? foldCase(line) : line);
}

/** Lower case, letter by letter, so that every offset stays where it is. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, index) => {
    const letter = text[index] ?? "";
    const folded = letter.toLowerCase();
    return folded.length === 1 ? folded : letter;
  }).join("");
}

class Run {
  readonly #program: readonly Instruction[];
  /** At which position of which line an instruction was last added, so that it is added once. */
  readonly #marks: Int32Array;
  #mark = 0;
  #steps = 0;

  constructor(program: readonly Instruction[]) {
    this.#program = program;
    this.#marks = new Int32Array(program.length);
  }

  search(line: string): number {
    let threads: readonly Thread[] = [];
    let best = -1;
    for (let at = 0; at <= line.length; at++) {
      const ready = this.#ready(
        best === -1 ? [...threads, { instruction: 0, start: at }] : threads,
        {
          line,
          at,
        },
      );
      best = this.#leftmostMatch(ready, best);
      threads = this.#advance(ready, at < line.length ? line.charCodeAt(at) : undefined);
      if (best !== -1) threads = threads.filter(({ start }) => start < best);
      if (best !== -1 && threads.length === 0) return best;
    }
    return best;
  }

  /** Threads at instructions that take a character or match. Older ones come first and win. */
  #ready(threads: readonly Thread[], place: Place): Thread[] {
    const ready: Thread[] = [];
    this.#newMark();
    for (const thread of threads) this.#follow(thread, place, ready);
    return ready;
  }

  #leftmostMatch(ready: readonly Thread[], best: number): number {
    let found = best;
    for (const { instruction, start } of ready) {
      if (this.#program[instruction]?.type !== "match") continue;
      if (found === -1 || start < found) found = start;
    }
    return found;
  }

  #advance(ready: readonly Thread[], code: number | undefined): Thread[] {
    const next: Thread[] = [];
    if (code === undefined) return next;
    for (const { instruction, start } of ready) {
      const step = this.#program[instruction];
      if (step?.type === "take" && step.accepts(code))
        next.push({ instruction: instruction + 1, start });
    }
    return next;
  }

  /** Follows what takes no character, to the instructions that take one or match. */
  #follow(from: Thread, { line, at }: Place, into: Thread[]): void {
    const waiting = [from.instruction];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (this.#marks[index] === this.#mark) continue;
      this.#marks[index] = this.#mark;
      this.#countStep();
      const step = this.#program[index];
      if (step?.type === "jump") for (const way of step.to) waiting.push(index + way);
      else if (step?.type === "assert" && holds(step.what, line, at)) waiting.push(index + 1);
      else if (step?.type === "take" || step?.type === "match") {
        into.push({ instruction: index, start: from.start });
      }
    }
  }

  #newMark(): void {
    this.#mark += 1;
    if (this.#mark < 0x7fffffff) return;
    this.#marks.fill(0);
    this.#mark = 1;
  }

  #countStep(): void {
    if (++this.#steps <= maxSteps) return;
    throw new OctavoError(
      "too_large",
      "This search takes too long; make the pattern simpler or name fewer files.",
    );
  }
}

interface Place {
  readonly line: string;
  readonly at: number;
}

interface Thread {
  readonly instruction: number;
  readonly start: number;
}

function holds(what: "start" | "end" | "word" | "inside", line: string, at: number): boolean {
  if (what === "start") return at === 0;
  if (what === "end") return at === line.length;
  const before = at > 0 && isWordCode(line.charCodeAt(at - 1));
  const after = at < line.length && isWordCode(line.charCodeAt(at));
  return (before !== after) === (what === "word");
}
