import type {
  BlockStatement,
  Pattern,
  Statement,
  SwitchStatement,
  VariableDeclaration,
} from "acorn";
import { limits } from "../../core/index.ts";
import { tryEvaluation, createEvaluationError } from "./evaluation-context.ts";
import type { EvaluationContext } from "./evaluation-context.ts";
import type { ScriptExpression } from "./jsx-syntax.ts";
import { Closure, isList, LexicalScope, UnavailableValue } from "./value.ts";
import type { Value } from "./value.ts";

/** The parts of statements; statements and expressions contain each other. */
export interface Evaluator {
  evaluate(node: ScriptExpression, context: EvaluationContext): Value;
  bind(pattern: Pattern, value: Value, context: EvaluationContext): void;
}

interface Completion {
  readonly type: "normal" | "return" | "break" | "continue";
  readonly value: Value;
}

const normalCompletion: Completion = { type: "normal", value: undefined };

/** Runs the statements of a function. Throws as `evaluate` does. */
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
    const done = tryEvaluation(inner, normalCompletion, () => runStatement(statement, inner, by));
    if (done.type !== "normal") return done;
  }
  return normalCompletion;
}

function runStatement(statement: Statement, context: EvaluationContext, by: Evaluator): Completion {
  context.budget.spendStep();
  switch (statement.type) {
    case "ReturnStatement": {
      const { argument } = statement;
      const value = tryEvaluation(
        context,
        undefined,
        () => argument && by.evaluate(argument, context),
      );
      return { type: "return", value };
    }
    case "VariableDeclaration":
      declare(statement, context, by);
      return normalCompletion;
    case "FunctionDeclaration":
    case "EmptyStatement":
      return normalCompletion;
    case "IfStatement": {
      const isTrue = tryEvaluation(context, false, () =>
        Boolean(by.evaluate(statement.test, context)),
      );
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

/** Runs statements that only components with state have: their steps are limited separately from the page's. */
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
      return runBlock(statement.block, context, by);
    case "ForStatement": {
      const inner = { ...context, scope: new LexicalScope(context.scope) };
      const { init, test, update, body } = statement;
      if (init?.type === "VariableDeclaration") declare(init, inner, by);
      else if (init) by.evaluate(init, inner);
      return loop(() => !test || Boolean(by.evaluate(test, inner)), {
        run: () => runStatement(body, inner, by),
        next: () => update && by.evaluate(update, inner),
      });
    }
    case "ForOfStatement": {
      const items = by.evaluate(statement.right, context);
      if (!isList(items)) throw createEvaluationError("Only a list can be iterated over.");
      const { left, body } = statement;
      let at = 0;
      return loop(() => at < items.length, {
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
      return loop(() => Boolean(by.evaluate(statement.test, context)), {
        run: () => runStatement(statement.body, context, by),
        next: () => undefined,
      });
    default:
      throw createEvaluationError(`It contains a ${statement.type}.`);
  }
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

/** Runs a loop; abandons a loop that takes too long, so that steps remain for the content below it. */
function loop(isOn: () => boolean, { run, next }: LoopBody): Completion {
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
    const unknown = new UnavailableValue("It depends on a value that only a browser knows.");
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
