import type { Props, PropValue } from "./tree.ts";
import {
  tryEvaluation,
  createEvaluationError,
  findEvaluationErrorReason,
  type EvaluationContext,
} from "./script/evaluation-context.ts";
import { decodeEntities } from "./html-syntax.ts";
import { evaluate } from "./script/interpret.ts";
import { restoreMarks } from "./marks.ts";
import type { RawAttribute } from "./raw-node.ts";
import { parseExpression } from "./script/script.ts";
import type { JsxAttribute } from "./script/script.ts";
import { Closure, isForbiddenKey, isRecord, toPropValue, type Value } from "./script/value.ts";
import { chargeValue } from "./script/value-nodes.ts";

/** Evaluates the source of an expression. Throws `invalid_input` if a static page cannot evaluate it. */
export function evaluateSource(source: string, context: EvaluationContext): Value {
  // Most attributes have one of these forms, which Acorn takes 20 times as long to parse.
  if (/^-?\d{1,15}$/.test(source)) return Number(source);
  if (source === "true") return true;
  if (source === "false") return false;
  const expression = parseExpression(source);
  if (!expression) throw createEvaluationError("It is not a single JavaScript expression.");
  return evaluate(expression, { ...context, script: source });
}

/**
 * Evaluates the attributes that an author wrote on an element of a page. Omits attributes that cannot be evaluated and
 * reports them to `warn`. Silently omits event handlers (`onClick`), because they never run.
 */
export function readAttributes(
  attributes: readonly RawAttribute[],
  context: EvaluationContext,
  warn: (code: string, message: string) => void,
): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const attribute of attributes) {
    const label = attribute.type === "mdxJsxAttribute" ? attribute.name : "...";
    try {
      readAttribute(attribute, context, values);
    } catch (error) {
      const reason = findEvaluationErrorReason(error);
      if (reason === undefined) throw error;
      if (!isEventHandler(label)) {
        warn("attribute_not_static", `The attribute \`${label}\` is ignored: ${reason}`);
      }
    }
  }
  return values;
}

function readAttribute(
  attribute: RawAttribute,
  context: EvaluationContext,
  values: Map<string, Value>,
): void {
  if (attribute.type === "mdxJsxExpressionAttribute") {
    const source = restoreMarks(attribute.value)
      .trim()
      .replace(/^\.\.\./, "");
    spread(evaluateSource(source, context), values);
    return;
  }
  const { name, value } = attribute;
  if (value === undefined || value === null) values.set(name, true);
  else if (typeof value === "string") values.set(name, restoreMarks(value));
  else
    values.set(
      name,
      evaluateSource(restoreMarks(value.value).trim(), { ...context, isFlow: false }),
    );
}

function spread(value: Value, values: Map<string, Value>): void {
  if (!isRecord(value)) return;
  for (const [key, item] of Object.entries(value)) values.set(key, item);
}

/** Evaluates the attributes of an element inside an expression. Throws the same errors as `evaluate`. */
export function readJsxAttributes(
  attributes: readonly JsxAttribute[],
  context: EvaluationContext,
): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const attribute of attributes) {
    tryEvaluation(context, undefined, () => readJsxAttribute(attribute, context, values));
  }
  return values;
}

function readJsxAttribute(
  attribute: JsxAttribute,
  context: EvaluationContext,
  values: Map<string, Value>,
): void {
  if (attribute.type === "spread") spread(evaluate(attribute.value, context), values);
  else if (attribute.value === true) values.set(attribute.name, true);
  else if (typeof attribute.value === "string") {
    values.set(attribute.name, decodeEntities(attribute.value));
  } else values.set(attribute.name, evaluate(attribute.value, { ...context, isFlow: false }));
}

/** Returns the attribute values that an element can have. Omits all other values and reports them to `warn`. */
export function toProps(
  values: ReadonlyMap<string, Value>,
  context: EvaluationContext,
  warn: (code: string, message: string) => void,
): Props {
  const props: Record<string, PropValue> = {};
  for (const [name, value] of values) {
    if (name === "children" || name === "key" || name === "ref" || isForbiddenKey(name)) continue;
    if (name === "dangerouslySetInnerHTML" && context.live) continue;
    if (!chargeValue(value, context.budget)) {
      warn(
        "attribute_not_static",
        `The attribute \`${name}\` is ignored: its value is nested too deeply.`,
      );
      continue;
    }
    const prop = toPropValue(value);
    if (prop !== undefined) props[name] = prop;
    else if (value instanceof Closure && !isEventHandler(name) && context.live === undefined) {
      warn(
        "attribute_not_static",
        `The attribute \`${name}\` is ignored: a static page cannot call functions.`,
      );
    }
  }
  return props;
}

function isEventHandler(name: string): boolean {
  return /^on[A-Z]/.test(name);
}
