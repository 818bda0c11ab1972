import { createEvaluationError, type EvaluationContext } from "./evaluation-context.ts";
import { toNumber } from "./operators.ts";
import { DateValue, FormatterValue, isList, isRecord, type Value } from "./value.ts";

/** The steps that are charged for creating a formatter, because the engine loads data of the locale. */
const formatterSteps = 500;

/** Runs a function of the engine. Throws `invalid_input` for errors that a script could catch. */
export function tryHost<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const isOfScript =
      error instanceof RangeError ||
      error instanceof TypeError ||
      error instanceof SyntaxError ||
      error instanceof URIError ||
      error instanceof DOMException;
    if (!isOfScript) throw error;
    throw createEvaluationError(`It fails: ${error.message}`);
  }
}

/** Matches times that mean the same in all time zones. */
const absoluteTime =
  /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?)?)?$/;

/** Parses a time like `Date.parse`. Throws `invalid_input` if the result depends on the time zone. */
export function parseTime(value: Value): number {
  if (typeof value !== "string" || !absoluteTime.test(value))
    throw createEvaluationError("This time depends on the reader's time zone.");
  return Date.parse(value);
}

/** Creates a date from the arguments of `new Date`. Throws `invalid_input` if it is not the same for all readers. */
export function createDate(args: readonly Value[]): DateValue {
  const [value] = args;
  if (args.length !== 1)
    throw createEvaluationError("This date depends on the time of the visit, or on the time zone.");
  if (value instanceof DateValue) return new DateValue(value.time);
  const time = typeof value === "string" ? parseTime(value) : toNumber(value);
  return new DateValue(new Date(time).getTime());
}

const parts = [
  "getTime",
  "valueOf",
  "toISOString",
  "toJSON",
  "toUTCString",
  "getUTCFullYear",
  "getUTCMonth",
  "getUTCDate",
  "getUTCDay",
  "getUTCHours",
  "getUTCMinutes",
  "getUTCSeconds",
  "getUTCMilliseconds",
] as const;

/** Calls a method of a date. Throws `invalid_input` if the method is unsupported or depends on the time zone. */
export function callDateMethod(
  { time }: DateValue,
  name: string,
  args: readonly Value[],
  context: EvaluationContext,
): Value {
  const date = new Date(time);
  const part = parts.find((known) => known === name);
  if (part) return tryHost(() => date[part]()) ?? null;
  const kind = /^toLocale(Date|Time|)String$/.exec(name)?.[1];
  if (kind === undefined) throw createEvaluationError(`A static page cannot call \`${name}\`.`);
  const [locale, options] = readFormat(args, context);
  requireTimeZone(options);
  return tryHost(() => {
    if (kind === "Date") return date.toLocaleDateString(locale, options);
    if (kind === "Time") return date.toLocaleTimeString(locale, options);
    return date.toLocaleString(locale, options);
  });
}

/** Formats a number like `toLocaleString`. Throws `invalid_input` if there is no locale. */
export function formatNumber(
  number: number,
  args: readonly Value[],
  context: EvaluationContext,
): string {
  const [locale, options] = readFormat(args, context);
  return tryHost(() => number.toLocaleString(locale, options));
}

/** Compares strings like `localeCompare`. Throws `invalid_input` if there is no locale. */
export function compareInLocale(
  text: string,
  [other, ...format]: readonly Value[],
  context: EvaluationContext,
): number {
  const [locale, options] = readFormat(format, context);
  if (typeof other !== "string") throw createEvaluationError("Only strings can be compared.");
  return tryHost(() => text.localeCompare(other, locale, options));
}

/** Creates an `Intl` formatter. Throws `invalid_input` if its result is not the same for all readers. */
export function createFormatter(
  kind: "NumberFormat" | "DateTimeFormat",
  args: readonly Value[],
  context: EvaluationContext,
): FormatterValue {
  const [locale, options] = readFormat(args, context);
  if (kind === "NumberFormat") {
    const format = tryHost(() => new Intl.NumberFormat(locale, options));
    return new FormatterValue((value) => tryHost(() => format.format(toNumber(value))));
  }
  requireTimeZone(options);
  const format = tryHost(() => new Intl.DateTimeFormat(locale, options));
  return new FormatterValue((value) => {
    if (value === undefined)
      throw createEvaluationError("This date depends on the time of the visit.");
    return tryHost(() => format.format(toNumber(value)));
  });
}

type FormatOptions = Readonly<Record<string, string | number | boolean>>;

/** Reads the locale and options of a format. The locale is required, because only a browser knows the reader's. */
function readFormat(
  [locale, options]: readonly Value[],
  { budget }: EvaluationContext,
): readonly [string[], FormatOptions] {
  budget.spendStep(formatterSteps);
  const locales: readonly Value[] = isList(locale) ? locale : [locale];
  const names = locales.filter(
    (name): name is string => typeof name === "string" && name.length <= maxNameLength,
  );
  if (names.length === 0 || names.length !== locales.length || names.length > maxLocales)
    throw createEvaluationError("This format depends on the reader's locale.");
  if (options !== undefined && !isRecord(options))
    throw createEvaluationError("The options of this format are not an object.");
  const entries = Object.entries(options ?? {}).map(([name, value]) => {
    const isSimple =
      typeof value === "number" ||
      typeof value === "boolean" ||
      (typeof value === "string" && value.length <= maxNameLength);
    if (!isSimple) throw createEvaluationError("The options of this format cannot be evaluated.");
    return [name, value] as const;
  });
  return [names, Object.fromEntries(entries)];
}

const maxNameLength = 100;
const maxLocales = 10;

function requireTimeZone({ timeZone }: FormatOptions): void {
  if (timeZone === undefined)
    throw createEvaluationError("This format depends on the reader's time zone.");
}
