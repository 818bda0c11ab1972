import type { Problem } from "../core/index.ts";
import type { FilePosition } from "./tree.ts";

/** The maximum number of problems per severity. Nobody reads longer lists. */
const maxPerSeverity = 500;

/** A message, or a function that creates it if creating it is costly. */
type Message = string | (() => string);

/** The problems of one page, without duplicates. */
export class ProblemList {
  readonly #problems: Problem[] = [];
  readonly #seenKeys = new Set<string>();
  readonly #remaining = { error: maxPerSeverity, warning: maxPerSeverity };

  warn(code: string, message: Message, position: FilePosition): void {
    this.#add("warning", { code, message }, position);
  }

  error(code: string, message: Message, position: FilePosition): void {
    this.#add("error", { code, message }, position);
  }

  toArray(): readonly Problem[] {
    return this.#problems;
  }

  #add(
    severity: Problem["severity"],
    { code, message: messageOrFunction }: { readonly code: string; readonly message: Message },
    { file, line, column }: FilePosition,
  ): void {
    if (this.#remaining[severity] < 0) return;
    const message = typeof messageOrFunction === "string" ? messageOrFunction : messageOrFunction();
    const key = `${code}:${file}:${line}:${column}:${message}`;
    if (this.#seenKeys.has(key)) return;
    const isFull = this.#remaining[severity]-- === 0;
    const problem = isFull ? createLastEntry(severity) : { code, message };
    this.#problems.push({ severity, ...problem, file, line, column });
    // The key is added last, because any line can fail when the stack is nearly full, and listing a problem twice is
    // better than losing it.
    this.#seenKeys.add(key);
  }
}

/** Returns the final entry of a full list, reported at the location of the first problem that is not listed. */
function createLastEntry(severity: Problem["severity"]): Pick<Problem, "code" | "message"> {
  const message = `The page has more ${severity}s; only the first ${maxPerSeverity} are listed.`;
  return { code: "more_problems", message };
}
