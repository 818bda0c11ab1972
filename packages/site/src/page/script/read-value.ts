import { evaluationError } from "./evaluation-context.ts";
import { reactValue } from "./react.ts";
import {
  isForbiddenKey,
  isJsxValue,
  isList,
  isRecord,
  UnavailableValue,
  type LexicalScope,
  type Value,
} from "./value.ts";

/** The value of a name. Throws `invalid_input` if it is undefined or has no value in a static page. */
export function lookUpName(name: string, scope: LexicalScope): Value {
  if (name === "undefined") return undefined;
  if (!scope.has(name)) {
    const native = reactValue(name);
    if (native === undefined) throw evaluationError(missingNameReason(name), name);
    return native;
  }
  const value = scope.get(name);
  if (value instanceof UnavailableValue) throw evaluationError(value.reason, name);
  return value;
}

function missingNameReason(name: string): string {
  if (/^(?:use[A-Z]|React$|window$|document$|navigator$)/.test(name)) {
    return `\`${name}\` needs a browser, which a static page does not have.`;
  }
  return `\`${name}\` is not defined.`;
}

/** Reads an own property of a value, never an inherited one. Throws as `evaluate` does. */
export function readMember(value: Value, key: string): Value {
  if (isForbiddenKey(key)) throw evaluationError(`\`${key}\` cannot be read in a page.`);
  if (typeof value === "string" || isList(value)) {
    if (key === "length") return value.length;
    return /^\d{1,9}$/.test(key) ? value[Number(key)] : undefined;
  }
  if (isRecord(value) && !isJsxValue(value)) {
    return Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (value === undefined || value === null)
    throw evaluationError(`\`${key}\` of null or undefined cannot be read.`);
  return undefined;
}
