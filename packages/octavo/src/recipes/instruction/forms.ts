/** The parts of a site to which a task is limited. */
export interface Scope {
  readonly parts: readonly ScopePart[];
}

/**
 * A group or a tab of the navigation, or a `path`, which names a language, a page or a folder, or both a page and a
 * folder.
 */
export interface ScopePart {
  readonly kind: "path" | "group" | "tab";
  readonly name: string;
}

interface ScopedTask {
  readonly scope?: Scope;
}

/**
 * A parsed task. The names of pages and groups are copied from the instruction; such pages and groups may not exist.
 */
export type Task =
  | ({ readonly kind: "fix_links"; readonly what: "links" | "anchors" } & ScopedTask)
  | ({
      readonly kind: "rename_term";
      readonly from: string;
      readonly to: string;
      readonly inCode: boolean;
      readonly withPlural: boolean;
      /** Whether `from` may also name a group, a tab or a page, because the instruction does not call it a term. */
      readonly isNamed?: true;
    } & ScopedTask)
  | ({
      readonly kind: "raise_version";
      readonly from: string;
      readonly to: string;
      readonly product?: string;
    } & ScopedTask)
  /** `to` is the new path. If it ends with a slash, it is the new folder. */
  | { readonly kind: "move_page"; readonly page: string; readonly to: string }
  | {
      readonly kind: "add_page";
      readonly title: string;
      readonly path?: string;
      readonly group?: string;
      readonly description?: string;
      readonly text?: string;
    }
  | ({ readonly kind: "fill_descriptions" } & ScopedTask)
  | ({ readonly kind: "fix_spelling" } & ScopedTask)
  | { readonly kind: "delete_page"; readonly page: string; readonly redirectTo?: string }
  | {
      readonly kind: "set_field";
      readonly page: string;
      readonly field: string;
      readonly value: string;
      /** The value that the field must have before the change; empty if it must not have one. */
      readonly was?: string;
    }
  | { readonly kind: "add_redirect"; readonly from: string; readonly to: string }
  | {
      readonly kind: "rename_division";
      readonly division: "group" | "tab";
      readonly name: string;
      readonly to: string;
    };

export type TaskOf<Kind extends Task["kind"]> = Extract<Task, { readonly kind: Kind }>;

/** A kind of instruction that the model understands, and the task that it describes. */
export interface Form {
  /** The description in the manual's table. A form without a description is a variant of another form. */
  readonly purpose?: string;
  /** The first wording is shown to users; the others are equivalent. `readWording` describes the syntax. */
  readonly wordings: readonly [string, ...string[]];
  /** Words, separated by spaces, that indicate this kind of task in an instruction that matches no form. */
  readonly hints?: string;
  /** Whether the task is about the page of the previous task of the instruction, which must then have one. */
  readonly isAboutPrevious?: true;
  readonly task: (values: FormValues) => Task;
}

/** The values in the slots of a form. */
interface FormValues {
  readonly text: (slot: string) => string;
  /** Returns the texts of those of the given slots that are filled. */
  readonly getFilledSlots: <Slot extends string>(...slots: Slot[]) => Partial<Record<Slot, string>>;
  /** Reads a page's title or path. */
  readonly page: (slot: string) => string;
  readonly has: (slot: string) => boolean;
  readonly scopeField: { readonly scope?: Scope };
  /** The page to which the previous task of the instruction applies. */
  readonly previous: string;
}

/** The options at the end of many wordings that limit a task to a part of the site. */
const where = "[in|of <scope>] [everywhere|throughout]";
const renameOptions = `${where} [also in code] [including plurals]`;
/** Optional words for the steps that a move always includes. */
const moveOptions = "[and] [update [all] links] [and] [add redirect]";

const newPageOptions = '[at <path>] [with|and description "<description>"] [with|and [following] text "<text>"]'; // prettier-ignore

/**
 * Everything that `builtin/recipes` understands. An instruction that does not completely match one of these forms is
 * rejected. `docs/agent/recipes.mdx` shows the first wordings, and a test compares the two.
 */
export const forms: readonly Form[] = [
  {
    purpose: "repairs broken links and anchors",
    wordings: [
      "Fix the broken links [in <scope>]",
      `Fix [all] broken links [and [broken] anchors] ${where}`,
    ],
    hints: "links link 404 404s href url urls reference references",
    task: ({ scopeField }) => ({ kind: "fix_links", what: "links", ...scopeField }),
  },
  {
    purpose: "repairs broken anchors only",
    wordings: ["Fix the broken anchors [in <scope>]", `Fix [all] broken anchors ${where}`],
    hints: "anchors anchor fragment fragments",
    task: ({ scopeField }) => ({ kind: "fix_links", what: "anchors", ...scopeField }),
  },
  {
    purpose: "renames a term in prose, titles and navigation",
    wordings: [
      'Rename the term "<old>" to "<new>" [in <scope>] [also in code] [including plurals]',
      `Rename term "<old>" to "<new>" ${renameOptions}`,
      `Replace [all] [mentions of] [term] "<old>" with "<new>" ${renameOptions}`,
      `Rename all [mentions of] [term] "<old>" to "<new>" ${renameOptions}`,
      `Use|standardize [on] [term] "<new>" instead of|than [term] "<old>" ${renameOptions}`,
      `Say "<new>" not "<old>" ${renameOptions}`,
    ],
    hints: "term mention mentions occurrences called use instead",
    task: readRenaming,
  },
  {
    wordings: [`Rename|change "<old>" to "<new>" ${renameOptions}`],
    task: (values) => ({ ...readRenaming(values), isNamed: true }),
  },
  {
    purpose: "replaces a version number, also in code",
    wordings: [
      'Replace the version "<from>" with "<to>" [for <product>] [in <scope>]',
      "Replace version <from> with <to> [for <product>] [in <scope>]",
      "Set version [from] <from> to <to> [for <product>] [in <scope>]",
    ],
    hints: "version bump raise upgrade release",
    task: ({ text, getFilledSlots, scopeField }) => ({
      kind: "raise_version",
      from: text("from"),
      to: text("to"),
      ...getFilledSlots("product"),
      ...scopeField,
    }),
  },
  {
    purpose: "moves a page, updates its links and navigation, and adds a redirect",
    wordings: [
      "Move the page <page> to <path>",
      `Move [page] <page> to [folder] <path> ${moveOptions}`,
      "Rename page <page> to <path>",
    ],
    hints: "slug put",
    task: ({ text, page, has }) => ({
      kind: "move_page",
      page: page("page"),
      to: has("folder") ? toFolder(text("path")) : text("path"),
    }),
  },
  {
    wordings: [
      `Move [page] <page> into [folder] <path> [folder] ${moveOptions}`,
      `Move [page] <page> to <path> folder ${moveOptions}`,
    ],
    task: ({ text, page }) => ({
      kind: "move_page",
      page: page("page"),
      to: toFolder(text("path")),
    }),
  },
  {
    purpose: "adds a page to a group of the navigation",
    wordings: [
      'Add a page "<title>" [to the group <group>] [at <path>] [with the description "<description>"] [with the text "<text>"]',
      `Add [new] page [called] "<title>" [to|in group <group>] ${newPageOptions}`,
      `Add [new] page [called] "<title>" to|in <group:division> group ${newPageOptions}`,
      `Add [new] page [called] "<title>" to|in <group> ${newPageOptions}`,
      `Add [new] "<title>" page to|in [group] <group> ${newPageOptions}`,
      `Add [new] "<title>" page to|in <group:division> group ${newPageOptions}`,
    ],
    hints: "write tutorial new",
    task: ({ text, getFilledSlots }) => ({
      kind: "add_page",
      title: text("title"),
      ...getFilledSlots("path", "group", "description", "text"),
    }),
  },
  {
    purpose: "deletes a page, and redirects its address if you name a target",
    wordings: [
      "Delete the page <page> [and redirect to <target>]",
      "Delete page <page> [and redirect [it] to <target>]",
      "Delete <page:file> [and redirect [it] to <target>]",
    ],
    hints: "drop retire unpublish rid",
    task: ({ page, has }) => ({
      kind: "delete_page",
      page: page("page"),
      ...(has("target") && { redirectTo: page("target") }),
    }),
  },
  {
    purpose: "adds missing descriptions, each taken from the page's first sentence",
    wordings: [
      "Fill in the missing descriptions [in <scope>]",
      `Fill in missing descriptions ${where}`,
      `Add missing descriptions ${where}`,
      "Add descriptions to [all] pages [in <scope>] that have none|lack",
      "Add descriptions to [all] pages [in <scope>] that lack one|them",
      "Add descriptions to [all] pages [in <scope>] without description",
      "Add description to every|each page [in <scope>] that lacks one|it",
      "Add description to every|each page [in <scope>] that has none",
      "Add description to every|each page [in <scope>] without one|description",
    ],
    hints: "missing descriptions metadata lack generate meta seo",
    task: ({ scopeField }) => ({ kind: "fill_descriptions", ...scopeField }),
  },
  {
    purpose: "corrects common misspellings",
    wordings: [
      "Fix common misspellings [in <scope>]",
      "Fix [all] [common] misspellings [mistakes] [in|on <scope>] [everywhere|throughout]",
    ],
    hints: "typos spelling spell misspelled proofread orthography grammar",
    task: ({ scopeField }) => ({ kind: "fix_spelling", ...scopeField }),
  },
  {
    purpose: "sets a title, a description or another field of a page's frontmatter",
    wordings: [
      'Set the <field> of <page> to "<value>"',
      'Set <field> [field] of [page] <page> [from "<was>"] to "<value>"',
      "Set <field> [field] of [page] <page> to <value:word>",
      "Set <field> [field] of [page] <page> to <value:words>",
      'Set <field> of <title:division> page to "<value>"',
      "Set <field> of <title:division> page to <value:word>",
      'Set <field> of|in [page] <page> : "<value>"',
      'Set <field> to|: "<value>" of|in [page] <page>',
      "Set <field> to|: <value:word> of|in [page] <page>",
      'Set "<pair>" of|in [page] <page>',
      `Set|give [page] <page> ['s] <field> [to] "<value>"`,
      "Set [page] <page> 's <field> to <value:word>",
      'Use "<value>" as <field> of [page] <page>',
      'Use <field> "<value>" of [page] <page>',
      "Use <field> <value:word> of [page] <page>",
      'Set sidebar title of [page] <page> to "<value>"',
    ],
    hints: "title description sidebar icon field frontmatter retitle heading hide unhide hidden",
    task: readField,
  },
  {
    wordings: [
      'Add <field> "<value>" to [page] <page>',
      'Add <field> to [page] <page> : "<value>"',
      'Add "<pair>" to [page] <page>',
    ],
    task: (values) => ({ ...readField(values), was: "" }),
  },
  {
    isAboutPrevious: true,
    wordings: ['Set its <field> to "<value>"', 'its <field> to "<value>"'],
    task: (values) => ({ ...readField(values), page: values.previous }),
  },
  createHidingForm("true", ["Hide page <page>", "Hide <page:file>"]),
  createHidingForm("false", ["Unhide [page] <page>"]),
  {
    purpose: "redirects an address that has no page",
    wordings: ["Redirect <source> to <target>", "Add a redirect from <source> to <target>"],
    hints: "forward point",
    task: ({ text, page }) => ({ kind: "add_redirect", from: text("source"), to: page("target") }),
  },
  createDivisionForm("group", "renames a group of the navigation", "section group"),
  createDivisionForm("tab", "renames a tab of the navigation", "tab"),
];

function createDivisionForm(division: "group" | "tab", purpose: string, hints: string): Form {
  return {
    purpose,
    wordings: [
      `Rename the ${division} <${division}> to "<new>"`,
      `Rename ${division} <${division}:division> to "<new>"`,
      `Rename ${division} <${division}> to <new:words>`,
      `Rename ${division} <${division}:division> to <new:words>`,
      `Rename "<${division}>" ${division} to "<new>"`,
      `Rename <${division}:division> ${division} to "<new>"`,
      `Rename <${division}:division> ${division} to <new:words>`,
    ],
    hints,
    task: ({ text }) => ({
      kind: "rename_division",
      division,
      name: text(division),
      to: text("new"),
    }),
  };
}

function createHidingForm(value: "true" | "false", wordings: Form["wordings"]): Form {
  return {
    wordings,
    task: ({ page }) => ({ kind: "set_field", page: page("page"), field: "hidden", value }),
  };
}

function toFolder(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

function readRenaming({ text, has, scopeField }: FormValues): TaskOf<"rename_term"> {
  return {
    kind: "rename_term",
    from: text("old"),
    to: text("new"),
    inCode: has("code"),
    withPlural: has("plurals"),
    ...scopeField,
  };
}

/** Reads a field and its value, or both from a pair such as `icon: star`. */
function readField({ text, page, has }: FormValues): TaskOf<"set_field"> {
  const [, field = "sidebarTitle", value = ""] = /^(\S+):\s+(.*)$/s.exec(text("pair")) ?? [];
  return {
    kind: "set_field",
    page: has("title") ? text("title") : page("page"),
    field: has("field") ? text("field") : field,
    value: has("pair") ? value : text("value"),
    ...(has("was") && { was: text("was") }),
  };
}
