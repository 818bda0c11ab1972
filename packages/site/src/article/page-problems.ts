import type { ProblemSink } from "../components/index.ts";
import type { Problem } from "../core/index.ts";
import type { FilePosition } from "../page/index.ts";

/** The maximum number of problems that are recorded for one page. */
const maxProblems = 500;

/** The problems that are found while one page is rendered. */
export class PageProblems implements ProblemSink {
  readonly list: Problem[] = [];

  get isFull(): boolean {
    return this.list.length >= maxProblems;
  }

  warn(code: string, message: string, place: FilePosition): void {
    this.#add("warning", { code, message }, place);
  }

  error(code: string, message: string, place: FilePosition): void {
    this.#add("error", { code, message }, place);
  }

  #add(
    severity: Problem["severity"],
    said: Pick<Problem, "code" | "message">,
    { file, line, column }: FilePosition,
  ): void {
    if (!this.isFull) this.list.push({ severity, ...said, file, line, column });
  }
}
