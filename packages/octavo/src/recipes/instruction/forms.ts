/** A kind of instruction that the model understands, and its wordings. */
export interface Form {
  readonly name: string;
  /** The description in the documentation's table. Forms without one are variants of another form. */
  readonly purpose?: string;
  /** The first wording is the one that is shown; the others are equivalent. See `readWording`. */
  readonly wordings: readonly [string, ...string[]];
  /** Words by which a refusal recognizes this kind of task, in addition to those of its wordings. */
  readonly hints: readonly string[];
}

/**
 * Everything that `builtin/recipes` understands. An instruction that does not completely match one of these forms is
 * rejected. `docs/agent/jobs.mdx` shows the first wordings, and a test compares the two.
 */
export const forms = [
  {
    name: "fix_links",
    purpose: "broken links and anchors",
    wordings: [
      "Fix the broken links [in <scope>]",
      "Fix [all] broken links [and [broken] anchors] [in [folder|page] <scope>]",
    ],
    hints: ["links", "link", "404", "404s", "href", "url", "urls", "reference", "references"],
  },
  {
    name: "fix_anchors",
    purpose: "only broken anchors",
    wordings: [
      "Fix the broken anchors [in <scope>]",
      "Fix [all] broken anchors [in [folder|page] <scope>]",
    ],
    hints: ["anchors", "anchor", "fragment", "fragments"],
  },
  {
    name: "rename_term",
    purpose: "a renamed term, in prose, titles and navigation",
    wordings: [
      'Rename the term "<old>" to "<new>" [in <scope>] [also in code] [including plurals]',
      'Rename term "<old>" to "<new>" [in [folder|page] <scope>] [also in code] [including plurals]',
      'Replace [term] "<old>" with "<new>" [in [folder|page] <scope>] [also in code] [including plurals]',
    ],
    hints: ["term", "mention", "mentions", "occurrences", "called", "use", "instead"], // prettier-ignore
  },
  {
    name: "rename",
    wordings: [
      'Rename "<old>" to "<new>" [in [folder|page] <scope>] [also in code] [including plurals]',
    ],
    hints: [],
  },
  {
    name: "raise_version",
    purpose: "a version number, also in code",
    wordings: [
      'Replace the version "<from>" with "<to>" [for <product>] [in <scope>]',
      "Replace version <from> with <to> [for <product>] [in [folder|page] <scope>]",
      "Set version [from] <from> to <to> [for <product>] [in [folder|page] <scope>]",
    ],
    hints: ["version", "bump", "raise", "upgrade", "release"],
  },
  {
    name: "move_page",
    purpose: "a moved page, with its links, its navigation and a redirect",
    wordings: [
      "Move the page <page> to <path>",
      "Move [page] <page> to [folder] <path>",
      "Rename page <page> to <path>",
    ],
    hints: ["slug", "put"],
  },
  {
    name: "add_page",
    purpose: "a new page in a group of the navigation",
    wordings: [
      'Add a page "<title>" [to the group <group>] [at <path>] [with the description "<description>"] [with the text "<text>"]',
      'Add [new] page "<title>" [to|in group <group>] [at <path>] [with|and description "<description>"] [with|and text "<text>"]',
    ],
    hints: ["write", "tutorial", "new"],
  },
  {
    name: "delete_page",
    purpose: "a deleted page, with a redirect if you name a target",
    wordings: [
      "Delete the page <page> [and redirect to <target>]",
      "Delete page <page> [and redirect [it] to <target>]",
      "Delete <page:file> [and redirect [it] to <target>]",
    ],
    hints: ["drop", "retire", "unpublish", "rid"],
  },
  {
    name: "fill_descriptions",
    purpose: "missing descriptions, from the first sentences of the pages that describe them",
    wordings: [
      "Fill in the missing descriptions [in <scope>]",
      "Fill in missing descriptions [in [folder|page] <scope>]",
      "Add missing descriptions [in [folder|page] <scope>]",
    ],
    hints: ["missing", "descriptions", "metadata", "without", "lack", "generate", "meta", "seo"],
  },
  {
    name: "fix_spelling",
    purpose: "common misspellings",
    wordings: [
      "Fix common misspellings [in <scope>]",
      "Fix [all] [common] misspellings [in [folder|page] <scope>]",
    ],
    hints: ["typos", "spelling", "spell", "misspelled", "proofread", "orthography", "grammar"],
  },
  {
    name: "set_field",
    purpose: "a title, a description or another field of a page's frontmatter",
    wordings: [
      'Set the <field> of <page> to "<value>"',
      'Set <field> of [page] <page> to "<value>"',
      'Set sidebar title of [page] <page> to "<value>"',
    ],
    hints: [
      "title",
      "description",
      "sidebar",
      "icon",
      "field",
      "frontmatter",
      "retitle",
      "heading",
    ],
  },
  {
    name: "add_redirect",
    purpose: "a redirect from an address without a page",
    wordings: ["Redirect <source> to <target>", "Add a redirect from <source> to <target>"],
    hints: ["forward", "point"],
  },
  {
    name: "rename_group",
    purpose: "a navigation group with a different name",
    wordings: ['Rename the group <group> to "<new>"'],
    hints: ["section", "group"],
  },
  {
    name: "rename_tab",
    purpose: "a tab with a different name",
    wordings: ['Rename the tab <tab> to "<new>"'],
    hints: ["tab"],
  },
] as const satisfies readonly Form[];

export type FormName = (typeof forms)[number]["name"];
