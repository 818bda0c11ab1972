import type {
  BinaryExpression,
  BlockStatement,
  CallExpression,
  Expression,
  LogicalExpression,
  MemberExpression,
  ObjectExpression,
  Pattern,
  PrivateIdentifier,
  SpreadElement,
  Statement,
  Super,
  UnaryExpression,
  VariableDeclaration,
} from "acorn";
import { evaluationError, toText, type EvaluationContext } from "./evaluation-context.ts";
import { globalFunction } from "./global-function.ts";
import type { JsxElement, ScriptExpression } from "./jsx-syntax.ts";
import { lookUpName, readMember } from "./read-value.ts";
import { callMethod } from "./value-method.ts";
import {
  Closure,
  isForbiddenKey,
  isList,
  isRecord,
  LexicalScope,
  type Value,
  type ValueRecord,
} from "./value.ts";

/**
 * Evaluates an expression made of what pages need: literals, names, members, operators, elements, and
 * the author's own functions. It cannot reach any object of the program. Throws `invalid_input` for
 * any other expression, `too_large` when the budget is spent.
 */
export function evaluate(node: ScriptExpression | Super, context: EvaluationContext): Value {
  context.budget.spendStep();
  switch (node.type) {
    case "Literal":
      return evaluateLiteral(node.value);
    case "TemplateLiteral":
      return evaluateTemplate(node.quasis, node.expressions, context);
    case "Identifier":
      return lookUpName(node.name, context.scope);
    case "JsxElement":
      return { type: "jsx", nodes: context.renderElement(node, context) };
    case "ArrayExpression":
      return node.elements.flatMap((item) => evaluateItems(item, context));
    case "ObjectExpression":
      return evaluateObject(node, context);
    case "ArrowFunctionExpression":
    case "FunctionExpression":
      return new Closure(node, context.scope, context.file);
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
    default:
      throw evaluationError(
        `A static page cannot evaluate expressions of this kind (${node.type}).`,
      );
  }
}

/** Calls an author's function and returns its result. Throws as `evaluate` does. */
export function callClosure(
  closure: Closure,
  args: readonly Value[],
  callContext: EvaluationContext,
): Value {
  const { node, file } = closure;
  callContext.budget.spendStep();
  if (node.async || node.generator)
    throw evaluationError("A static page cannot run async functions or generators.");
  const scope = new LexicalScope(closure.scope);
  const context = { ...callContext, scope, file };
  for (const [index, pattern] of node.params.entries()) {
    const value = pattern.type === "RestElement" ? args.slice(index) : args[index];
    bind(pattern.type === "RestElement" ? pattern.argument : pattern, value, context);
  }
  if (node.body.type !== "BlockStatement") return evaluate(node.body, context);
  return runBlock(node.body, context).value;
}

/** Assigns values to the names of a pattern (`name`, `{ a, b: c = 1, ...rest }`, `[x, y]`) in the context's scope. */
export function bind(pattern: Pattern, value: Value, context: EvaluationContext): void {
  context.budget.spendStep();
  switch (pattern.type) {
    case "Identifier":
      context.scope.set(pattern.name, value);
      return;
    case "AssignmentPattern":
      return bind(
        pattern.left,
        value === undefined ? evaluate(pattern.right, context) : value,
        context,
      );
    case "ArrayPattern":
      for (const [index, item] of pattern.elements.entries()) {
        if (item) bind(item, isList(value) ? value[index] : undefined, context);
      }
      return;
    case "ObjectPattern":
      return bindObject(pattern, value, context);
    case "RestElement":
      return bind(pattern.argument, value, context);
    default:
      throw evaluationError("A static page can assign to plain names only.");
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
      bind(property.argument, Object.fromEntries(rest), context);
      continue;
    }
    const key = propertyKey(property.key, property.computed, context);
    taken.add(key);
    bind(property.value, readMember(value, key), context);
  }
}

interface Completion {
  readonly hasReturned: boolean;
  readonly value: Value;
}

const normalCompletion: Completion = { hasReturned: false, value: undefined };

function runBlock(block: BlockStatement, context: EvaluationContext): Completion {
  const inner = { ...context, scope: new LexicalScope(context.scope) };
  for (const statement of block.body) {
    const done = runStatement(statement, inner);
    if (done.hasReturned) return done;
  }
  return normalCompletion;
}

function runStatement(statement: Statement, context: EvaluationContext): Completion {
  context.budget.spendStep();
  switch (statement.type) {
    case "ReturnStatement":
      return {
        hasReturned: true,
        value: statement.argument ? evaluate(statement.argument, context) : undefined,
      };
    case "VariableDeclaration":
      declare(statement, context);
      return normalCompletion;
    case "FunctionDeclaration":
      context.scope.set(statement.id.name, new Closure(statement, context.scope, context.file));
      return normalCompletion;
    case "IfStatement": {
      const branch = evaluate(statement.test, context) ? statement.consequent : statement.alternate;
      return branch ? runStatement(branch, context) : normalCompletion;
    }
    case "BlockStatement":
      return runBlock(statement, context);
    case "EmptyStatement":
      return normalCompletion;
    default:
      throw evaluationError(
        `It contains a ${statement.type}; a static page runs only declarations, \`if\` and \`return\`.`,
      );
  }
}

export function declare(declaration: VariableDeclaration, context: EvaluationContext): void {
  for (const { id, init } of declaration.declarations) {
    bind(id, init ? evaluate(init, context) : undefined, context);
  }
}

function evaluateLiteral(value: unknown): Value {
  if (typeof value === "string") return asText(value);
  if (typeof value === "number") return value;
  if (typeof value === "boolean" || value === null) return value;
  throw evaluationError("A static page cannot evaluate regular expressions and bigints.");
}

/** By an escape a script can name what no text holds: half a character, NUL, the marks of the parser. */
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
  return spendText(parts.join(""), context);
}

function spendText(text: string, context: EvaluationContext): string {
  context.budget.spendCharacters(text.length);
  return text;
}

function evaluateItems(
  node: Expression | SpreadElement | null,
  context: EvaluationContext,
): readonly Value[] {
  if (node === null) return [undefined];
  if (node.type !== "SpreadElement") return [evaluate(node, context)];
  const value = evaluate(node.argument, context);
  if (!isList(value)) throw evaluationError("Only a list can be spread into a list.");
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
  throw evaluationError("This property name cannot be evaluated.");
}

function evaluateUnary(node: UnaryExpression, context: EvaluationContext): Value {
  const value = evaluate(node.argument, context);
  switch (node.operator) {
    case "!":
      return !value;
    case "-":
      return -toNumber(value);
    case "+":
      return toNumber(value);
    case "typeof":
      return value instanceof Closure ? "function" : typeof value;
    case "void":
      return undefined;
    default:
      throw evaluationError(`A static page cannot evaluate the operator \`${node.operator}\`.`);
  }
}

function evaluateLogical(node: LogicalExpression, context: EvaluationContext): Value {
  const left = evaluate(node.left, context);
  if (node.operator === "&&") return left ? evaluate(node.right, context) : left;
  if (node.operator === "||") return left ? left : evaluate(node.right, context);
  return left ?? evaluate(node.right, context);
}

const arithmetic: Readonly<Record<string, (left: number, right: number) => number | boolean>> = {
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
  "**": (left, right) => left ** right,
  "<": (left, right) => left < right,
  ">": (left, right) => left > right,
  "<=": (left, right) => left <= right,
  ">=": (left, right) => left >= right,
};

function evaluateBinary(node: BinaryExpression, context: EvaluationContext): Value {
  if (node.left.type === "PrivateIdentifier")
    throw evaluationError("Private names have no value here.");
  const left = evaluate(node.left, context);
  const right = evaluate(node.right, context);
  switch (node.operator) {
    case "+":
      if (typeof left === "number" && typeof right === "number") return left + right;
      return spendText(toText(left) + toText(right), context);
    case "===":
    case "==":
      return left === right;
    case "!==":
    case "!=":
      return left !== right;
    default: {
      const operation = arithmetic[node.operator];
      if (operation) return operation(toNumber(left), toNumber(right));
      throw evaluationError(`A static page cannot evaluate the operator \`${node.operator}\`.`);
    }
  }
}

function evaluateMember(node: MemberExpression, context: EvaluationContext): Value {
  const value = evaluate(node.object, context);
  if (node.optional && (value === undefined || value === null)) return undefined;
  return readMember(value, propertyKey(node.property, node.computed, context));
}

function evaluateCall(node: CallExpression, context: EvaluationContext): Value {
  const args = node.arguments.flatMap((argument) => evaluateItems(argument, context));
  const global = globalFunction(globalNameOf(node.callee, context.scope));
  if (global) return global(args, context);
  if (node.callee.type !== "MemberExpression") {
    const callee = evaluate(node.callee, context);
    if (callee instanceof Closure) return callClosure(callee, args, context);
    throw evaluationError("Only the page's own functions can be called.");
  }
  const { object: target, property, computed, optional } = node.callee;
  const value = evaluate(target, context);
  if (optional && (value === undefined || value === null)) return undefined;
  const name = propertyKey(property, computed, context);
  const own = isRecord(value) ? readMember(value, name) : undefined;
  if (own instanceof Closure) return callClosure(own, args, context);
  return callMethod(value, name, args, {
    ...context,
    call: (closure, args) => callClosure(closure, args, context),
  });
}

/** `String` or `Object.keys` if the callee is not a name of the page; else empty. */
function globalNameOf(callee: Expression | Super, scope: LexicalScope): string {
  if (callee.type === "Identifier") return scope.has(callee.name) ? "" : callee.name;
  if (callee.type !== "MemberExpression" || callee.computed) return "";
  const { object: target, property } = callee;
  if (target.type !== "Identifier" || property.type !== "Identifier") return "";
  return scope.has(target.name) ? "" : `${target.name}.${property.name}`;
}

function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (typeof value === "string" || typeof value === "boolean" || value === null) {
    return Number(value);
  }
  return Number.NaN;
}
