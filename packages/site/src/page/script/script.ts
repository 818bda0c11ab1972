import type { Program } from "acorn";
import {
  ScriptParser,
  skipComments,
  type JsxElement,
  type ScriptExpression,
} from "./jsx-syntax.ts";

const options = { ecmaVersion: "latest", sourceType: "module" } as const;

/** Parses an ESM block or file; undefined if it is not JavaScript with JSX. */
export function parseModule(script: string): Program | undefined {
  return parseOrUndefined(() => ScriptParser.parse(script, options));
}

/** Reports whether `script` contains only white space and comments. */
export function isEmptyScript(script: string): boolean {
  return skipComments(script, 0) >= script.length;
}

/**
 * Lists the statements of an ESM block that are not imports, exports or declarations, such as text or an element
 * directly below an import. A page shows them.
 */
export function listStrayStatements(
  script: string,
): readonly { readonly text: string; readonly element?: JsxElement }[] {
  const statements = parseModule(script)?.body ?? [];
  return statements.flatMap((statement) => {
    if (statement.type !== "ExpressionStatement") return [];
    const expression = statement.expression as ScriptExpression;
    const text = script.slice(statement.start, statement.end);
    return [expression.type === "JsxElement" ? { text, element: expression } : { text }];
  });
}

/** Reports whether `script` is a module that contains only imports, exports and declarations. */
export function isModuleOnly(script: string): boolean {
  const program = parseModule(script);
  return program !== undefined && program.body.every(({ type }) => type !== "ExpressionStatement");
}

/** Parses one expression; undefined if `script` is not exactly one. */
export function parseExpression(script: string): ScriptExpression | undefined {
  const expression = parseOrUndefined(() => ScriptParser.parseExpressionAt(script, 0, options));
  if (!expression || skipComments(script, findEnd(expression, script)) < script.length)
    return undefined;
  return expression;
}

/** Returns the end of an expression after the parentheses around it, which acorn excludes. */
function findEnd(expression: ScriptExpression, script: string): number {
  let end = skipComments(script, expression.end);
  while (script[end] === ")") end = skipComments(script, end + 1);
  return end;
}

/** Returns undefined if acorn throws a syntax error, or overflows the stack because of deep nesting. */
function parseOrUndefined<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
