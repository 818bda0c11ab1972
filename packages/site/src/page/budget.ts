import { OctavoError, limits } from "../core/index.ts";

/**
 * What one page may cost beyond its own text. Snippets that use snippets and values that hold values
 * twice grow by powers of two: everything that is made again is paid for here. Each method throws
 * `too_large` when nothing is left.
 */
export class ExpansionBudget {
  #steps = limits.expressionSteps;
  #nodes = limits.expandedNodes;
  #characters = limits.htmlBytes;

  /** One step of an expression. */
  spendStep(): void {
    if (--this.#steps < 0) {
      fail(`takes more than ${limits.expressionSteps} steps`);
    }
  }

  /** Nodes that snippets and expressions bring in. */
  spendNodes(count: number): void {
    this.#nodes -= count;
    if (this.#nodes < 0) fail(`brings in more than ${limits.expandedNodes} elements`);
  }

  /** Characters of text that expressions make. */
  spendCharacters(count: number): void {
    this.#characters -= count;
    if (this.#characters < 0) fail(`makes more than ${limits.htmlBytes} characters`);
  }
}

function fail(what: string): never {
  throw new OctavoError("too_large", `The page ${what} through its snippets and expressions.`);
}
