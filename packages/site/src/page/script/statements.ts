import type {
  BlockStatement,
  Pattern,
  Statement,
  SwitchStatement,
  TryStatement,
  VariableDeclaration,
} from "acorn";
import { limits } from "../../core/index.ts";
import { listItems } from "./iteration.ts";
import { tryEvaluation, createEvaluationError } from "./evaluation-context.ts";
import type { EvaluationContext } from "./evaluation-context.ts";
import type { ScriptExpression } from "./script.ts";
import { Closure, isList, LexicalScope, UnavailableValue } from "./value.ts";
import type { Value } from "./value.ts";

/** The functions for parts of statements. They are passed in because statements and expressions contain each other. */
export interface Evaluator {
  evaluate(node: ScriptExpression, context: EvaluationContext): Value;
  bind(pattern: Pattern, value: Value, context: EvaluationContext): void;
}

interface Completion {
  readonly type: "normal" | "return" | "break" | "continue";
  readonly value: Value;
}

const normalCompletion: Completion = { type: "normal", value: undefined };

/** Runs the statements of a function. Throws the same errors as `evaluate`. */
export function runBlock(
  block: BlockStatement,
  context: EvaluationContext,
  by: Evaluator,
): Completion {
  const inner = { ...context, scope: new LexicalScope(context.scope) };
  for (const statement of block.body) {
    if (statement.type !== "FunctionDeclaration") continue;
    inner.scope.set(statement.id.name, new Closure(statement, inner));
  }
  for (const statement of block.body) {
    const done = tryStatement(statement, inner, by);
    if (done.type !== "normal") return done;
  }
  return normalCompletion;
}

/**
 * Runs a statement. In a component that runs in the browser, skips a statement that cannot be evaluated. The values
 * that it would have changed are then unknown. A statement that may end the function cannot be skipped.
 */
function tryStatement(statement: Statement, context: EvaluationContext, by: Evaluator): Completion {
  const skipped: Completion = { type: "normal", value: undefined };
  const done = tryEvaluation(context, skipped, () => runStatement(statement, context, by));
  if (done !== skipped) return done;
  const effects = findEffects(statement);
  if (effects.endsFunction) throw createEvaluationError(unknownReason);
  for (const name of effects.names) {
    if (context.scope.has(name)) context.scope.assign(name, new UnavailableValue(unknownReason));
  }
  return normalCompletion;
}

const unknownReason = "It depends on a value that only a browser knows.";

/** The methods that change their object. */
const mutatingMethods = new Set(
  "add append assign clear copyWithin delete fill next pop push reverse set shift sort splice unshift".split(
    " ",
  ),
);

interface Effects {
  /** Whether the statement may return, break or continue. */
  endsFunction: boolean;
  /** The names whose values it may change. */
  readonly names: Set<string>;
}

/** Finds the possible effects of a statement. Does not recurse. */
function findEffects(statement: object): Effects {
  const effects: Effects = { endsFunction: false, names: new Set() };
  const stack: { readonly part: unknown; readonly isInner: boolean }[] = [
    { part: statement, isInner: false },
  ];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { part } = next;
    if (typeof part !== "object" || part === null) continue;
    const type: unknown = Reflect.get(part, "type");
    const isInner = next.isInner || (typeof type === "string" && /Function/.test(type));
    if (!isInner && typeof type === "string" && /^(?:Return|Break|Continue|Throw)/.test(type))
      effects.endsFunction = true;
    const name = findChangedName(part, type);
    if (name !== undefined) effects.names.add(name);
    for (const inner of Object.values(part)) {
      if (typeof inner === "object") stack.push({ part: inner, isInner });
    }
  }
  return effects;
}

/** Returns the name whose value an assignment or a method call changes. */
function findChangedName(part: object, type: unknown): string | undefined {
  if (type === "AssignmentExpression") return findRootName(Reflect.get(part, "left"));
  if (type === "UpdateExpression") return findRootName(Reflect.get(part, "argument"));
  if (type !== "CallExpression") return undefined;
  const callee: unknown = Reflect.get(part, "callee");
  if (typeof callee !== "object" || callee === null) return undefined;
  const method: unknown = Reflect.get(callee, "property");
  const name: unknown = typeof method === "object" && method ? Reflect.get(method, "name") : "";
  return typeof name === "string" && mutatingMethods.has(name) ? findRootName(callee) : undefined;
}

/** Returns `a` of `a`, `a.b` and `a.b.c`. */
function findRootName(target: unknown): string | undefined {
  let node = target;
  while (typeof node === "object" && node !== null) {
    const name: unknown = Reflect.get(node, "name");
    if (typeof name === "string") return name;
    node = Reflect.get(node, "object");
  }
  return undefined;
}

function runStatement(statement: Statement, context: EvaluationContext, by: Evaluator): Completion {
  context.budget.spendStep();
  switch (statement.type) {
    case "ReturnStatement": {
      const { argument } = statement;
      return { type: "return", value: argument && by.evaluate(argument, context) };
    }
    case "VariableDeclaration":
      declare(statement, context, by);
      return normalCompletion;
    case "FunctionDeclaration":
    case "EmptyStatement":
      return normalCompletion;
    case "IfStatement": {
      const isTrue = Boolean(by.evaluate(statement.test, context));
      const branch = isTrue ? statement.consequent : statement.alternate;
      return branch ? runStatement(branch, context, by) : normalCompletion;
    }
    case "BlockStatement":
      return runBlock(statement, context, by);
    default:
      if (context.live !== undefined) return runLiveStatement(statement, context, by);
      throw createEvaluationError(
        `It contains a ${statement.type}; a static page runs only declarations, \`if\` and \`return\`.`,
      );
  }
}

/** Runs a statement that is supported only in components with state, whose steps are limited separately. */
function runLiveStatement(
  statement: Statement,
  context: EvaluationContext,
  by: Evaluator,
): Completion {
  switch (statement.type) {
    case "ExpressionStatement":
      by.evaluate(statement.expression, context);
      return normalCompletion;
    case "BreakStatement":
      return { type: "break", value: undefined };
    case "ContinueStatement":
      return { type: "continue", value: undefined };
    case "TryStatement":
      return runTry(statement, context, by);
    case "ForStatement": {
      const inner = { ...context, scope: new LexicalScope(context.scope) };
      const { init, test, update, body } = statement;
      if (init?.type === "VariableDeclaration") declare(init, inner, by);
      else if (init) by.evaluate(init, inner);
      return runLoop(() => !test || Boolean(by.evaluate(test, inner)), {
        run: () => runStatement(body, inner, by),
        next: () => update && by.evaluate(update, inner),
      });
    }
    case "ForOfStatement": {
      const iterated = by.evaluate(statement.right, context);
      const items = isList(iterated) ? iterated : listItems(iterated, context);
      const { left, body } = statement;
      let at = 0;
      return runLoop(() => at < items.length, {
        run() {
          const inner = { ...context, scope: new LexicalScope(context.scope) };
          const target = left.type === "VariableDeclaration" ? left.declarations[0]?.id : left;
          if (target) by.bind(target, items[at], inner);
          return runStatement(body, inner, by);
        },
        next: () => (at += 1),
      });
    }
    case "SwitchStatement":
      return runSwitch(statement, context, by);
    case "WhileStatement":
      return runLoop(() => Boolean(by.evaluate(statement.test, context)), {
        run: () => runStatement(statement.body, context, by),
        next: () => undefined,
      });
    default:
      throw createEvaluationError(`It contains a ${statement.type}.`);
  }
}

/** Runs the `try` and `finally` blocks. Does not run `catch`, because the error that it would receive is not known. */
function runTry(
  { block, finalizer }: TryStatement,
  context: EvaluationContext,
  by: Evaluator,
): Completion {
  const done = runBlock(block, context, by);
  const last = finalizer ? runBlock(finalizer, context, by) : normalCompletion;
  return last.type === "normal" ? done : last;
}

function runSwitch(
  { discriminant, cases }: SwitchStatement,
  context: EvaluationContext,
  by: Evaluator,
): Completion {
  const inner = { ...context, scope: new LexicalScope(context.scope) };
  const value = by.evaluate(discriminant, inner);
  const chosen = cases.findIndex(({ test }) => test && by.evaluate(test, inner) === value);
  const first = chosen === -1 ? cases.findIndex(({ test }) => !test) : chosen;
  const statements = first === -1 ? [] : cases.slice(first).flatMap(({ consequent }) => consequent);
  for (const statement of statements) {
    const done = runStatement(statement, inner, by);
    if (done.type === "break") return normalCompletion;
    if (done.type !== "normal") return done;
  }
  return normalCompletion;
}

interface LoopBody {
  readonly run: () => Completion;
  readonly next: () => unknown;
}

/** Runs a loop. Throws if the loop takes too long, so that steps remain for the content below it. */
function runLoop(isOn: () => boolean, { run, next }: LoopBody): Completion {
  for (let rounds = 0; isOn(); next(), rounds++) {
    if (rounds === limits.liveRounds) throw createEvaluationError("A loop runs too many times.");
    const done = run();
    if (done.type === "return") return done;
    if (done.type === "break") break;
  }
  return normalCompletion;
}

function declare(
  declaration: VariableDeclaration,
  context: EvaluationContext,
  by: Evaluator,
): void {
  for (const { id, init } of declaration.declarations) {
    const unknown = new UnavailableValue(unknownReason);
    const value = tryEvaluation<Value>(context, unknown, () => init && by.evaluate(init, context));
    if (value === unknown)
      for (const name of listDeclaredNames(id)) context.scope.set(name, unknown);
    else by.bind(id, value, context);
  }
}

/** Lists the names that a pattern declares. */
export function listDeclaredNames(pattern: Pattern): readonly string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "AssignmentPattern":
      return listDeclaredNames(pattern.left);
    case "RestElement":
      return listDeclaredNames(pattern.argument);
    case "ArrayPattern":
      return pattern.elements.flatMap((item) => (item ? listDeclaredNames(item) : []));
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        property.type === "Property"
          ? listDeclaredNames(property.value)
          : listDeclaredNames(property.argument),
      );
    default:
      return [];
  }
}
