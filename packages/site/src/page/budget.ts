import { OctavoError, limits, createInputError } from "../core/index.ts";

/**
 * The cost that one page may have in addition to its own text. Snippets that include snippets twice and values that
 * contain values twice grow exponentially, so every copy is charged here. Each method throws `too_large` when its
 * budget is exhausted.
 */
export class ExpansionBudget {
  #steps: number = limits.expressionSteps;
  /** Steps that `withSteps` reserves. */
  #reserved = 0;
  #calls = 0;
  #nodes = limits.expandedNodes;
  #characters = limits.htmlBytes;

  /** Charges steps of an expression. Defaults to one step. */
  spendStep(count = 1): void {
    this.#steps -= count;
    if (this.#steps >= 0) return;
    if (this.#reserved > 0) throw createInputError("It takes too many steps.");
    fail(`takes more than ${limits.expressionSteps} steps`);
  }

  /** Limits `work` to at most `max` steps. Work that needs more has no result, and the page continues without it. */
  withSteps<Result>(max: number, work: () => Result): Result {
    const own = Math.min(max, this.#steps);
    this.#reserved += this.#steps - own;
    const outer = this.#steps - own;
    this.#steps = own;
    try {
      return work();
    } finally {
      this.#steps = outer + Math.max(0, this.#steps);
      this.#reserved -= outer;
    }
  }

  /**
   * Runs the body of an author's function. Throws a `RangeError`, as the engine does, if more than `limits.nestedCalls`
   * bodies are nested. This happens before the engine's stack overflows, because that error can interrupt any line,
   * including the one that reports it.
   */
  runCall<Result>(body: () => Result): Result {
    if (this.#calls >= limits.nestedCalls) throw new RangeError("Too many nested calls.");
    this.#calls++;
    try {
      return body();
    } finally {
      this.#calls--;
    }
  }

  /** Charges nodes that snippets and expressions add. */
  spendNodes(count: number): void {
    this.#nodes -= count;
    if (this.#nodes < 0) fail(`adds more than ${limits.expandedNodes} elements`);
  }

  /** Charges characters of text that expressions produce. */
  spendCharacters(count: number): void {
    this.#characters -= count;
    if (this.#characters < 0) fail(`produces more than ${limits.htmlBytes} characters`);
  }
}

function fail(what: string): never {
  throw new OctavoError("too_large", `With its snippets and expressions, the page ${what}.`);
}
