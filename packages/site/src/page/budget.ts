import { OctavoError, limits } from "../core/index.ts";

/**
 * What one page may cost beyond its own text. Snippets that include snippets twice, and values that
 * contain values twice, grow exponentially: every copy is charged here. Each method throws `too_large`
 * when its budget is spent.
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

  /** Nodes that snippets and expressions add. */
  spendNodes(count: number): void {
    this.#nodes -= count;
    if (this.#nodes < 0) fail(`adds more than ${limits.expandedNodes} elements`);
  }

  /** Characters of text that expressions produce. */
  spendCharacters(count: number): void {
    this.#characters -= count;
    if (this.#characters < 0) fail(`produces more than ${limits.htmlBytes} characters`);
  }
}

function fail(what: string): never {
  throw new OctavoError("too_large", `With its snippets and expressions, the page ${what}.`);
}
