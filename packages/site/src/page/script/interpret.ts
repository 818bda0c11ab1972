import type {
  AssignmentExpression,
  BinaryExpression,
  CallExpression,
  Expression,
  LogicalExpression,
  MemberExpression,
  NewExpression,
  ObjectExpression,
  Pattern,
  PrivateIdentifier,
  SpreadElement,
  Super,
  TaggedTemplateExpression,
  UnaryExpression,
} from "acorn";
import { createPattern } from "../text-pattern.ts";
import {
  createEvaluationError,
  chargeText,
  cleanText,
  toChargedText,
  toText,
} from "./evaluation-context.ts";
import type { EvaluationContext } from "./evaluation-context.ts";
import { findConstructor, findGlobalFunction, findGlobalValue } from "./global-function.ts";
import { listItems } from "./iteration.ts";
import type { JsxElement, ScriptExpression } from "./script.ts";
import { applyBinary, applyUnary, readMember } from "./operators.ts";
import { callNative, findReactValue } from "./react.ts";
import type { NativeContext } from "./react.ts";
import { runBlock } from "./statements.ts";
import type { Evaluator } from "./statements.ts";
import { callMethod, objectMethods } from "./value-method.ts";
import {
  Closure,
  isForbiddenKey,
  isJsxValue,
  isList,
  isRecord,
  LexicalScope,
  NativeFunction,
  UnavailableValue,
} from "./value.ts";
import type { Value, ValueList, ValueRecord } from "./value.ts";

/**
 * Evaluates an expression of the kinds that pages need: literals, names, members, operators, elements, and the author's
 * own functions. An expression cannot reach any object of the program. Throws `invalid_input` for any other expression,
 * and `too_large` if the budget is exhausted.
 */
export function evaluate(node: ScriptExpression | Super, context: EvaluationContext): Value {
  context.budget.spendSteps();
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
    case "ChainExpression": {
      const value = evaluate(node.expression, context);
      return value === chainEnd ? undefined : value;
    }
    case "ParenthesizedExpression":
      return evaluate(node.expression, context);
    case "CallExpression":
      return evaluateCall(node, context);
    case "AssignmentExpression":
      return evaluateAssignment(node, context);
    default:
      return evaluateRareOperator(node, context);
  }
}

function evaluateRareOperator(
  node: Exclude<ScriptExpression, JsxElement> | Super,
  context: EvaluationContext,
): Value {
  switch (node.type) {
    case "NewExpression":
      return evaluateNew(node, context);
    case "TaggedTemplateExpression":
      return evaluateTagged(node, context);
    case "SequenceExpression":
      // Without side effects, all values except the last would be lost. In text, `{"a", "b"}` is meant as a set.
      if (context.live === undefined)
        throw createEvaluationError(
          "Of several values separated by commas, only the last would be shown.",
        );
      return node.expressions.map((part) => evaluate(part, context)).at(-1);
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

/** The internal value of `a?.b` if `a` is null or undefined. It ends the whole chain. */
const chainEnd = new UnavailableValue("The expression ends without a value.");

const evaluator: Evaluator = { evaluate, bind: bindPattern };

/** Calls a function that an author wrote and returns its result. Throws the same errors as `evaluate`. */
export function callClosure(
  closure: Closure,
  args: readonly Value[],
  callContext: EvaluationContext,
): Value {
  const { node, file } = closure;
  callContext.budget.spendSteps();
  if (node.async || node.generator)
    throw createEvaluationError("A static page cannot run async functions or generators.");
  const scope = new LexicalScope(closure.scope);
  const context = { ...callContext, scope, file, script: undefined };
  for (const [index, pattern] of node.params.entries()) {
    const value = pattern.type === "RestElement" ? args.slice(index) : args[index];
    bindPattern(pattern.type === "RestElement" ? pattern.argument : pattern, value, context);
  }
  const { body } = node;
  return callContext.budget.runCall(() =>
    body.type === "BlockStatement"
      ? runBlock(body, context, evaluator).value
      : evaluate(body, context),
  );
}

/** Assigns values to the names of a pattern (`name`, `{ a, b: c = 1, ...rest }`, `[x, y]`) in the context's scope. */
export function bindPattern(pattern: Pattern, value: Value, context: EvaluationContext): void {
  context.budget.spendSteps();
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
      return bindList(pattern, value, context);
    case "ObjectPattern":
      return bindObject(pattern, value, context);
    case "RestElement":
      return bindPattern(pattern.argument, value, context);
    default:
      throw createEvaluationError("A static page can assign only to variables.");
  }
}

function bindList(
  { elements }: Extract<Pattern, { type: "ArrayPattern" }>,
  value: Value,
  context: EvaluationContext,
): void {
  const items = listItems(value, context);
  for (const [index, item] of elements.entries()) {
    if (item?.type === "RestElement") bindPattern(item.argument, items.slice(index), context);
    else if (item) bindPattern(item, items[index], context);
  }
}

function bindObject(
  pattern: Extract<Pattern, { type: "ObjectPattern" }>,
  value: Value,
  context: EvaluationContext,
): void {
  if (value === undefined || value === null)
    throw createEvaluationError("null and undefined have no properties.");
  const takenKeys = new Set<string>();
  for (const property of pattern.properties) {
    if (property.type === "RestElement") {
      if (!isRecord(value) || isJsxValue(value))
        throw createEvaluationError("A rest property can be read only from an object.");
      const rest = Object.entries(value).filter(([key]) => !takenKeys.has(key));
      bindPattern(property.argument, Object.fromEntries(rest), context);
      continue;
    }
    const key = evaluatePropertyKey(property.key, property.computed, context);
    takenKeys.add(key);
    bindPattern(property.value, readMember(value, key), context);
  }
}

function evaluateAssignment(node: AssignmentExpression, context: EvaluationContext): Value {
  const { operator, left, right } = node;
  if (operator === "=") {
    const value = evaluate(right, context);
    if (left.type === "ArrayPattern" || left.type === "ObjectPattern")
      throw createEvaluationError("A static page can assign only to variables.");
    assign(left, value, context);
    return value;
  }
  const before = evaluate(left as Expression, context);
  const isUnchanged =
    (operator === "??=" && before !== undefined && before !== null) ||
    (operator === "||=" && Boolean(before)) ||
    (operator === "&&=" && !before);
  if (isUnchanged) return before;
  const value = evaluate(right, context);
  const isLogical = operator.length === 3 && operator !== "**=";
  const after = isLogical ? value : applyBinary(operator.slice(0, -1), before, value, context);
  assign(left, after, context);
  return after;
}

/** Assigns to a name or a member. Only components that run in the browser may change values. */
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
  const key = evaluatePropertyKey(target.property, target.computed, context);
  if (isForbiddenKey(key) || isJsxValue(holder))
    throw createEvaluationError("This cannot be changed.");
  if (Object.isFrozen(holder)) throw createEvaluationError("This cannot be changed.");
  context.budget.spendNodes(1);
  if (isRecord(holder)) (holder as Record<string, Value>)[key] = value;
  else if (isList(holder) && /^\d{1,6}$/.test(key)) (holder as Value[])[Number(key)] = value;
  else throw createEvaluationError("This cannot be changed.");
}

function evaluateLiteral(value: unknown): Value {
  if (typeof value === "string") return cleanText(value);
  if (typeof value === "number") return value;
  if (typeof value === "boolean" || value === null) return value;
  throw createEvaluationError("A static page cannot evaluate regular expressions or bigints.");
}

function evaluateTemplate(
  quasis: readonly { readonly value: { readonly cooked?: string | null } }[],
  expressions: readonly Expression[],
  context: EvaluationContext,
): string {
  const parts: string[] = [];
  for (const [index, quasi] of quasis.entries()) {
    parts.push(chargeText(cleanText(quasi.value.cooked ?? ""), context));
    const expression = expressions[index];
    if (expression) parts.push(toChargedText(evaluate(expression, context), context));
  }
  return parts.join("");
}

function evaluateItems(
  node: Expression | SpreadElement | null,
  context: EvaluationContext,
): readonly Value[] {
  if (node === null) return [undefined];
  if (node.type !== "SpreadElement") return [evaluate(node, context)];
  return listItems(evaluate(node.argument, context), context);
}

function evaluateObject(node: ObjectExpression, context: EvaluationContext): ValueRecord {
  const record: Record<string, Value> = {};
  for (const property of node.properties) {
    if (property.type === "SpreadElement") {
      const value = toSpreadable(evaluate(property.argument, context));
      context.budget.spendNodes(Object.keys(value).length);
      Object.assign(record, value);
      continue;
    }
    const key = evaluatePropertyKey(property.key, property.computed, context);
    if (isForbiddenKey(key) || property.kind !== "init")
      throw createEvaluationError(`\`${key}\` cannot be a property in a page.`);
    record[key] = evaluate(property.value, context);
  }
  return record;
}

/** Returns the value whose entries a spread adds to an object. */
function toSpreadable(value: Value): ValueRecord | ValueList {
  if (isList(value) || (isRecord(value) && !isJsxValue(value))) return value;
  if (typeof value === "string") return value.split("");
  if (typeof value !== "object" || value === null) return {};
  throw createEvaluationError("This value cannot be spread into an object.");
}

function evaluatePropertyKey(
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
  // Scripts use `typeof` to test for a browser, because it does not fail for an undefined name.
  if (
    operator === "typeof" &&
    argument.type === "Identifier" &&
    isUndeclared(argument.name, context)
  )
    return "undefined";
  return applyUnary(operator, evaluate(argument, context));
}

function isUndeclared(name: string, { scope }: EvaluationContext): boolean {
  if (scope.has(name) || findReactValue(name) !== undefined) return false;
  if (name === "undefined" || findGlobalValue(name) !== undefined) return false;
  // The first render of a React component does not take place in a browser.
  if (browserNames.has(name) || !Object.hasOwn(globalThis, name)) return true;
  throw createEvaluationError(`\`${name}\` exists only in a browser.`, name);
}

const browserNames: ReadonlySet<string> = new Set(
  "window document navigator localStorage sessionStorage self process global".split(" "),
);

function evaluateLogical(node: LogicalExpression, context: EvaluationContext): Value {
  const left = evaluate(node.left, context);
  if (node.operator === "&&") return left ? evaluate(node.right, context) : left;
  if (node.operator === "||") return left ? left : evaluate(node.right, context);
  return left ?? evaluate(node.right, context);
}

function evaluateBinary(node: BinaryExpression, context: EvaluationContext): Value {
  if (node.left.type === "PrivateIdentifier")
    throw createEvaluationError("A static page does not support private names.");
  const left = evaluate(node.left, context);
  return applyBinary(node.operator, left, evaluate(node.right, context), context);
}

function evaluateMember(node: MemberExpression, context: EvaluationContext): Value {
  const name = getGlobalName(node, context.scope);
  const globalValue = name === "" ? undefined : findGlobalValue(name);
  if (globalValue !== undefined) return globalValue;
  if (isGlobalName(node.object, context.scope)) throw createUnknownError(name);
  const value = evaluate(node.object, context);
  if (isChainEnd(value, node.optional)) return chainEnd;
  return readMember(value, evaluatePropertyKey(node.property, node.computed, context));
}

function evaluateCall(node: CallExpression, context: EvaluationContext): Value {
  const { callee } = node;
  const name = getGlobalName(callee, context.scope);
  const global = name === "" ? undefined : findGlobalFunction(name);
  if (global) return global(evaluateArguments(node, context), createNativeContext(context));
  if (callee.type === "MemberExpression") return callMember(node, callee, context);
  const value = evaluate(callee, context);
  if (isChainEnd(value, node.optional)) return chainEnd;
  return callValue(value, evaluateArguments(node, context), context);
}

function callMember(
  node: CallExpression,
  callee: MemberExpression,
  context: EvaluationContext,
): Value {
  if (isGlobalName(callee.object, context.scope))
    throw createUnknownError(getGlobalName(callee, context.scope));
  const value = evaluate(callee.object, context);
  if (isChainEnd(value, callee.optional)) return chainEnd;
  const key = evaluatePropertyKey(callee.property, callee.computed, context);
  const isObject = isRecord(value) && !isJsxValue(value);
  if (isObject && (!objectMethods.has(key) || Object.hasOwn(value, key))) {
    const ownMember = readMember(value, key);
    if (isChainEnd(ownMember, node.optional)) return chainEnd;
    return callValue(ownMember, evaluateArguments(node, context), context);
  }
  return callMethod(value, key, evaluateArguments(node, context), createNativeContext(context));
}

function evaluateArguments(
  node: CallExpression | NewExpression,
  context: EvaluationContext,
): readonly Value[] {
  return node.arguments.flatMap((argument) => evaluateItems(argument, context));
}

/** Reports whether an optional chain ends at a value. `isOptional` indicates whether `?.` follows the value. */
function isChainEnd(value: Value, isOptional: boolean): boolean {
  return value === chainEnd || (isOptional && (value === undefined || value === null));
}

function createNativeContext(context: EvaluationContext): NativeContext {
  return { ...context, call: (callee, values) => callValue(callee, values, context) };
}

function evaluateNew(node: NewExpression, context: EvaluationContext): Value {
  const name = getGlobalName(node.callee, context.scope);
  const create = name === "" ? undefined : findConstructor(name);
  if (!create) throw createEvaluationError(`A static page cannot create a \`${name || "class"}\`.`);
  return create(evaluateArguments(node, context), createNativeContext(context));
}

/** Evaluates a tagged template. Supports only `String.raw`, because the interpreter has no values for other tags. */
function evaluateTagged(
  { tag, quasi }: TaggedTemplateExpression,
  context: EvaluationContext,
): string {
  if (getGlobalName(tag, context.scope) !== "String.raw")
    throw createEvaluationError("A static page cannot evaluate tagged templates.");
  const raw = quasi.quasis.map(({ value }) => ({ value: { cooked: value.raw } }));
  return evaluateTemplate(raw, quasi.expressions, context);
}

/** Reports whether an expression is a global JavaScript object, such as `Math`, with only some members supported. */
function isGlobalName(node: Expression | Super, scope: LexicalScope): boolean {
  if (node.type !== "Identifier" || scope.has(node.name)) return false;
  return globalObjects.has(node.name);
}

const globalObjects: ReadonlySet<string> = new Set(
  (
    "Array Boolean Date Intl JSON Math Number Object String Map Set RegExp Promise " +
    "URL URLSearchParams TextEncoder TextDecoder Uint8Array"
  ).split(" "),
);

function createUnknownError(name: string): Error {
  const subject = name === "" ? "This" : `\`${name}\``;
  return createEvaluationError(`${subject} has no value that is the same for all readers.`);
}

function callValue(callee: Value, args: readonly Value[], context: EvaluationContext): Value {
  if (callee instanceof Closure) return callClosure(callee, args, context);
  if (!(callee instanceof NativeFunction)) {
    throw createEvaluationError("Only the page's own functions can be called.");
  }
  if (callee.run) return callee.run(args, context);
  const global = findGlobalFunction(callee.name);
  if (global) return global(args, createNativeContext(context));
  return callNative(callee, args, createNativeContext(context));
}

/** Returns the global name of a callee (`String`, `Object.keys`); an empty string if the page declares the name. */
function getGlobalName(callee: Expression | Super, scope: LexicalScope): string {
  if (callee.type === "Identifier") return scope.has(callee.name) ? "" : callee.name;
  if (callee.type !== "MemberExpression" || callee.computed) return "";
  const { object: target, property } = callee;
  if (target.type !== "Identifier" || property.type !== "Identifier") return "";
  return scope.has(target.name) ? "" : `${target.name}.${property.name}`;
}

/** Looks up the value of a name. Throws `invalid_input` if the name is undefined or has no value in a static page. */
function resolveName(name: string, scope: LexicalScope): Value {
  if (name === "undefined") return undefined;
  if (!scope.has(name)) {
    const native = findReactValue(name) ?? findGlobalValue(name);
    if (native === undefined) throw createEvaluationError(describeMissingName(name), name);
    return native;
  }
  const value = scope.get(name);
  if (value instanceof UnavailableValue) throw createEvaluationError(value.reason, name);
  return value;
}

function describeMissingName(name: string): string {
  if (/^(?:use[A-Z]|React$|window$|document$|navigator$)/.test(name)) {
    return `\`${name}\` needs a browser, which a static page does not have.`;
  }
  return `\`${name}\` is not defined.`;
}
