import type { Html } from "../../markup/index.ts";
import { findDeclaration } from "./declaration.ts";

/** Minimum window widths in pixels, keyed by the prefix of a class. */
const minWidths: ReadonlyMap<string, number> = new Map(
  Object.entries({
    sm: 640,
    md: 768,
    lg: 1024,
    xl: 1280,
    "2xl": 1536,
  }),
);

/** Selectors, keyed by prefix. `&` represents the element with the class. */
const stateSelectors: ReadonlyMap<string, string> = new Map(
  Object.entries({
    dark: ".dark &",
    hover: "&:hover",
    focus: "&:focus",
    "focus-visible": "&:focus-visible",
    active: "&:active",
    first: "&:first-child",
    last: "&:last-child",
    odd: "&:nth-child(odd)",
    even: "&:nth-child(even)",
    "group-hover": ".group:hover &",
    "group-focus": ".group:focus &",
    "group-open": ".group[open] &",
    "peer-hover": ".peer:hover ~ &",
    "peer-checked": ".peer:checked ~ &",
    "focus-within": "&:focus-within",
    disabled: "&:disabled",
    checked: "&:checked",
    visited: "&:visited",
    open: "&[open]",
    empty: "&:empty",
    only: "&:only-child",
    "first-of-type": "&:first-of-type",
    "last-of-type": "&:last-of-type",
    placeholder: "&::placeholder",
    rtl: '[dir="rtl"] &',
    ltr: '[dir="ltr"] &',
  }),
);

/** The maximum length of a utility class's name. */
const maxNameLength = 100;

interface Rule {
  readonly name: string;
  /** The minimum window width in pixels; 0 if there is no prefix for a width. */
  readonly width: number;
  readonly stateCount: number;
  readonly css: string;
}

/**
 * Renders rules for the utility classes among the names. Authors know these classes from Tailwind, e.g. `flex`, `mt-4`,
 * `dark:hidden`, `sm:grid-cols-2` and `text-zinc-950/80`. Other names are ignored. The same set of names always
 * produces the same text.
 */
export function renderUtilityStyles(classNames: Iterable<string>): string {
  const rules: Rule[] = [];
  for (const name of new Set(classNames)) {
    const rule = name.length > maxNameLength ? undefined : createRule(name);
    if (rule !== undefined) rules.push(rule);
  }
  // The later of two rules takes precedence, so rules for wider windows come later, and so do, for the same width,
  // rules for more states.
  rules.sort(
    (left, right) =>
      left.width - right.width ||
      left.stateCount - right.stateCount ||
      (left.name < right.name ? -1 : Number(left.name > right.name)),
  );
  return rules.map(({ css }) => css).join("\n");
}

function createRule(name: string): Rule | undefined {
  const parts = name.split(":");
  const utility = parts.pop() ?? "";
  let selector = `.${escapeName(name)}`;
  let width = 0;
  for (const prefix of parts) {
    const minWidth = minWidths.get(prefix);
    if (minWidth !== undefined) {
      width = Math.max(width, minWidth);
      continue;
    }
    const state = stateSelectors.get(prefix);
    if (state === undefined) return undefined;
    selector = state.replace("&", selector);
  }
  const isImportant = utility.startsWith("!");
  const css = createRuleBody(isImportant ? utility.slice(1) : utility, selector, isImportant);
  if (css === undefined) return undefined;
  return {
    name,
    width,
    stateCount: parts.filter((prefix) => stateSelectors.has(prefix)).length,
    css: width === 0 ? css : `@media (min-width:${width}px){${css}}`,
  };
}

function createRuleBody(
  utility: string,
  selector: string,
  isImportant: boolean,
): string | undefined {
  const space = /^space-([xy])-(.+)$/.exec(utility);
  if (space !== null) {
    const margin = findDeclaration(`${space[1] === "x" ? "ms" : "mt"}-${space[2]}`);
    return margin && `${selector}>:not([hidden])~:not([hidden]){${margin}}`;
  }
  const declaration = findDeclaration(utility);
  if (declaration === undefined) return undefined;
  return `${selector}{${isImportant ? declaration.replaceAll(/;|$/g, "!important$&") : declaration}}`;
}

function escapeName(name: string): string {
  const escaped = name.replaceAll(/[^\w-]/g, String.raw`\$&`);
  return /^\d/.test(escaped) ? `\\3${escaped[0]} ${escaped.slice(1)}` : escaped;
}

/** Finds the class names in the `class` attributes of `content`. */
export function findClassNames(content: Html): ReadonlySet<string> {
  // Each list is split only once, because highlighted code repeats the same few lists thousands of times.
  const lists = new Set<string>();
  let offset = content.indexOf(classAttribute);
  while (offset !== -1) {
    const start = offset + classAttribute.length;
    const end = content.indexOf('"', start);
    if (end === -1) break;
    const list = content.slice(start, end);
    if (!lists.has(list) && /\s/.test(content.charAt(offset - 1))) lists.add(list);
    offset = content.indexOf(classAttribute, end);
  }
  const names = [...lists].flatMap((list) => list.split(/\s+/));
  return new Set(names.filter((name) => name !== ""));
}

/** Matches names without their own styles, to which the styles of other classes refer. */
const markerName = /^(?:|dark|(?:group|peer)(?:\/.*)?)$/;

/**
 * Returns the sorted names that are neither utility classes nor in a `<style>` of `content`. Only a style sheet of the
 * bundle can have rules for them.
 */
export function findSheetClassNames(names: readonly string[], content: Html): readonly string[] {
  const otherNames = names.filter(
    (name) => !markerName.test(name) && renderUtilityStyles([name]) === "",
  );
  if (otherNames.length === 0) return otherNames;
  const styled = new Set(
    Array.from(content.matchAll(/<style>([^]*?)<\/style>/g), ([, css = ""]) => css)
      .map(findSelectorNames)
      .flatMap((selectorNames) => [...selectorNames]),
  );
  return otherNames.filter((name) => !styled.has(name)).toSorted();
}

/** Finds the names of classes in the selectors of a style sheet. */
export function findSelectorNames(css: string): ReadonlySet<string> {
  const names = css.matchAll(/\.((?:\\[^\n]|[-\w\u0080-\u{10FFFF}]){1,200})/gu);
  return new Set(Array.from(names, ([, name = ""]) => name.replaceAll(/\\(.)/g, "$1")));
}

const classAttribute = 'class="';

/** Matches strings in a script. Longer strings are not lists of classes. */
const scriptText = /(["'`])([^"'`\\]{1,500})\1|[`}]([^"'`\\{}]{1,500})(?=[`$])/g;

/**
 * Finds the words in the strings of a component's script that could be class names. The classes that the script sets
 * are known only when it runs. Names that are not utility classes get no rules.
 */
export function findScriptClassNames(script: string): ReadonlySet<string> {
  const texts = [...script.matchAll(scriptText)].map(([, , whole, part]) => whole ?? part ?? "");
  const names = texts.flatMap((text) => text.split(/\s+/));
  return new Set(names.filter((name) => /^!?-?[a-z][\w:/.[\]%#-]{0,60}$/.test(name)));
}
