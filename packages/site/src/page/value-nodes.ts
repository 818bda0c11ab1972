import { limits } from "../core/index.ts";
import { childrenOf, type Place, type TreeNode } from "./tree.ts";
import type { ExpansionBudget } from "./budget.ts";
import { evaluationError } from "./evaluation-context.ts";
import { appendAll } from "./raw-node.ts";
import { isJsxValue, isList, isRecord, type Value } from "./value.ts";

/**
 * What a value shows as where it stands among content: text, the nodes of elements, nothing for `null`,
 * `true` and `false`. Throws `invalid_input` for what shows as nothing a reader could use.
 */
export function nodesOf(value: Value, place: Place, budget: ExpansionBudget): readonly TreeNode[] {
  if (value === undefined || value === null || typeof value === "boolean") return [];
  if (typeof value === "string" || typeof value === "number") {
    budget.spendNodes(1);
    return [{ type: "text", value: String(value), place }];
  }
  if (isJsxValue(value)) {
    // One value can be shown many times, within itself too: each showing is paid for.
    if (!spendOnNodes(value.nodes, budget)) throw evaluationError("Its elements nest too deep.");
    return value.nodes;
  }
  if (isList(value)) return value.flatMap((item) => nodesOf(item, place, budget));
  throw evaluationError("A record or a function cannot be shown.");
}

/** Pays for every node at and below `nodes`, however often one is held; false where they nest too deep. */
function spendOnNodes(nodes: readonly TreeNode[], budget: ExpansionBudget): boolean {
  let level = nodes;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.nesting) return false;
    budget.spendNodes(level.length);
    const next: TreeNode[] = [];
    for (const node of level) appendAll(next, childrenOf(node));
    level = next;
  }
  return true;
}

/** Pays for every value within `value`, however often one is held; false where they nest too deep. */
export function spendOnValue(value: Value, budget: ExpansionBudget): boolean {
  let level: readonly Value[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.nesting) return false;
    budget.spendNodes(level.length);
    const elements = level.filter(isJsxValue);
    if (!elements.every(({ nodes }) => spendOnNodes(nodes, budget))) return false;
    const next: Value[] = [];
    for (const item of level) appendAll(next, partsOf(item));
    level = next;
  }
  return true;
}

function partsOf(value: Value): readonly Value[] {
  if (isList(value)) return value;
  return isRecord(value) && !isJsxValue(value) ? Object.values(value) : [];
}
