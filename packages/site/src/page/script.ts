import type { Program } from "acorn";
import {
  ScriptParser,
  skipComments,
  type JsxElement,
  type ScriptExpression,
} from "./jsx-syntax.ts";

const options = { ecmaVersion: "latest", sourceType: "module" } as const;

/** An ESM block or file as a syntax tree; undefined where it is not JavaScript with JSX. */
export function parseModule(script: string): Program | undefined {
  return parseOrUndefined(() => ScriptParser.parse(script, options));
}

/** Whether nothing but white space and comments stands in `script`. */
export function isEmptyScript(script: string): boolean {
  return skipComments(script, 0) >= script.length;
}

/**
 * What stands in an ESM block without being import, export or a declaration: an element written right
 * below an import, or text. A page shows it.
 */
export function strayStatements(
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

/** One expression as a syntax tree; undefined where it is none, or has something behind it. */
export function parseExpression(script: string): ScriptExpression | undefined {
  const expression = parseOrUndefined(() => ScriptParser.parseExpressionAt(script, 0, options));
  if (!expression || skipComments(script, endOf(expression, script)) < script.length)
    return undefined;
  return expression;
}

/** Acorn leaves the brackets around an expression out of it. */
function endOf(expression: ScriptExpression, script: string): number {
  let end = skipComments(script, expression.end);
  while (script[end] === ")") end = skipComments(script, end + 1);
  return end;
}

/** Acorn throws on what it cannot read, and runs out of stack on what nests too deep: both mean no script. */
function parseOrUndefined<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
