import type { Clause } from "../instruction/clauses.ts";
import type { TaskOf } from "../instruction/task.ts";
import { argument, clausePattern, isPath, valueOf } from "../instruction/words.ts";
import { findPage, quote } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editFiles, listPages, readFiles } from "../site-tools.ts";
import { applyEdits, setFrontmatterField } from "@octavo/site/text";
import type { Recipe } from "./recipe.ts";
import { code, refused } from "./telling.ts";

const field = "(title|description|sidebar ?title)";
const page = `(?:the |our |my )?(?:page )?(?:called |named |titled )?${argument}(?: page)?`;
const value = String.raw`("\d+"|\S.*)`;
const change = "(?:update|change|set|rewrite|edit|replace|make)";
const asked: readonly (readonly [RegExp, readonly [field: number, page: number, value: number]])[] =
  [
    [
      clausePattern(
        change,
        ` (?:the |its )?${field} (?:of|for|on|in) ${page} (?:to|as|with|be|:) ?(?:read |say |be )?${value}`,
      ),
      [1, 2, 3],
    ],
    [
      clausePattern(
        change,
        ` ${page}(?:'s|’s) ${field} (?:to|as|with|:) ?(?:read |say |be )?${value}`,
      ),
      [2, 1, 3],
    ],
    [clausePattern(`give ${page} (?:the|a|this) (?:new )?${field}:? ${value}`), [2, 1, 3]],
    [
      clausePattern(`(?:add|set|put) (?:the|a|this) ${field}:? ("\\d+") (?:to|for|on|of) ${page}`),
      [1, 3, 2],
    ],
  ];
const retitle = clausePattern(`retitle ${page} (?:to|as) ${value}`);
const renamePage = clausePattern(
  `rename (?:the |our |my )?page (?:called |named |titled )?${argument} (?:to|as) ${value}`,
);

/** The field by how people call it. */
const names: Readonly<Record<string, "title" | "description" | "sidebarTitle">> = {
  title: "title",
  description: "description",
  sidebartitle: "sidebarTitle",
};

export const setMetadata: Recipe<TaskOf<"set_metadata">> = {
  kind: "set_metadata",
  ability: "change a page's title or description",
  parse(clause) {
    for (const [pattern, [fieldAt, pageAt, valueAt]] of asked) {
      const found = pattern.exec(clause.text);
      const name = names[found?.[fieldAt]?.toLowerCase().replace(" ", "") ?? ""];
      if (found !== null && name !== undefined) {
        return taskOf(clause, name, found[pageAt], found[valueAt]);
      }
    }
    const titled = retitle.exec(clause.text) ?? renamePage.exec(clause.text);
    return titled === null ? undefined : taskOf(clause, "title", titled[1], titled[2]);
  },
  run,
};

function taskOf(
  clause: Clause,
  field: "title" | "description" | "sidebarTitle",
  pageName: string | undefined,
  words: string | undefined,
): TaskOf<"set_metadata">[] | undefined {
  const [name, wanted] = [valueOf(pageName, clause), valueOf(words, clause)];
  const isUsable = name !== "" && wanted !== "" && wanted.length <= 1_000 && !isPath(wanted);
  return isUsable ? [{ kind: "set_metadata", page: name, field, value: wanted }] : undefined;
}

function* run({ page: name, field: key, value: wanted }: TaskOf<"set_metadata">): Plan<string> {
  const listing = yield* listPages();
  const path = yield* findPage(name, listing);
  const isChanged = yield* setField(path, key, wanted);
  const what = key === "sidebarTitle" ? "sidebar title" : key;
  if (!isChanged) return `The ${what} of ${code(path)} is already ${quote(wanted)}.`;
  return `Set the ${what} of ${code(path)} to ${quote(wanted)}.`;
}

/** Writes a field of a page's frontmatter; false where it has that value. Throws where it cannot. */
export function* setField(path: string, key: string, value: string): Plan<boolean> {
  const text = (yield* readFiles([path])).get(path);
  if (text === undefined) throw refused(`the page ${path} cannot be read`);
  const edit = setFrontmatterField(text, key, value);
  if (edit === undefined) throw refused(`the frontmatter of ${path} is not YAML`);
  if (applyEdits(text, [edit]) === text) return false;
  const failures = yield* editFiles([{ path, text, edits: [edit] }]);
  const failure = failures.get(path);
  if (failure !== undefined) throw refused(`the page ${path} could not be changed: ${failure}`);
  return true;
}
