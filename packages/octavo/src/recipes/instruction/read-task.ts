import type { SlotValues } from "./form.ts";
import type { FormName } from "./forms.ts";
import type { Task } from "./task.ts";
import type { Token } from "./tokens.ts";

/** Builds the task from a form's slot values. */
export function readTask(name: FormName, filled: SlotValues): Task {
  return readers[name]({
    text: (slot) => readSlot(filled, slot),
    given: (key, slot) => optional(key, readSlot(filled, slot)),
    page: (slot) => readPagePath(filled.get(slot)),
    has: (slot) => filled.has(slot),
    scoped: optionalScope(readSlot(filled, "scope")),
  });
}

interface Values {
  readonly text: (slot: string) => string;
  /** Returns `{ [key]: text }`, or an empty object if the slot is empty. */
  readonly given: <Key extends string>(key: Key, slot: string) => { readonly [K in Key]?: string };
  /** Reads a page's title or path. */
  readonly page: (slot: string) => string;
  readonly has: (slot: string) => boolean;
  readonly scoped: { readonly scope?: { readonly name: string } };
}

const readers: Readonly<Record<FormName, (values: Values) => Task>> = {
  fix_links: ({ scoped }) => ({ kind: "fix_links", what: "links", ...scoped }),
  fix_anchors: ({ scoped }) => ({ kind: "fix_links", what: "anchors", ...scoped }),
  fill_descriptions: ({ scoped }) => ({ kind: "fill_descriptions", ...scoped }),
  fix_spelling: ({ scoped }) => ({ kind: "fix_spelling", ...scoped }),
  rename_term: (values) => renaming(values),
  rename: (values) => ({ ...renaming(values), isNamed: true }),
  raise_version: ({ text, given, scoped }) => ({
    kind: "raise_version",
    from: text("from"),
    to: text("to"),
    ...given("product", "product"),
    ...scoped,
  }),
  move_page: ({ text, page, has }) => {
    const isFolder = has("folder") && !text("path").endsWith("/");
    return { kind: "move_page", page: page("page"), to: text("path") + (isFolder ? "/" : "") };
  },
  add_page: ({ text, given }) => ({
    kind: "add_page",
    title: text("title"),
    ...given("path", "path"),
    ...given("group", "group"),
    ...given("description", "description"),
    ...given("text", "text"),
  }),
  delete_page: ({ page, has }) => ({
    kind: "delete_page",
    page: page("page"),
    ...(has("target") ? { redirectTo: page("target") } : {}),
  }),
  set_field: ({ text, page, has }) => ({
    kind: "set_field",
    page: page("page"),
    field: has("field") ? text("field") : "sidebarTitle",
    value: text("value"),
  }),
  add_redirect: ({ text, page }) => ({
    kind: "add_redirect",
    from: text("source"),
    to: page("target"),
  }),
  rename_group: ({ text }) => ({
    kind: "rename_division",
    division: "group",
    name: text("group"),
    to: text("new"),
  }),
  rename_tab: ({ text }) => ({
    kind: "rename_division",
    division: "tab",
    name: text("tab"),
    to: text("new"),
  }),
};

function renaming({ text, has, scoped }: Values) {
  return {
    kind: "rename_term",
    from: text("old"),
    to: text("new"),
    inCode: has("code"),
    withPlural: has("plurals"),
    ...scoped,
  } as const;
}

/** An unquoted value is a path, even a single word, and not a title. */
function readPagePath(token: Token | undefined): string {
  const name = token?.text.trim() ?? "";
  return token?.kind === "word" && !name.includes("/") ? `/${name}` : name;
}

function readSlot(filled: SlotValues, slot: string): string {
  return filled.get(slot)?.text.trim() ?? "";
}

function optional<Key extends string>(key: Key, value: string): { readonly [K in Key]?: string } {
  return (value === "" ? {} : { [key]: value }) as { readonly [K in Key]?: string };
}

function optionalScope(name: string): { readonly scope?: { readonly name: string } } {
  return name === "" ? {} : { scope: { name } };
}

const maxValue = 1_000;
/** Pairs of slots in which the second value replaces the first. */
const pairs = [
  ["old", "new"],
  ["from", "to"],
  ["group", "new"],
  ["tab", "new"],
] as const;

/** Explains why slot values cannot be valid; undefined if they can. */
export function findValueFault(filled: SlotValues): string | undefined {
  for (const [slot, { text }] of filled) {
    if (slot === "text") continue;
    if (text.includes("\n")) return "a value must be on one line";
    if (text.length > maxValue) return `a value can have at most ${maxValue} characters`;
  }
  const isSame = pairs.some(([from, to]) => filled.has(from) && readSlot(filled, from) === readSlot(filled, to)); // prettier-ignore
  return isSame ? "both names are the same" : undefined;
}
