import { chargeText, createEvaluationError, type EvaluationContext } from "./evaluation-context.ts";
import { listItems } from "./iteration.ts";
import { toNumber } from "./operators.ts";
import {
  DateValue,
  isList,
  isRecord,
  PlatformObject,
  type PlatformMethod,
  type Value,
} from "./value.ts";

/** The steps charged for creating a formatter, because the engine loads locale data. */
const formatterSteps = 500;

/** Runs an engine function. Throws `invalid_input` for errors that a script could catch. */
export function tryHost<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const isScriptError =
      error instanceof RangeError ||
      error instanceof TypeError ||
      error instanceof SyntaxError ||
      error instanceof URIError ||
      error instanceof DOMException;
    if (!isScriptError) throw error;
    throw createEvaluationError(`It throws an error: ${error.message}`);
  }
}

/** Matches times that have the same meaning in all time zones. */
const absoluteTime =
  /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?)?)?$/;

/** Parses a time like `Date.parse`. Throws `invalid_input` if the result depends on the time zone. */
export function parseTime(value: Value): number {
  if (typeof value !== "string" || !absoluteTime.test(value))
    throw createEvaluationError("This time depends on the reader's time zone.");
  return Date.parse(value);
}

/**
 * Creates a date from the arguments of `new Date`. Throws `invalid_input` if the date is not the same for all readers.
 */
export function createDate(args: readonly Value[]): DateValue {
  const [value] = args;
  if (args.length !== 1)
    throw createEvaluationError("This date depends on the time of the visit, or on the time zone.");
  if (value instanceof DateValue) return new DateValue(value.time);
  const time = typeof value === "string" ? parseTime(value) : toNumber(value);
  return new DateValue(new Date(time).getTime());
}

const dateMethods = [
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
  const method = dateMethods.find((known) => known === name);
  if (method) return tryHost(() => date[method]()) ?? null;
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

export type FormatterKind = keyof typeof formatters;

/** Creates an `Intl` object. Throws `invalid_input` if the object's results are not the same for all readers. */
export function createFormatter(
  kind: FormatterKind,
  args: readonly Value[],
  context: EvaluationContext,
): PlatformObject {
  return formatters[kind](...readFormat(args, context));
}

const formatters = {
  NumberFormat: createNumberFormat,
  DateTimeFormat: createDateTimeFormat,
  Collator(locale: string[], options: FormatOptions): PlatformObject {
    const { compare } = tryHost(() => new Intl.Collator(locale, options));
    const methods: Record<string, PlatformMethod> = {
      compare: ([a, b], { budget }) => {
        const [left, right] = [requireText(a), requireText(b)];
        budget.spendCharacters(left.length + right.length);
        return compare(left, right);
      },
    };
    return new PlatformObject(methods, ["compare"]);
  },
  PluralRules(locale: string[], options: FormatOptions): PlatformObject {
    const rules = tryHost(() => new Intl.PluralRules(locale, options));
    return new PlatformObject({ select: ([count]) => rules.select(toNumber(count)) });
  },
  ListFormat(locale: string[], options: FormatOptions): PlatformObject {
    const format = tryHost(() => new Intl.ListFormat(locale, options as Intl.ListFormatOptions));
    return new PlatformObject({
      format: ([items], context) => {
        const texts = listItems(items, context).map(requireText);
        // The words between two items have far fewer than 100 characters.
        const length = texts.reduce((sum, text) => sum + text.length + 100, 0);
        context.budget.spendCharacters(length);
        return format.format(texts);
      },
    });
  },
  RelativeTimeFormat(locale: string[], options: FormatOptions): PlatformObject {
    const format = tryHost(() => new Intl.RelativeTimeFormat(locale, options));
    return new PlatformObject({
      format: createChargedMethod(([count, unit]) =>
        tryHost(() =>
          format.format(toNumber(count), requireText(unit) as Intl.RelativeTimeFormatUnit),
        ),
      ),
    });
  },
  DisplayNames(locale: string[], options: FormatOptions): PlatformObject {
    const names = tryHost(
      () => new Intl.DisplayNames(locale, options as unknown as Intl.DisplayNamesOptions),
    );
    return new PlatformObject({
      of: createChargedMethod(([code]) => tryHost(() => names.of(requireText(code)))),
    });
  },
};

function createNumberFormat(locale: string[], options: FormatOptions): PlatformObject {
  const format = tryHost(() => new Intl.NumberFormat(locale, options));
  const methods = {
    format: createChargedMethod(([value]) => tryHost(() => format.format(toNumber(value)))),
    formatToParts: createChargedMethod(([value]) =>
      tryHost(() => format.formatToParts(toNumber(value))).map((part) => ({ ...part })),
    ),
  };
  return new PlatformObject(methods, ["format"]);
}

function createDateTimeFormat(locale: string[], options: FormatOptions): PlatformObject {
  requireTimeZone(options);
  const format = tryHost(() => new Intl.DateTimeFormat(locale, options));
  const methods = {
    format: createChargedMethod(([value]) => tryHost(() => format.format(requireTime(value)))),
    formatToParts: createChargedMethod(([value]) =>
      tryHost(() => format.formatToParts(requireTime(value))).map((part) => ({ ...part })),
    ),
    formatRange: createChargedMethod(([start, end]) =>
      tryHost(() => format.formatRange(requireTime(start), requireTime(end))),
    ),
  };
  return new PlatformObject(methods, ["format"]);
}

/** Wraps a method to charge the text that it returns. */
function createChargedMethod(method: (args: readonly Value[]) => Value): PlatformMethod {
  return (args, context) => {
    context.budget.spendSteps();
    const result = method(args);
    return typeof result === "string" ? chargeText(result, context) : result;
  };
}

function requireTime(value: Value): number {
  if (value === undefined)
    throw createEvaluationError("This date depends on the time of the visit.");
  return toNumber(value);
}

function requireText(value: Value): string {
  if (typeof value !== "string") throw createEvaluationError("This is not a string.");
  return value;
}

/** Changes the case of a string like `toLocaleUpperCase`. Throws `invalid_input` if there is no locale. */
export function changeCase(
  text: string,
  kind: "Lower" | "Upper",
  { args, context }: { readonly args: readonly Value[]; readonly context: EvaluationContext },
): string {
  const [locale] = readFormat(args.slice(0, 1), context);
  const changed = tryHost(() => text[`toLocale${kind}Case`](locale));
  return chargeText(changed, context);
}

/** Works like `Intl.getCanonicalLocales`. */
export function listLocales(value: Value): readonly string[] {
  const names = isList(value) ? value.slice(0, maxLocales + 1) : [value];
  if (names.length > maxLocales) throw createEvaluationError("There are too many locales.");
  return tryHost(() => Intl.getCanonicalLocales(names.map(requireText)));
}

type FormatOptions = Readonly<Record<string, string | number | boolean>>;

/**
 * Reads the locale and options of a format. The locale is required, because only a browser knows the reader's locale.
 */
function readFormat(
  [locale, options]: readonly Value[],
  { budget }: EvaluationContext,
): readonly [string[], FormatOptions] {
  budget.spendSteps(formatterSteps);
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
