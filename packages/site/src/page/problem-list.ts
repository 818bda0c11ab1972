import type { Problem } from "../core/index.ts";
import type { FilePosition } from "./tree.ts";

/** The maximum number of problems per severity. Nobody reads longer lists. */
const maxPerSeverity = 500;

/** The problems of one page, without duplicates. */
export class ProblemList {
  readonly #problems: Problem[] = [];
  readonly #seen = new Set<string>();
  readonly #remaining = { error: maxPerSeverity, warning: maxPerSeverity };

  warn(code: string, message: string, place: FilePosition): void {
    this.#add("warning", code, message, place);
  }

  error(code: string, message: string, place: FilePosition): void {
    this.#add("error", code, message, place);
  }

  toArray(): readonly Problem[] {
    return this.#problems;
  }

  #add(severity: Problem["severity"], code: string, message: string, place: FilePosition): void {
    if (this.#remaining[severity] === 0) return;
    const key = `${code}:${place.file}:${place.line}:${place.column}:${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#remaining[severity]--;
    const { file, line, column } = place;
    this.#problems.push({ severity, code, message, file, line, column });
  }
}
