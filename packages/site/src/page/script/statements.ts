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

/** The functions for the expressions and patterns in statements, passed in to avoid a cycle of imports. */
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
  evaluator: Evaluator,
): Completion {
  const inner = { ...context, scope: new LexicalScope(context.scope) };
  for (const statement of block.body) {
    if (statement.type !== "FunctionDeclaration") continue;
    inner.scope.set(statement.id.name, new Closure(statement, inner));
  }
  for (const statement of block.body) {
    const completion = tryStatement(statement, inner, evaluator);
    if (completion.type !== "normal") return completion;
  }
  return normalCompletion;
}

/**
 * Runs a statement. In a component that runs in the browser, skips a statement that cannot be evaluated. The values
 * that the statement would have changed are then unknown. A statement that may end the function cannot be skipped.
 */
function tryStatement(
  statement: Statement,
  context: EvaluationContext,
  evaluator: Evaluator,
): Completion {
  const skipped: Completion = { type: "normal", value: undefined };
  const completion = tryEvaluation(context, skipped, () =>
    runStatement(statement, context, evaluator),
  );
  if (completion !== skipped) return completion;
  const effects = findEffects(statement);
  if (effects.mayEndFunction) throw createEvaluationError(unknownReason);
  for (const name of effects.changedNames) {
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
  /** Whether the statement may return, throw, break or continue. */
  mayEndFunction: boolean;
  /** The names whose values the statement may change. */
  readonly changedNames: Set<string>;
}

/** Finds the possible effects of a statement. Does not recurse. */
function findEffects(statement: object): Effects {
  const effects: Effects = { mayEndFunction: false, changedNames: new Set() };
  const stack: { readonly part: unknown; readonly isInner: boolean }[] = [
    { part: statement, isInner: false },
  ];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { part } = next;
    if (typeof part !== "object" || part === null) continue;
    const type: unknown = Reflect.get(part, "type");
    const isInner = next.isInner || (typeof type === "string" && /Function/.test(type));
    if (!isInner && typeof type === "string" && /^(?:Return|Break|Continue|Throw)/.test(type))
      effects.mayEndFunction = true;
    const name = findChangedName(part, type);
    if (name !== undefined) effects.changedNames.add(name);
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

function runStatement(
  statement: Statement,
  context: EvaluationContext,
  evaluator: Evaluator,
): Completion {
  context.budget.spendSteps();
  switch (statement.type) {
    case "ReturnStatement": {
      const { argument } = statement;
      return { type: "return", value: argument && evaluator.evaluate(argument, context) };
    }
    case "VariableDeclaration":
      declare(statement, context, evaluator);
      return normalCompletion;
    case "FunctionDeclaration":
    case "EmptyStatement":
      return normalCompletion;
    case "IfStatement": {
      const isTrue = Boolean(evaluator.evaluate(statement.test, context));
      const branch = isTrue ? statement.consequent : statement.alternate;
      return branch ? runStatement(branch, context, evaluator) : normalCompletion;
    }
    case "BlockStatement":
      return runBlock(statement, context, evaluator);
    default:
      if (context.live !== undefined) return runLiveStatement(statement, context, evaluator);
      throw createEvaluationError(
        `It contains a ${statement.type}; a static page runs only declarations, \`if\` and \`return\`.`,
      );
  }
}

/**
 * Runs a statement that is supported only in components that run in the browser, because their steps are limited
 * separately.
 */
function runLiveStatement(
  statement: Statement,
  context: EvaluationContext,
  evaluator: Evaluator,
): Completion {
  switch (statement.type) {
    case "ExpressionStatement":
      evaluator.evaluate(statement.expression, context);
      return normalCompletion;
    case "BreakStatement":
      return { type: "break", value: undefined };
    case "ContinueStatement":
      return { type: "continue", value: undefined };
    case "TryStatement":
      return runTry(statement, context, evaluator);
    case "ForStatement": {
      const inner = { ...context, scope: new LexicalScope(context.scope) };
      const { init, test, update, body } = statement;
      if (init?.type === "VariableDeclaration") declare(init, inner, evaluator);
      else if (init) evaluator.evaluate(init, inner);
      return runLoop(() => !test || Boolean(evaluator.evaluate(test, inner)), {
        run: () => runStatement(body, inner, evaluator),
        advance: () => update && evaluator.evaluate(update, inner),
      });
    }
    case "ForOfStatement": {
      const iterated = evaluator.evaluate(statement.right, context);
      const items = isList(iterated) ? iterated : listItems(iterated, context);
      const { left, body } = statement;
      let index = 0;
      return runLoop(() => index < items.length, {
        run() {
          const inner = { ...context, scope: new LexicalScope(context.scope) };
          const target = left.type === "VariableDeclaration" ? left.declarations[0]?.id : left;
          if (target) evaluator.bind(target, items[index], inner);
          return runStatement(body, inner, evaluator);
        },
        advance: () => (index += 1),
      });
    }
    case "SwitchStatement":
      return runSwitch(statement, context, evaluator);
    case "WhileStatement":
      return runLoop(() => Boolean(evaluator.evaluate(statement.test, context)), {
        run: () => runStatement(statement.body, context, evaluator),
        advance: () => undefined,
      });
    default:
      throw createEvaluationError(`It contains a ${statement.type}.`);
  }
}

/** Runs the `try` and `finally` blocks. Does not run `catch`, because the error that it would receive is not known. */
function runTry(
  { block, finalizer }: TryStatement,
  context: EvaluationContext,
  evaluator: Evaluator,
): Completion {
  const completion = runBlock(block, context, evaluator);
  const finalCompletion = finalizer ? runBlock(finalizer, context, evaluator) : normalCompletion;
  return finalCompletion.type === "normal" ? completion : finalCompletion;
}

function runSwitch(
  { discriminant, cases }: SwitchStatement,
  context: EvaluationContext,
  evaluator: Evaluator,
): Completion {
  const inner = { ...context, scope: new LexicalScope(context.scope) };
  const value = evaluator.evaluate(discriminant, inner);
  const matchIndex = cases.findIndex(
    ({ test }) => test && evaluator.evaluate(test, inner) === value,
  );
  const startIndex = matchIndex === -1 ? cases.findIndex(({ test }) => !test) : matchIndex;
  const statements =
    startIndex === -1 ? [] : cases.slice(startIndex).flatMap(({ consequent }) => consequent);
  for (const statement of statements) {
    const completion = runStatement(statement, inner, evaluator);
    if (completion.type === "break") return normalCompletion;
    if (completion.type !== "normal") return completion;
  }
  return normalCompletion;
}

interface LoopBody {
  readonly run: () => Completion;
  readonly advance: () => unknown;
}

/** Runs a loop. Throws if the loop takes too long, so that steps remain for the content after it. */
function runLoop(shouldContinue: () => boolean, { run, advance }: LoopBody): Completion {
  for (let rounds = 0; shouldContinue(); advance(), rounds++) {
    if (rounds === limits.clientLoopIterations)
      throw createEvaluationError("A loop runs too many times.");
    const completion = run();
    if (completion.type === "return") return completion;
    if (completion.type === "break") break;
  }
  return normalCompletion;
}

function declare(
  declaration: VariableDeclaration,
  context: EvaluationContext,
  evaluator: Evaluator,
): void {
  for (const { id, init } of declaration.declarations) {
    const unknown = new UnavailableValue(unknownReason);
    const value = tryEvaluation<Value>(
      context,
      unknown,
      () => init && evaluator.evaluate(init, context),
    );
    if (value === unknown)
      for (const name of listDeclaredNames(id)) context.scope.set(name, unknown);
    else evaluator.bind(id, value, context);
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
