import type { TaskOf } from "../instruction/task.ts";
import { findPage, quote } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { refused } from "../refused.ts";
import { editAll, listPages, readFiles } from "../site-tools.ts";
import { applyEdits, findField, setFrontmatterField, yamlText } from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import type { Recipe } from "./recipe.ts";
import { code } from "./telling.ts";

type Setting = TaskOf<"set_field">;

export const setField: Recipe<Setting> = { kind: "set_field", run };

/** Fields that are words whatever they look like; others may be numbers, `true` or `false`. */
const textFields: ReadonlySet<string> = new Set([
  "title",
  "description",
  "sidebarTitle",
  "icon",
  "tag",
]);
const nameOf = /^[A-Za-z_][\w:.-]*$/;

function* run({ page, field, value }: Setting): Plan<string> {
  const key =
    field === field.toUpperCase()
      ? field.toLowerCase()
      : field.charAt(0).toLowerCase() + field.slice(1);
  if (!nameOf.test(key))
    throw refused(`a field of the frontmatter cannot be called ${quote(field)}`);
  const listing = yield* listPages();
  const path = yield* findPage(page, listing);
  const text = (yield* readFiles([path])).get(path);
  if (text === undefined) throw refused(`the page ${path} cannot be read`);
  const edit = editFor(text, key, value, path);
  const what = key === "sidebarTitle" ? "sidebar title" : key;
  const isSame = applyEdits(text, [edit]) === text;
  if (isSame) return `The ${what} of ${code(path)} is already ${quote(value)}.`;
  yield* editAll([{ path, text, edits: [edit] }], listing);
  return `Set the ${what} of ${code(path)} to ${quote(value)}.`;
}

function editFor(text: string, key: string, value: string, path: string): TextEdit {
  const field = findField(text, key);
  const raw = field === undefined ? "" : text.slice(field.valueStart, field.valueEnd);
  if (
    /^[[{]|^\s*(?:\n|-\s)/.test(raw) ||
    (field?.quote === "" && /\n\s*(?:- |[\w-]+:)/.test(raw))
  ) {
    throw refused(`the field ${quote(key)} of ${path} is a list or holds fields of its own`);
  }
  const edit = setFrontmatterField(text, key, value);
  if (edit === undefined) throw refused(`the frontmatter of ${path} is not YAML`);
  const isPlain =
    /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(value) && !textFields.has(key) && !key.includes(":");
  const quoted = yamlText(
    value,
    field !== undefined && raw !== "" ? field.quote : findField(text, "title")?.quote,
  );
  return isPlain
    ? { ...edit, text: edit.text.replace(`${key}: ${quoted}`, `${key}: ${value}`) }
    : edit;
}
