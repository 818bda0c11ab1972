import { addUsage, noUsage } from "./token-usage.ts";
import type { TokenUsage } from "./token-usage.ts";

/** How many tokens, read and written together, something may cost, and what it has cost. */
export interface TokenBudget {
  readonly maxTokens: number;
  readonly used: TokenUsage;
  /** Never below 0: one call can cost more than was left. */
  readonly left: number;
}

export interface BudgetOptions {
  /** A whole number; Infinity where nobody set a limit. */
  readonly maxTokens: number;
  /** What was spent before, e.g. by a job that is taken up again. */
  readonly used?: TokenUsage;
}

export function createBudget({ maxTokens, used = noUsage }: BudgetOptions): TokenBudget {
  return {
    maxTokens,
    used,
    left: Math.max(0, maxTokens - used.inputTokens - used.outputTokens),
  };
}

/** The budget after a call; ask `describeSpent` before the next one. */
export function spend({ maxTokens, used }: TokenBudget, usage: TokenUsage): TokenBudget {
  return createBudget({ maxTokens, used: addUsage(used, usage) });
}

const scopes = {
  job: { spent: "This job has used", more: "A smaller instruction needs fewer." },
  "project-day": {
    spent: "The agent jobs of this project have used today",
    more: "More can be started tomorrow (UTC), or when an operator raises the limit.",
  },
} as const;

export type BudgetScope = keyof typeof scopes;

/** Why no further call may be made, as a sentence for the person who started the job; undefined while there is something left. */
export function describeSpent(
  { maxTokens, used, left }: TokenBudget,
  scope: BudgetScope,
): string | undefined {
  if (left > 0) return undefined;
  const tokens = used.inputTokens + used.outputTokens;
  return `${scopes[scope].spent} ${tokens} tokens of the ${maxTokens} that it may. ${scopes[scope].more}`;
}
