import {
  applyEdits,
  findBodyStart,
  findField,
  formatYamlString,
  getFieldText,
  setFrontmatterField,
} from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import { createRefusedError } from "../instruction/refusal.ts";
import type { TaskOf } from "../instruction/task.ts";
import { escapePattern, filterPages, findClosestNames, findPage, quote } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editAll, findFiles, listPages, readFiles, readStarts } from "../site-tools.ts";
import type { Listing } from "../site-tools.ts";
import type { Recipe } from "./recipe.ts";
import { formatCode } from "./report-text.ts";

type Setting = TaskOf<"set_field">;

export const setField: Recipe<Setting> = { kind: "set_field", run };

/** Fields of the format. A site may have additional fields, which appear on its pages. */
const fields = "title sidebarTitle description icon iconType tag hidden noindex searchable deprecated rss keywords mode url canonical timestamp version author date public openapi api".split(" "); // prettier-ignore
const flags: ReadonlySet<string> = new Set(["hidden", "noindex", "searchable", "deprecated", "rss", "public"]); // prettier-ignore
const flagWords = [
  ["true", /^(?:yes|on|y|1|enabled?)$/i],
  ["false", /^(?:no|off|n|0|disabled?)$/i],
] as const;
/** Fields that are always text. The values of other fields may also be numbers, `true` or `false`. */
const textFields: ReadonlySet<string> = new Set([
  "title",
  "description",
  "sidebarTitle",
  "icon",
  "tag",
]);
/** The maximum number of pages to read for a field, and of lines to read on each page. */
const [maxExamples, startLines] = [20, 30];

function* run({ page, field, value, was }: Setting): Plan<string> {
  const key =
    field === field.toUpperCase()
      ? field.toLowerCase()
      : field.charAt(0).toLowerCase() + field.slice(1);
  const listing = yield* listPages();
  yield* expectField(key, listing);
  if (flags.has(key) && !/^(?:true|false)$/.test(value)) {
    throw createRefusedError(`the value of ${quote(key)} must be true or false`, {
      slot: "value",
      choices: flagWords.flatMap(([flag, words]) => (words.test(value) ? [flag] : [])),
    });
  }
  const path = yield* findPage(page, listing);
  const text = (yield* readFiles([path])).get(path);
  if (text === undefined) throw createRefusedError(`the page ${path} cannot be read`);
  expectValue(text, key, { path, value, was });
  const edit = headingEdit(text, key, value) ?? editFor(text, key, value, path);
  const what = key === "sidebarTitle" ? "sidebar title" : key;
  const isSame = applyEdits(text, [edit]) === text;
  if (isSame) return `The ${what} of ${formatCode(path)} is already ${quote(value)}.`;
  yield* editAll([{ path, text, edits: [edit] }], listing);
  return `Set the ${what} of ${formatCode(path)} to ${quote(value)}.`;
}

interface ExpectedValue {
  readonly path: string;
  readonly value: string;
  readonly was: string | undefined;
}

/** Throws if the instruction names a value that the field does not have. */
function expectValue(text: string, key: string, { path, value, was }: ExpectedValue): void {
  const current = getFieldText(text, findField(text, key));
  if (was === undefined || current === was || current === value) return;
  throw createRefusedError(
    was === ""
      ? `${path} already has a field ${quote(key)}: ${quote(current)}`
      : `the field ${quote(key)} of ${path} is ${quote(current)}, not ${quote(was)}`,
  );
}

/** Throws for an unused field, which is probably a misunderstanding, such as the `heading` or the `name` of a page. */
function* expectField(key: string, listing: Listing): Plan<void> {
  if (fields.includes(key) || /^(?:og|twitter):/.test(key)) return;
  const query = { query: `^${escapePattern(key)}:`, isRegex: true };
  const found = yield* findFiles([query], filterPages(listing));
  const starts = yield* readStarts(found.slice(0, maxExamples), startLines);
  if ([...starts.values()].some((text) => findField(text, key) !== undefined)) return;
  const choices = findClosestNames(key, fields);
  throw createRefusedError(`no page of the site has a field ${quote(key)}`, { slot: "field", choices }); // prettier-ignore
}

/** If a page's title is its heading, changes the heading instead of adding a field. */
function headingEdit(text: string, key: string, value: string): TextEdit | undefined {
  if (key !== "title" || findField(text, key) !== undefined) return undefined;
  const heading = /(\s*#[ \t]+)([^\s#][^\r\n]*)/y;
  heading.lastIndex = findBodyStart(text);
  const [whole, before = ""] = heading.exec(text) ?? [];
  if (whole === undefined) return undefined;
  if (/[\\*_`<>{}[\]]/.test(value))
    throw createRefusedError("the title is a heading, and the new text would be markup");
  const start = findBodyStart(text) + before.length;
  return { start, end: findBodyStart(text) + whole.length, text: value };
}

function editFor(text: string, key: string, value: string, path: string): TextEdit {
  const field = findField(text, key);
  const raw = field === undefined ? "" : text.slice(field.valueStart, field.valueEnd);
  if (
    /^[[{]|^\s*(?:\n|-\s)/.test(raw) ||
    (field?.quote === "" && /\n\s*(?:- |[\w-]+:)/.test(raw))
  ) {
    throw createRefusedError(
      `the field ${quote(key)} of ${path} is a list or contains nested fields`,
    );
  }
  const edit = setFrontmatterField(text, key, value);
  if (edit === undefined) throw createRefusedError(`the frontmatter of ${path} is not YAML`);
  const isPlain =
    /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(value) && !textFields.has(key) && !key.includes(":");
  const quoted = formatYamlString(
    value,
    field !== undefined && raw !== "" ? field.quote : findField(text, "title")?.quote,
  );
  return isPlain
    ? { ...edit, text: edit.text.replace(`${key}: ${quoted}`, `${key}: ${value}`) }
    : edit;
}
