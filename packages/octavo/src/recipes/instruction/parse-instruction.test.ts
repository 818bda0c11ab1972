import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { forms, type ScopePart } from "./forms.ts";
import { parseInstruction } from "./parse-instruction.ts";

/** Formats each task as a line with everything that was parsed: its kind, followed by its values. */
function tasksOf(instruction: string): string[] {
  return parseInstruction(instruction).map(({ task: { kind, ...values } }) => {
    const known = Object.entries(values).filter(([, value]) => value !== false);
    const shown = known.map(([key, value]) => {
      const text = typeof value === "object" ? value.parts.map(formatPlace).join(" + ") : String(value); // prettier-ignore
      return value === true ? key : `${key}=${text}`;
    });
    return [kind, ...shown].join(" | ");
  });
}

function formatPlace({ kind, name }: ScopePart): string {
  return kind === "path" ? name : `${kind} ${name}`;
}

/** Returns the kinds of task that a refusal names. */
function nearestFor(instruction: string): string[] {
  try {
    parseInstruction(instruction);
  } catch (error) {
    assert.ok(isOctavoError(error, "invalid_input"));
    assert.match(error.message, /^I cannot do this: .*I understand these forms.*OCTAVO_MODEL/s);
    const lines = error.message.split("\n").filter((line) => line.startsWith("    "));
    const shown = lines.map((line) => line.slice(4));
    assert.deepEqual(error.details.nearest, shown);
    assert.deepEqual(error.details.send, [], "nothing is ready to send");
    return shown;
  }
  return assert.fail(`${instruction} is understood`);
}

const understood: readonly (readonly [instruction: string, ...tasks: string[]])[] = [
  ["Set the title of start to Guide for the Impatient", "set_field | page=/start | field=title | value=Guide for the Impatient"], // prettier-ignore
  ["Set the title of start to Set up an Account, please", "set_field | page=/start | field=title | value=Set up an Account"], // prettier-ignore
  ["Rename the group Get the Docs to Docs", "rename_division | division=group | name=Get the Docs | to=Docs"], // prettier-ignore
  ["Rename the group A, B to Docs", "rename_division | division=group | name=A, B | to=Docs"],
  ["Fix the broken links", "fix_links | what=links"],
  [
    "please repair all dead links and anchors in guides/.",
    "fix_links | what=links | scope=guides/",
  ],
  [
    "Fix broken anchors in the page guides/start",
    "fix_links | what=anchors | scope=guides/start.mdx",
  ],
  [
    "Rename 'Acme Cloud' to 'Acme Platform'",
    "rename_term | from=Acme Cloud | to=Acme Platform | isNamed",
  ],
  ["replace the phrase `foo` by «bar», including plurals, in guides/, also in code", "rename_term | from=foo | to=bar | inCode | withPlural | scope=guides/"], // prettier-ignore
  ["Rename „Foo“ → ‚Bar‘", "rename_term | from=Foo | to=Bar | isNamed"],
  ['Replace the version "1.2.3" with "1.3.0"', "raise_version | from=1.2.3 | to=1.3.0"],
  ["update the version from 1.2.3 to v1.3.0-rc.1", "raise_version | from=1.2.3 | to=v1.3.0-rc.1"],
  ["Move docs/guides/start.mdx to docs/quickstart.mdx", "move_page | page=docs/guides/start.mdx | to=docs/quickstart.mdx"], // prettier-ignore
  ["Relocate the page “How to start” to the folder guides", "move_page | page=How to start | to=guides/"], // prettier-ignore
  [
    "Rename the page guides/start to guides/begin",
    "move_page | page=guides/start | to=guides/begin",
  ],
  ["Create a new page 'X' in the group 'Guides > Advanced' at guides/x", "add_page | title=X | path=guides/x | group=Guides > Advanced"], // prettier-ignore
  ['Add a page "X" with the text `a` and the description "b" to the group Guides', "add_page | title=X | group=Guides | description=b | text=a"], // prettier-ignore
  ["Add a page 'Hello' to the group Guides with the text:\n\nHello.\n\nThen fix the broken links; rename 'a' to 'b'.", "add_page | title=Hello | group=Guides | text=Hello.\n\nThen fix the broken links; rename 'a' to 'b'."], // prettier-ignore
  ["Add a page 'Hello' to the group Guides with the text:\n````md\n## A\n\n```js\nx;\n```\n````\nFix typos", "add_page | title=Hello | group=Guides | text=## A\n\n```js\nx;\n```", "fix_spelling"], // prettier-ignore
  ["Delete guides/old.mdx and redirect it to https://example.com/x#y", "delete_page | page=guides/old.mdx | redirectTo=https://example.com/x#y"], // prettier-ignore
  ["Add missing descriptions", "fill_descriptions"],
  ["Fix typos in guides", "fix_spelling | scope=guides"],
  ["Update the icon of the page guides/start to 'star'", "set_field | page=guides/start | field=icon | value=star"], // prettier-ignore
  ["Set the sidebar title of 'Start' to 'Begin'", "set_field | page=Start | field=sidebarTitle | value=Begin"], // prettier-ignore
  ["Add a redirect from /old/a to guides/start", "add_redirect | from=/old/a | to=guides/start"],
  [
    "Rename the group Guides to 'How-to'",
    "rename_division | division=group | name=Guides | to=How-to",
  ],
  ['rename tab "API" to "Reference".', "rename_division | division=tab | name=API | to=Reference"],
  ["Set the title of a to 'B'", "set_field | page=/a | field=title | value=B"],
  ["Fix typos in the folder a, please", "fix_spelling | scope=a/"],
  // scopes
  ["Fix typos in fr and es", "fix_spelling | scope=fr + es"],
  ["Fix typos in a/, b/, and the page c", "fix_spelling | scope=a/ + b/ + c.mdx"],
  ["Fix typos in the fr and es pages", "fix_spelling | scope=fr + es"],
  ["Fix typos in the French pages", "fix_spelling | scope=French"],
  ["Fix typos in the API reference tab", "fix_spelling | scope=tab API reference"],
  ["Fix typos in the tab 'API reference'", "fix_spelling | scope=tab API reference"],
  ["Fix typos in the groups A and B", "fix_spelling | scope=group A + group B"],
  ["Fix typos in the A and B groups", "fix_spelling | scope=group A + group B"],
  ["Fix typos on all pages in guides/", "fix_spelling | scope=guides/"],
  ["Fix the spelling mistakes throughout the docs", "fix_spelling"],
  ["Fix typos everywhere", "fix_spelling"],
  ["Fix typos in the whole site", "fix_spelling"],
  // usual wordings
  ["Use 'A' instead of 'B' in a/", "rename_term | from=B | to=A | scope=a/"],
  ["Standardize on 'A' rather than 'B'", "rename_term | from=B | to=A"],
  ["Replace all occurrences of 'A' with 'B'", "rename_term | from=A | to=B"],
  ["Change 'A' to 'B'", "rename_term | from=A | to=B | isNamed"],
  ["Could you please fix the broken links?", "fix_links | what=links"],
  ["Set the og:image of a/b to '/x.png'", "set_field | page=a/b | field=og:image | value=/x.png"],
  ["Set icon: star on a/b", "set_field | page=a/b | field=icon | value=star"],
  ["Set `icon: star` on a/b", "set_field | page=a/b | field=icon | value=star"],
  ["Set hidden to true for a/b", "set_field | page=a/b | field=hidden | value=true"],
  ["Hide a/b", "set_field | page=a/b | field=hidden | value=true"],
  ["Unhide a/b", "set_field | page=a/b | field=hidden | value=false"],
  ["Give a/b the title 'C'", "set_field | page=a/b | field=title | value=C"],
  ["Change a/b's title to 'C'", "set_field | page=a/b | field=title | value=C"],
  ["Set the title of the Start page to 'C'", "set_field | page=Start | field=title | value=C"],
  ["Change the title of a/b from 'B' to 'C'", "set_field | page=a/b | field=title | value=C | was=B"], // prettier-ignore
  ["Update the description on a/b: 'C d.'", "set_field | page=a/b | field=description | value=C d."], // prettier-ignore
  ["Add the description 'C d.' to a/b", "set_field | page=a/b | field=description | value=C d. | was="], // prettier-ignore
  ["Set the title of a/b to Start Here", "set_field | page=a/b | field=title | value=Start Here"],
  [
    "Rename the group How it works to Basics",
    "rename_division | division=group | name=How it works | to=Basics",
  ],
  [
    "Rename the API reference tab to Reference",
    "rename_division | division=tab | name=API reference | to=Reference",
  ],
  ["Add a page 'X' to the Get started group", "add_page | title=X | group=Get started"],
  ["Add a page called 'X' to Guides with the content 'Y'", "add_page | title=X | group=Guides | text=Y"], // prettier-ignore
  ["Move a/b into c", "move_page | page=a/b | to=c/"],
  ["Move a/b to the c folder", "move_page | page=a/b | to=c/"],
  ["Move a/b to c/d, update links and add a redirect", "move_page | page=a/b | to=c/d"],
  // values
  ['Set the title of a/b to "Say \\"hi\\" now"', 'set_field | page=a/b | field=title | value=Say "hi" now'], // prettier-ignore
  ['Set the title of a/b to "Say "hi" now"', 'set_field | page=a/b | field=title | value=Say "hi" now'], // prettier-ignore
  ['Set the title of a/b to "Say "hi""', 'set_field | page=a/b | field=title | value=Say "hi"'],
  ["Set the title of a/b to “Say “hi” now”", "set_field | page=a/b | field=title | value=Say “hi” now"], // prettier-ignore
  ["Set the title of a/b to 'Don't \"0\" it'", "set_field | page=a/b | field=title | value=Don't \"0\" it"], // prettier-ignore
  ['Set the title of a/b to `"0"`', 'set_field | page=a/b | field=title | value="0"'],
  ['Set the title of a/b to "a \\ b"', "set_field | page=a/b | field=title | value=a \\ b"],
  ["Rename 'fix the broken links' to 'delete everything; then.'", "rename_term | from=fix the broken links | to=delete everything; then. | isNamed"], // prettier-ignore
  // several
  ["Fix typos and fill in the missing descriptions", "fix_spelling", "fill_descriptions"],
  ["Fix typos, delete a/b and redirect it to c/d, then fix the broken links", "fix_spelling", "delete_page | page=a/b | redirectTo=c/d", "fix_links | what=links"], // prettier-ignore
  ["Move a/b to c/ and set its title to 'D'", "move_page | page=a/b | to=c/", "set_field | page=c/b | field=title | value=D"], // prettier-ignore
  ["Set the title of a/b to 'C' and its icon to 'd'", "set_field | page=a/b | field=title | value=C", "set_field | page=a/b | field=icon | value=d"], // prettier-ignore
  ["1. Fix the broken links\n2) Rename 'A' to 'B'\n(3) Fix typos", "fix_links | what=links", "rename_term | from=A | to=B | isNamed", "fix_spelling"], // prettier-ignore
  ["- [ ] Fix typos.\n* Fix the broken links", "fix_spelling", "fix_links | what=links"],
  ["Fix typos. Delete a/b; fix the broken links.", "fix_spelling", "delete_page | page=a/b", "fix_links | what=links"], // prettier-ignore
  ["Rename the term 'A'\nto 'B'\nin guides/", "rename_term | from=A | to=B | scope=guides/"],
];

/** Refused instructions, each with the kind of task that a person would name first, if there is one. */
const refused: readonly (readonly [instruction: string, first?: string])[] = [
  ["Rename the term Inspector to MCP Inspector", 'Rename the term "…" to "…"'],
  [
    "Rename every mention of Inspector to MCP Inspector in the guides/ folder",
    'Rename the term "…" to "…"',
  ],
  ['Rename "A" to "A"', 'Rename the term "…" to "…"'],
  ["Update the description of servers/tools to be more descriptive", 'Set the … of … to "…"'],
  ["Change the description of servers/tools to something shorter", 'Set the … of … to "…"'],
  ["Set the description of servers/tools to mention templates", 'Set the … of … to "…"'],
  ["Update the title of servers/tools to title case", 'Set the … of … to "…"'],
  ["Set the title of servers/tools to Tools and more", 'Set the … of … to "…"'],
  ["Delete the Introduction page", "Delete the page …"],
  ["Remove the description from guides/start", 'Set the … of … to "…"'],
  ["Could you call the Guides section Tutorials?", 'Rename the group … to "…"'],
  ["bump the version from 1.2.3 to 1.3.0", 'Replace the version "…" with "…"'],
  ["Write descriptions for all pages", "Fill in the missing descriptions"],
  ["Fix the broken links except in the changelog", "Fix the broken links"],
  ["Fix the broken links and write a poem about the sea", "Fix the broken links"],
  ["Fix typos, then delete guides/a and guides/b", "Fix common misspellings"],
  ["Fix the broken links and fix typos in guides/", "Fix the broken links"],
  ["Fix typos in guides/ and fix the broken links", "Fix the broken links"],
  ["Fix typos in the headings", "Fix common misspellings"],
  ["Fix typos in a, b and the rest of it", "Fix common misspellings"],
  ['Use "A" instead of "B" except in guides/', 'Rename the term "…" to "…"'],
  ["Rename the group Guides to Tutorials and move it up", 'Rename the group … to "…"'],
  ["Rename the group Guides to the Tutorials", 'Rename the group … to "…"'],
  ["Rename the group Guides to title case", 'Rename the group … to "…"'],
  ["Set the icon of a/b to a rocket", 'Set the … of … to "…"'],
  ["Set the icon of a/b to something nicer", 'Set the … of … to "…"'],
  ["Set the description of a/b to Nothing", 'Set the … of … to "…"'],
  ["Move a/b to c/d without a redirect", "Move the page … to …"],
  ['Set its title to "X"', 'Set the … of … to "…"'],
  ["Don't hide a/b"],
  ["Fix typos\nMake it nicer", "Fix common misspellings"],
  ['Set the title of a/b to "x', 'Set the … of … to "…"'],
  ['Set the title of a/b to "x\ny"', 'Set the … of … to "…"'],
  ["Don't fix the broken links"],
  ["Translate the page to German", "Move the page … to …"],
  [""],
  ["Fix the broken links, thanks!", "Fix the broken links"],
];

describe("an instruction", () => {
  for (const [instruction, ...tasks] of understood) {
    it(JSON.stringify(instruction), () => assert.deepEqual(tasksOf(instruction), tasks));
  }

  for (const {
    wordings: [wording],
  } of forms.filter((form) => "purpose" in form)) {
    it(`in the form ${wording}, with and without its options`, () => {
      const filled = wording
        .replace(/"<\w+>"/, '"c"')
        .replaceAll(/"<\w+>"/g, '"d e"')
        .replaceAll(/<(?:field|group|tab|product)>/g, "name")
        .replaceAll(/<\w+>/g, "a/b");
      const [least, most] = [
        filled.replaceAll(/ \[[^\]]*\]/g, ""),
        filled.replaceAll(/[[\]]/g, ""),
      ];
      for (const text of [least, most]) assert.equal(parseInstruction(text).length, 1, text);
    });
  }
});

describe("an instruction that is not wholly a form", () => {
  for (const [instruction, first] of refused) {
    it(JSON.stringify(instruction), () => {
      const nearest = nearestFor(instruction);
      assert.equal(nearest[0], first);
      assert.ok(nearest.length <= 3);
      // Nothing that has a slot is ready to send.
      for (const kind of nearest.filter((text) => text.includes("…"))) {
        assert.throws(() => parseInstruction(kind.replaceAll(/"?…"?/g, "")));
      }
    });
  }

  it("is refused quickly however it is made", () => {
    const hostile = ["rename ".repeat(2_800), "in the ".repeat(2_800), "'".repeat(20_000), "“".repeat(20_000), "`".repeat(20_000), '" "'.repeat(6_000), 'a" b"'.repeat(3_000), "add a page x ".repeat(1_500), "rename 'a' to 'b' ".repeat(1_000), "with the text: ".repeat(1_300), `fix ${"a, b and ".repeat(2_000)}`]; // prettier-ignore
    for (const instruction of hostile) nearestFor(instruction);
  });

  it("says what a change that was given back had broken", () => {
    const text =
      'Your changes brought 1 errors that were not there before. Fix them, or undo what caused them, then end again:\n- a.mdx:1: The link "/x" does not lead to a page or file of this site.';
    assert.throws(() => parseInstruction(text), /cannot fix\.\n- a\.mdx:1: The link/);
  });
});
