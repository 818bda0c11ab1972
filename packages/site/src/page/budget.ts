import { OctavoError, limits, createInputError } from "../core/index.ts";

/**
 * The cost that snippets and expressions may add to one page. Snippets that include snippets twice and values that
 * contain values twice grow exponentially, so every copy is charged to this budget. Each method throws `too_large` when
 * its budget is exhausted.
 */
export class ExpansionBudget {
  #remainingSteps: number = limits.expressionSteps;
  /** The number of steps that `withSteps` withholds from the work that it is running. */
  #withheldSteps = 0;
  #callDepth = 0;
  #remainingNodes = limits.expandedNodes;
  #remainingCharacters = limits.htmlBytes;

  /** Charges steps of an expression. Defaults to one step. */
  spendSteps(count = 1): void {
    this.#remainingSteps -= count;
    if (this.#remainingSteps >= 0) return;
    if (this.#withheldSteps > 0) throw createInputError("It takes too many steps.");
    fail(`takes more than ${limits.expressionSteps} steps`);
  }

  /**
   * Runs `work` with at most `maxSteps` steps. Throws `invalid_input` if the work needs more steps; expansion of the
   * page can continue.
   */
  withSteps<Result>(maxSteps: number, work: () => Result): Result {
    const grantedSteps = Math.min(maxSteps, this.#remainingSteps);
    this.#withheldSteps += this.#remainingSteps - grantedSteps;
    const withheldSteps = this.#remainingSteps - grantedSteps;
    this.#remainingSteps = grantedSteps;
    try {
      return work();
    } finally {
      this.#remainingSteps = withheldSteps + Math.max(0, this.#remainingSteps);
      this.#withheldSteps -= withheldSteps;
    }
  }

  /**
   * Runs the body of an author's function. Throws a `RangeError`, as the engine does, if more than `limits.nestedCalls`
   * bodies are nested. The limit is so low that the engine's own stack does not overflow first. The engine's error
   * could interrupt any line, including a line that handles the error.
   */
  runCall<Result>(body: () => Result): Result {
    if (this.#callDepth >= limits.nestedCalls) throw new RangeError("Too many nested calls.");
    this.#callDepth++;
    try {
      return body();
    } finally {
      this.#callDepth--;
    }
  }

  /** Charges nodes that snippets and expressions add. */
  spendNodes(count: number): void {
    this.#remainingNodes -= count;
    if (this.#remainingNodes < 0) fail(`adds more than ${limits.expandedNodes} elements`);
  }

  /** Charges characters of text that expressions produce. */
  spendCharacters(count: number): void {
    this.#remainingCharacters -= count;
    if (this.#remainingCharacters < 0) fail(`produces more than ${limits.htmlBytes} characters`);
  }
}

function fail(excess: string): never {
  throw new OctavoError("too_large", `With its snippets and expressions, the page ${excess}.`);
}
