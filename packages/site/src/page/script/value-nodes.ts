import { limits } from "../../core/index.ts";
import { getChildren, type FilePosition, type TreeNode } from "../tree.ts";
import type { ExpansionBudget } from "../budget.ts";
import { createEvaluationError } from "./evaluation-context.ts";
import { appendAll } from "../raw-node.ts";
import { DeferredNodes, isJsxValue, isList, isRecord, type Value } from "./value.ts";

/**
 * Returns the nodes that show a value in a page's content, which are text or the nodes of elements. Returns no nodes
 * for `null`, `undefined`, `true` and `false`. Throws `invalid_input` for values that cannot be shown.
 */
export function toNodes(
  value: Value,
  position: FilePosition,
  budget: ExpansionBudget,
): readonly TreeNode[] {
  if (value === undefined || value === null || typeof value === "boolean") return [];
  if (typeof value === "string" || typeof value === "number") {
    budget.spendNodes(1);
    return [{ type: "text", value: String(value), position }];
  }
  if (value instanceof DeferredNodes) return value.render();
  if (isJsxValue(value)) {
    // Each use is charged, because one value can be shown many times, even inside itself.
    if (!spendOnNodes(value.nodes, budget))
      throw createEvaluationError("Its elements are nested too deeply.");
    return value.nodes;
  }
  if (isList(value)) return value.flatMap((item) => toNodes(item, position, budget));
  throw createEvaluationError("An object or a function cannot be shown.");
}

/** Charges each occurrence of a node in the trees of `nodes`. Returns false if the nodes are nested too deeply. */
function spendOnNodes(nodes: readonly TreeNode[], budget: ExpansionBudget): boolean {
  let level = nodes;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.nesting) return false;
    budget.spendNodes(level.length);
    const next: TreeNode[] = [];
    for (const node of level) appendAll(next, getChildren(node));
    level = next;
  }
  return true;
}

/** Charges `value` and each occurrence of a value inside it. Returns false if the values are nested too deeply. */
export function chargeValue(value: Value, budget: ExpansionBudget): boolean {
  let level: readonly Value[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limits.nesting) return false;
    budget.spendNodes(level.length);
    const elements = level.filter(isJsxValue);
    if (!elements.every(({ nodes }) => spendOnNodes(nodes, budget))) return false;
    const next: Value[] = [];
    for (const item of level) appendAll(next, listInnerValues(item));
    level = next;
  }
  return true;
}

function listInnerValues(value: Value): readonly Value[] {
  if (isList(value)) return value;
  return isRecord(value) && !isJsxValue(value) ? Object.values(value) : [];
}
