import type {
  AssignmentExpression,
  BinaryExpression,
  CallExpression,
  Expression,
  LogicalExpression,
  MemberExpression,
  ObjectExpression,
  Pattern,
  PrivateIdentifier,
  SpreadElement,
  Super,
  UnaryExpression,
} from "acorn";
import { createPattern } from "../text-pattern.ts";
import { tryEvaluation, createEvaluationError, chargeText, toText } from "./evaluation-context.ts";
import type { EvaluationContext } from "./evaluation-context.ts";
import { findGlobalFunction } from "./global-function.ts";
import type { JsxElement, ScriptExpression } from "./jsx-syntax.ts";
import { applyBinary, applyUnary } from "./operators.ts";
import { callNative, findReactValue } from "./react.ts";
import { runBlock } from "./statements.ts";
import type { Evaluator } from "./statements.ts";
import { callMethod } from "./value-method.ts";
import {
  Closure,
  isCallable,
  isForbiddenKey,
  isJsxValue,
  isList,
  isRecord,
  LexicalScope,
  NativeFunction,
  UnavailableValue,
} from "./value.ts";
import type { Value, ValueRecord } from "./value.ts";

/**
 * Evaluates an expression of the kinds that pages need: literals, names, members, operators, elements, and the author's
 * own functions. It cannot reach any object of the program. Throws `invalid_input` for any other expression, and
 * `too_large` if the budget is spent.
 */
export function evaluate(node: ScriptExpression | Super, context: EvaluationContext): Value {
  context.budget.spendStep();
  switch (node.type) {
    case "Literal":
      return node.regex
        ? createPattern(node.regex.pattern, node.regex.flags)
        : evaluateLiteral(node.value);
    case "TemplateLiteral":
      return evaluateTemplate(node.quasis, node.expressions, context);
    case "Identifier":
      return resolveName(node.name, context.scope);
    case "JsxElement":
      return { type: "jsx", nodes: context.renderElement(node, context) };
    case "ArrayExpression":
      return node.elements.flatMap((item) => evaluateItems(item, context));
    case "ObjectExpression":
      return evaluateObject(node, context);
    case "ArrowFunctionExpression":
    case "FunctionExpression":
      return new Closure(node, context);
    default:
      return evaluateOperator(node, context);
  }
}

function evaluateOperator(
  node: Exclude<ScriptExpression, JsxElement> | Super,
  context: EvaluationContext,
): Value {
  switch (node.type) {
    case "UnaryExpression":
      return evaluateUnary(node, context);
    case "BinaryExpression":
      return evaluateBinary(node, context);
    case "LogicalExpression":
      return evaluateLogical(node, context);
    case "ConditionalExpression":
      return evaluate(evaluate(node.test, context) ? node.consequent : node.alternate, context);
    case "MemberExpression":
      return evaluateMember(node, context);
    case "ChainExpression":
    case "ParenthesizedExpression":
      return evaluate(node.expression, context);
    case "CallExpression":
      return evaluateCall(node, context);
    case "AssignmentExpression":
      return evaluateAssignment(node, context);
    case "UpdateExpression": {
      const before = applyUnary("+", evaluate(node.argument, context));
      const after = Number(before) + (node.operator === "++" ? 1 : -1);
      assign(node.argument, after, context);
      return node.prefix ? after : before;
    }
    default:
      throw createEvaluationError(
        `A static page cannot evaluate expressions of this kind (${node.type}).`,
      );
  }
}

const evaluator: Evaluator = { evaluate, bind: bindPattern };

/** Calls an author's function and returns its result. Throws like `evaluate`. */
export function callClosure(
  closure: Closure,
  args: readonly Value[],
  callContext: EvaluationContext,
): Value {
  const { node, file } = closure;
  callContext.budget.spendStep();
  if (node.async || node.generator)
    throw createEvaluationError("A static page cannot run async functions or generators.");
  const scope = new LexicalScope(closure.scope);
  const context = { ...callContext, scope, file, script: undefined };
  for (const [index, pattern] of node.params.entries()) {
    const value = pattern.type === "RestElement" ? args.slice(index) : args[index];
    bindPattern(pattern.type === "RestElement" ? pattern.argument : pattern, value, context);
  }
  const { body } = node;
  if (body.type === "BlockStatement") return runBlock(body, context, evaluator).value;
  return tryEvaluation(context, undefined, () => evaluate(body, context));
}

/** Assigns values to the names of a pattern (`name`, `{ a, b: c = 1, ...rest }`, `[x, y]`) in the context's scope. */
export function bindPattern(pattern: Pattern, value: Value, context: EvaluationContext): void {
  context.budget.spendStep();
  switch (pattern.type) {
    case "Identifier":
      context.scope.set(pattern.name, value);
      return;
    case "AssignmentPattern":
      return bindPattern(
        pattern.left,
        value === undefined ? evaluate(pattern.right, context) : value,
        context,
      );
    case "ArrayPattern":
      for (const [index, item] of pattern.elements.entries()) {
        if (item) bindPattern(item, isList(value) ? value[index] : undefined, context);
      }
      return;
    case "ObjectPattern":
      return bindObject(pattern, value, context);
    case "RestElement":
      return bindPattern(pattern.argument, value, context);
    default:
      throw createEvaluationError("A static page can assign only to plain names.");
  }
}

function bindObject(
  pattern: Extract<Pattern, { type: "ObjectPattern" }>,
  value: Value,
  context: EvaluationContext,
): void {
  const taken = new Set<string>();
  for (const property of pattern.properties) {
    if (property.type === "RestElement") {
      const record = isRecord(value) ? value : {};
      const rest = Object.entries(record).filter(([key]) => !taken.has(key));
      bindPattern(property.argument, Object.fromEntries(rest), context);
      continue;
    }
    const key = propertyKey(property.key, property.computed, context);
    taken.add(key);
    bindPattern(property.value, readMember(value, key), context);
  }
}

function evaluateAssignment(node: AssignmentExpression, context: EvaluationContext): Value {
  const { operator, left, right } = node;
  if (operator === "=") {
    const value = evaluate(right, context);
    assign(left, value, context);
    return value;
  }
  const before = evaluate(left as Expression, context);
  const isKept =
    (operator === "??=" && before !== undefined && before !== null) ||
    (operator === "||=" && Boolean(before)) ||
    (operator === "&&=" && !before);
  if (isKept) return before;
  const value = evaluate(right, context);
  const isLogical = operator.length === 3 && operator !== "**=";
  const after = isLogical ? value : applyBinary(operator.slice(0, -1), before, value, context);
  assign(left, after, context);
  return after;
}

/** Sets a name or a member; only components with state change declared values. */
function assign(target: Pattern | Expression, value: Value, context: EvaluationContext): void {
  if (context.live === undefined) {
    throw createEvaluationError("A static page cannot change values.");
  }
  if (target.type === "Identifier") {
    if (!context.scope.assign(target.name, value)) {
      throw createEvaluationError(`\`${target.name}\` is not defined.`, target.name);
    }
    return;
  }
  if (target.type !== "MemberExpression")
    throw createEvaluationError("This cannot be assigned to.");
  const holder = evaluate(target.object, context);
  const key = propertyKey(target.property, target.computed, context);
  if (isForbiddenKey(key) || isJsxValue(holder))
    throw createEvaluationError("This cannot be changed.");
  context.budget.spendNodes(1);
  if (isRecord(holder)) (holder as Record<string, Value>)[key] = value;
  else if (isList(holder) && /^\d{1,6}$/.test(key)) (holder as Value[])[Number(key)] = value;
  else throw createEvaluationError("This cannot be changed.");
}

function evaluateLiteral(value: unknown): Value {
  if (typeof value === "string") return asText(value);
  if (typeof value === "number") return value;
  if (typeof value === "boolean" || value === null) return value;
  throw createEvaluationError("A static page cannot evaluate regular expressions and bigints.");
}

/** Characters that only an escape in a script can produce, not text: half a character, NUL, the parser's marks. */
const noText = /[\0\p{Surrogate}\uFDD0-\uFDEF]/gu;

function asText(value: string): string {
  return value.replaceAll(noText, "\uFFFD");
}

function evaluateTemplate(
  quasis: readonly { readonly value: { readonly cooked?: string | null } }[],
  expressions: readonly Expression[],
  context: EvaluationContext,
): string {
  const parts: string[] = [];
  for (const [index, quasi] of quasis.entries()) {
    parts.push(asText(quasi.value.cooked ?? ""));
    const expression = expressions[index];
    if (expression) parts.push(toText(evaluate(expression, context)));
  }
  return chargeText(parts.join(""), context);
}

function evaluateItems(
  node: Expression | SpreadElement | null,
  context: EvaluationContext,
): readonly Value[] {
  if (node === null) return [undefined];
  if (node.type !== "SpreadElement") return [evaluate(node, context)];
  const value = evaluate(node.argument, context);
  if (!isList(value)) throw createEvaluationError("Only a list can be spread into a list.");
  context.budget.spendNodes(value.length);
  return value;
}

function evaluateObject(node: ObjectExpression, context: EvaluationContext): ValueRecord {
  const record: Record<string, Value> = {};
  for (const property of node.properties) {
    if (property.type === "SpreadElement") {
      const value = evaluate(property.argument, context);
      if (!isRecord(value)) continue;
      context.budget.spendNodes(Object.keys(value).length);
      Object.assign(record, value);
      continue;
    }
    const key = propertyKey(property.key, property.computed, context);
    if (!isForbiddenKey(key)) record[key] = evaluate(property.value, context);
  }
  return record;
}

function propertyKey(
  key: Expression | PrivateIdentifier,
  isComputed: boolean,
  context: EvaluationContext,
): string {
  if (isComputed && key.type !== "PrivateIdentifier") return toText(evaluate(key, context));
  if (key.type === "Identifier") return key.name;
  if (key.type === "Literal") return String(key.value);
  throw createEvaluationError("This property name cannot be evaluated.");
}

function evaluateUnary(node: UnaryExpression, context: EvaluationContext): Value {
  const { operator, argument } = node;
  // Scripts test for a browser with `typeof`, which does not fail for an undefined name.
  if (operator === "typeof" && argument.type === "Identifier" && isUnknown(argument.name, context))
    return "undefined";
  return applyUnary(operator, evaluate(argument, context));
}

function isUnknown(name: string, { scope }: EvaluationContext): boolean {
  return !scope.has(name) && findReactValue(name) === undefined;
}

function evaluateLogical(node: LogicalExpression, context: EvaluationContext): Value {
  const left = evaluate(node.left, context);
  if (node.operator === "&&") return left ? evaluate(node.right, context) : left;
  if (node.operator === "||") return left ? left : evaluate(node.right, context);
  return left ?? evaluate(node.right, context);
}

function evaluateBinary(node: BinaryExpression, context: EvaluationContext): Value {
  if (node.left.type === "PrivateIdentifier")
    throw createEvaluationError("Private names have no value here.");
  const left = evaluate(node.left, context);
  return applyBinary(node.operator, left, evaluate(node.right, context), context);
}

function evaluateMember(node: MemberExpression, context: EvaluationContext): Value {
  const value = evaluate(node.object, context);
  if (node.optional && (value === undefined || value === null)) return undefined;
  return readMember(value, propertyKey(node.property, node.computed, context));
}

function evaluateCall(node: CallExpression, context: EvaluationContext): Value {
  const args = node.arguments.flatMap((argument) => evaluateItems(argument, context));
  const global = findGlobalFunction(getGlobalName(node.callee, context.scope));
  if (global) {
    const call = (callee: Value, values: readonly Value[]) => callValue(callee, values, context);
    return global(args, { ...context, call });
  }
  if (node.callee.type !== "MemberExpression") {
    return callValue(evaluate(node.callee, context), args, context);
  }
  const { object: target, property, computed, optional } = node.callee;
  const value = evaluate(target, context);
  if (optional && (value === undefined || value === null)) return undefined;
  const name = propertyKey(property, computed, context);
  const own = isRecord(value) ? readMember(value, name) : undefined;
  if (isCallable(own)) return callValue(own, args, context);
  const call = (callee: Value, values: readonly Value[]) => callValue(callee, values, context);
  return callMethod(value, name, args, { ...context, call });
}

function callValue(callee: Value, args: readonly Value[], context: EvaluationContext): Value {
  if (callee instanceof Closure) return callClosure(callee, args, context);
  if (!(callee instanceof NativeFunction)) {
    throw createEvaluationError("Only the page's own functions can be called.");
  }
  const call = (inner: Value, values: readonly Value[]) => callValue(inner, values, context);
  return callNative(callee, args, { ...context, call });
}

/** Returns `String` or `Object.keys` if the callee is not a name of the page; otherwise an empty string. */
function getGlobalName(callee: Expression | Super, scope: LexicalScope): string {
  if (callee.type === "Identifier") return scope.has(callee.name) ? "" : callee.name;
  if (callee.type !== "MemberExpression" || callee.computed) return "";
  const { object: target, property } = callee;
  if (target.type !== "Identifier" || property.type !== "Identifier") return "";
  return scope.has(target.name) ? "" : `${target.name}.${property.name}`;
}

/** Looks up the value of a name. Throws `invalid_input` if it is undefined or has no value in a static page. */
function resolveName(name: string, scope: LexicalScope): Value {
  if (name === "undefined") return undefined;
  if (!scope.has(name)) {
    const native = findReactValue(name);
    if (native === undefined) throw createEvaluationError(missingNameReason(name), name);
    return native;
  }
  const value = scope.get(name);
  if (value instanceof UnavailableValue) throw createEvaluationError(value.reason, name);
  return value;
}

function missingNameReason(name: string): string {
  if (/^(?:use[A-Z]|React$|window$|document$|navigator$)/.test(name)) {
    return `\`${name}\` needs a browser, which a static page does not have.`;
  }
  return `\`${name}\` is not defined.`;
}

/** Reads an own property of a value, never an inherited one. Throws like `evaluate`. */
function readMember(value: Value, key: string): Value {
  if (isForbiddenKey(key)) throw createEvaluationError(`\`${key}\` cannot be read in a page.`);
  if (typeof value === "string" || isList(value)) {
    if (key === "length") return value.length;
    return /^\d{1,9}$/.test(key) ? value[Number(key)] : undefined;
  }
  if (isRecord(value) && !isJsxValue(value)) {
    return Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (value === undefined || value === null)
    throw createEvaluationError(`\`${key}\` of null or undefined cannot be read.`);
  return undefined;
}
