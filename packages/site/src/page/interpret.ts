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
import { cannot, toText, type Circumstances } from "./circumstances.ts";
import { globalFunction } from "./global-function.ts";
import type { JsxElement, ScriptExpression } from "./jsx-syntax.ts";
import { callMethod } from "./value-method.ts";
import {
  Absent,
  Closure,
  isForbiddenKey,
  isJsxValue,
  isList,
  isRecord,
  Scope,
  type Value,
  type ValueRecord,
} from "./value.ts";

/**
 * The value of an expression, by a short list of what pages need: literals, names, members, operators,
 * elements, functions of the author's own. Nothing of the program can be reached from it. Throws
 * `invalid_input` where the expression is none of these, `too_large` where the budget is spent.
 */
export function evaluate(node: ScriptExpression | Super, at: Circumstances): Value {
  at.budget.step();
  switch (node.type) {
    case "Literal":
      return literal(node.value);
    case "TemplateLiteral":
      return template(node.quasis, node.expressions, at);
    case "Identifier":
      return lookUp(node.name, at.scope);
    case "JsxElement":
      return { type: "jsx", nodes: at.renderElement(node, at) };
    case "ArrayExpression":
      return node.elements.flatMap((item) => items(item, at));
    case "ObjectExpression":
      return object(node, at);
    case "ArrowFunctionExpression":
    case "FunctionExpression":
      return new Closure(node, at.scope, at.file);
    default:
      return operate(node, at);
  }
}

function operate(node: Exclude<ScriptExpression, JsxElement> | Super, at: Circumstances): Value {
  switch (node.type) {
    case "UnaryExpression":
      return unary(node, at);
    case "BinaryExpression":
      return binary(node, at);
    case "LogicalExpression":
      return logical(node, at);
    case "ConditionalExpression":
      return evaluate(evaluate(node.test, at) ? node.consequent : node.alternate, at);
    case "MemberExpression":
      return member(node, at);
    case "ChainExpression":
    case "ParenthesizedExpression":
      return evaluate(node.expression, at);
    case "CallExpression":
      return call(node, at);
    default:
      throw cannot(`Expressions of this kind (${node.type}) are not worked out in a static page.`);
  }
}

/** What a function gives back for values. Throws as `evaluate` does. */
export function callClosure(
  closure: Closure,
  args: readonly Value[],
  around: Circumstances,
): Value {
  const { node, file } = closure;
  around.budget.step();
  if (node.async || node.generator) throw cannot("Async functions are not run in a static page.");
  const scope = new Scope(closure.scope);
  const at = { ...around, scope, file };
  for (const [index, pattern] of node.params.entries()) {
    const value = pattern.type === "RestElement" ? args.slice(index) : args[index];
    bind(pattern.type === "RestElement" ? pattern.argument : pattern, value, at);
  }
  if (node.body.type !== "BlockStatement") return evaluate(node.body, at);
  return run(node.body, at).value;
}

/** Gives the names of a pattern (`name`, `{ a, b: c = 1, ...rest }`, `[x, y]`) their values. */
export function bind(pattern: Pattern, value: Value, at: Circumstances): void {
  at.budget.step();
  switch (pattern.type) {
    case "Identifier":
      at.scope.set(pattern.name, value);
      return;
    case "AssignmentPattern":
      return bind(pattern.left, value === undefined ? evaluate(pattern.right, at) : value, at);
    case "ArrayPattern":
      for (const [index, item] of pattern.elements.entries()) {
        if (item) bind(item, isList(value) ? value[index] : undefined, at);
      }
      return;
    case "ObjectPattern":
      return bindObject(pattern, value, at);
    case "RestElement":
      return bind(pattern.argument, value, at);
    default:
      throw cannot("Only plain names can be assigned in a static page.");
  }
}

function bindObject(
  pattern: Extract<Pattern, { type: "ObjectPattern" }>,
  value: Value,
  at: Circumstances,
): void {
  const taken = new Set<string>();
  for (const property of pattern.properties) {
    if (property.type === "RestElement") {
      const record = isRecord(value) ? value : {};
      const rest = Object.entries(record).filter(([key]) => !taken.has(key));
      bind(property.argument, Object.fromEntries(rest), at);
      continue;
    }
    const key = propertyKey(property.key, property.computed, at);
    taken.add(key);
    bind(property.value, readMember(value, key), at);
  }
}

interface Completion {
  readonly hasReturned: boolean;
  readonly value: Value;
}

const goesOn: Completion = { hasReturned: false, value: undefined };

function run(block: BlockStatement, at: Circumstances): Completion {
  const inner = { ...at, scope: new Scope(at.scope) };
  for (const statement of block.body) {
    const done = runStatement(statement, inner);
    if (done.hasReturned) return done;
  }
  return goesOn;
}

function runStatement(statement: Statement, at: Circumstances): Completion {
  at.budget.step();
  switch (statement.type) {
    case "ReturnStatement":
      return {
        hasReturned: true,
        value: statement.argument ? evaluate(statement.argument, at) : undefined,
      };
    case "VariableDeclaration":
      declare(statement, at);
      return goesOn;
    case "FunctionDeclaration":
      at.scope.set(statement.id.name, new Closure(statement, at.scope, at.file));
      return goesOn;
    case "IfStatement": {
      const branch = evaluate(statement.test, at) ? statement.consequent : statement.alternate;
      return branch ? runStatement(branch, at) : goesOn;
    }
    case "BlockStatement":
      return run(statement, at);
    case "EmptyStatement":
      return goesOn;
    default:
      throw cannot(
        `It runs a ${statement.type}; only declarations, \`if\` and \`return\` are run.`,
      );
  }
}

export function declare(declaration: VariableDeclaration, at: Circumstances): void {
  for (const { id, init } of declaration.declarations) {
    bind(id, init ? evaluate(init, at) : undefined, at);
  }
}

function literal(value: unknown): Value {
  if (typeof value === "string") return asText(value);
  if (typeof value === "number") return value;
  if (typeof value === "boolean" || value === null) return value;
  throw cannot("Regular expressions and big numbers are not worked out in a static page.");
}

/** By an escape a script can name what no text holds: half a character, NUL, the marks of the parser. */
const noText = /[\0\p{Surrogate}\uFDD0-\uFDEF]/gu;

function asText(value: string): string {
  return value.replaceAll(noText, "\uFFFD");
}

function template(
  quasis: readonly { readonly value: { readonly cooked?: string | null } }[],
  expressions: readonly Expression[],
  at: Circumstances,
): string {
  const parts: string[] = [];
  for (const [index, quasi] of quasis.entries()) {
    parts.push(asText(quasi.value.cooked ?? ""));
    const expression = expressions[index];
    if (expression) parts.push(toText(evaluate(expression, at)));
  }
  return paid(parts.join(""), at);
}

function paid(text: string, at: Circumstances): string {
  at.budget.characters(text.length);
  return text;
}

function lookUp(name: string, scope: Scope): Value {
  if (name === "undefined") return undefined;
  if (!scope.has(name)) throw cannot(missing(name), name);
  const value = scope.get(name);
  if (value instanceof Absent) throw cannot(value.reason, name);
  return value;
}

function missing(name: string): string {
  if (/^(?:use[A-Z]|React$|window$|document$|navigator$)/.test(name)) {
    return `It needs a running browser (\`${name}\`), which a static page does not have.`;
  }
  return `\`${name}\` is not defined.`;
}

function items(node: Expression | SpreadElement | null, at: Circumstances): readonly Value[] {
  if (node === null) return [undefined];
  if (node.type !== "SpreadElement") return [evaluate(node, at)];
  const value = evaluate(node.argument, at);
  if (!isList(value)) throw cannot("Only a list can be spread into a list.");
  at.budget.nodes(value.length);
  return value;
}

function object(node: ObjectExpression, at: Circumstances): ValueRecord {
  const record: Record<string, Value> = {};
  for (const property of node.properties) {
    if (property.type === "SpreadElement") {
      const value = evaluate(property.argument, at);
      if (!isRecord(value)) continue;
      at.budget.nodes(Object.keys(value).length);
      Object.assign(record, value);
      continue;
    }
    const key = propertyKey(property.key, property.computed, at);
    if (!isForbiddenKey(key)) record[key] = evaluate(property.value, at);
  }
  return record;
}

function propertyKey(
  key: Expression | PrivateIdentifier,
  isComputed: boolean,
  at: Circumstances,
): string {
  if (isComputed && key.type !== "PrivateIdentifier") return toText(evaluate(key, at));
  if (key.type === "Identifier") return key.name;
  if (key.type === "Literal") return String(key.value);
  throw cannot("This name of a property cannot be worked out.");
}

function unary(node: UnaryExpression, at: Circumstances): Value {
  const value = evaluate(node.argument, at);
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
      throw cannot(`The operator \`${node.operator}\` is not worked out in a static page.`);
  }
}

function logical(node: LogicalExpression, at: Circumstances): Value {
  const left = evaluate(node.left, at);
  if (node.operator === "&&") return left ? evaluate(node.right, at) : left;
  if (node.operator === "||") return left ? left : evaluate(node.right, at);
  return left ?? evaluate(node.right, at);
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

function binary(node: BinaryExpression, at: Circumstances): Value {
  if (node.left.type === "PrivateIdentifier") throw cannot("Private names have no value here.");
  const left = evaluate(node.left, at);
  const right = evaluate(node.right, at);
  switch (node.operator) {
    case "+":
      if (typeof left === "number" && typeof right === "number") return left + right;
      return paid(toText(left) + toText(right), at);
    case "===":
    case "==":
      return left === right;
    case "!==":
    case "!=":
      return left !== right;
    default: {
      const operation = arithmetic[node.operator];
      if (operation) return operation(toNumber(left), toNumber(right));
      throw cannot(`The operator \`${node.operator}\` is not worked out in a static page.`);
    }
  }
}

function member(node: MemberExpression, at: Circumstances): Value {
  const value = evaluate(node.object, at);
  if (node.optional && (value === undefined || value === null)) return undefined;
  return readMember(value, propertyKey(node.property, node.computed, at));
}

/** A value's own property; never what JavaScript's objects inherit. Throws as `evaluate` does. */
export function readMember(value: Value, key: string): Value {
  if (isForbiddenKey(key)) throw cannot(`\`${key}\` cannot be read in a page.`);
  if (typeof value === "string" || isList(value)) {
    if (key === "length") return value.length;
    return /^\d{1,9}$/.test(key) ? value[Number(key)] : undefined;
  }
  if (isRecord(value) && !isJsxValue(value)) {
    return Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (value === undefined || value === null) throw cannot(`\`${key}\` of nothing cannot be read.`);
  return undefined;
}

function call(node: CallExpression, at: Circumstances): Value {
  const args = node.arguments.flatMap((argument) => items(argument, at));
  const global = globalFunction(globalName(node.callee, at.scope));
  if (global) return global(args, at);
  if (node.callee.type !== "MemberExpression") {
    const callee = evaluate(node.callee, at);
    if (callee instanceof Closure) return callClosure(callee, args, at);
    throw cannot("Only the page's own functions can be called.");
  }
  const { object: target, property, computed, optional } = node.callee;
  const value = evaluate(target, at);
  if (optional && (value === undefined || value === null)) return undefined;
  const name = propertyKey(property, computed, at);
  const own = isRecord(value) ? readMember(value, name) : undefined;
  if (own instanceof Closure) return callClosure(own, args, at);
  return callMethod(value, name, args, {
    ...at,
    call: (closure, args) => callClosure(closure, args, at),
  });
}

/** `String` or `Object.keys` where no name of the page is meant; else empty. */
function globalName(callee: Expression | Super, scope: Scope): string {
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
