import type { Problem } from "../core/index.ts";
import type { FilePosition } from "./tree.ts";

/** The maximum number of problems per severity. Nobody reads longer lists. */
const maxPerSeverity = 500;

/** A message; a function if it is costly to create. */
type Message = string | (() => string);

/** The problems of one page, without duplicates. */
export class ProblemList {
  readonly #problems: Problem[] = [];
  readonly #seen = new Set<string>();
  readonly #remaining = { error: maxPerSeverity, warning: maxPerSeverity };

  warn(code: string, message: Message, place: FilePosition): void {
    this.#add("warning", { code, message }, place);
  }

  error(code: string, message: Message, place: FilePosition): void {
    this.#add("error", { code, message }, place);
  }

  toArray(): readonly Problem[] {
    return this.#problems;
  }

  #add(
    severity: Problem["severity"],
    { code, message: said }: { readonly code: string; readonly message: Message },
    { file, line, column }: FilePosition,
  ): void {
    if (this.#remaining[severity] < 0) return;
    const message = typeof said === "string" ? said : said();
    const key = `${code}:${file}:${line}:${column}:${message}`;
    if (this.#seen.has(key)) return;
    const isFull = this.#remaining[severity]-- === 0;
    const problem = isFull ? createEnd(severity) : { code, message };
    this.#problems.push({ severity, ...problem, file, line, column });
    // Last: when the stack is nearly full, any line can fail, and listing a problem twice is better than losing it.
    this.#seen.add(key);
  }
}

/** Returns the final entry of a full list, reported at the location of the first problem that is not listed. */
function createEnd(severity: Problem["severity"]): Pick<Problem, "code" | "message"> {
  const message = `The page has more ${severity}s; only the first ${maxPerSeverity} are listed.`;
  return { code: "more_problems", message };
}
