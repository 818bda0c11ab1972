import type { TaskOf } from "../instruction/task.ts";
import { clausePattern, everyArticle, takeScope } from "../instruction/words.ts";
import { filesInScope, pagesOf } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editFiles, listPages, readFiles, readStarts } from "../site-tools.ts";
import { fieldText, findField, setFrontmatterField } from "@octavo/site/text";
import { descriptionOf } from "./page-description.ts";
import type { Recipe } from "./recipe.ts";
import { code, count, tellFailures, tellList, tellParts, tellUnseen } from "./telling.ts";

const descriptions = "(?:(?:page|meta|seo|frontmatter|front[- ]matter) )*descriptions?";
const lacking =
  "(?:that|which|where)? ?(?:(?:lacks?|lacking|miss(?:es|ing)?|needs?) (?:one|them|it|(?:a |the )?descriptions?)|(?:has|have) (?:none|no (?:descriptions?|one))|(?:(?:do|does)(?:n't|n’t| not) (?:yet )?have|without|with no|has no|have no) (?:one|any|them|(?:a |any )?descriptions?)|(?:they(?:'re|’re| are)|it(?:'s|’s| is)|(?:is|are)) missing|(?:if|when) (?:missing|absent)|(?:missing|absent))";
const verb =
  "(?:fill(?: in| out| up)?|add|write|generate|create|complete|provide|supply|put in|fix)";
const patterns = [
  clausePattern(
    verb,
    ` ${everyArticle}(?:missing|absent|empty|lacking) ${descriptions}(?: (?:to|for|on|of|in) ${everyArticle}pages?)?(?: ${lacking})?`,
  ),
  clausePattern(verb, ` ${everyArticle}${descriptions} ${lacking}`),
  clausePattern(
    verb,
    ` (?:a )?${everyArticle}${descriptions} (?:to|for|on) ${everyArticle}pages? ${lacking}`,
  ),
  clausePattern(`give ${everyArticle}pages? ${lacking} (?:a |an )?(?:description|one)`),
  clausePattern(
    `(?:make sure|ensure)(?: that)? ${everyArticle}pages? (?:has|have) (?:a )?${descriptions}`,
  ),
];

export const fillDescriptions: Recipe<TaskOf<"fill_descriptions">> = {
  kind: "fill_descriptions",
  ability: "fill in missing descriptions from each page's own first sentences",
  parse(whole) {
    const { clause, scope } = takeScope(whole);
    const scoped = scope === undefined ? {} : { scope };
    if (patterns.some((pattern) => pattern.test(clause.text))) {
      return [{ kind: "fill_descriptions", ...scoped }];
    }
    const isWhole = patterns.some((pattern) => pattern.test(whole.text));
    return isWhole ? [{ kind: "fill_descriptions" }] : undefined;
  },
  run,
};

/** Most frontmatter ends within so many lines; where it does not, the page is read whole. */
const startLines = 12;

function isDescribed(start: string): boolean {
  return fieldText(start, findField(start, "description")) !== "";
}

/** Fields of pages whose text comes from elsewhere, and their description with it. */
const generated = ["openapi", "asyncapi", "graphql", "api", "url"];

function* run(task: TaskOf<"fill_descriptions">): Plan<string> {
  const listing = yield* listPages();
  const inScope = new Set(filesInScope(listing, task.scope));
  const pages = pagesOf(listing).filter((file) => inScope.has(file));
  const starts = yield* readStarts(pages, startLines);
  const texts = yield* readFiles(pages.filter((file) => !isDescribed(starts.get(file) ?? "")));
  const without: string[] = [];
  const edits = [...texts].flatMap(([path, text]) => {
    if (isDescribed(text)) return [];
    if (generated.some((key) => findField(text, key) !== undefined)) return [];
    const description = descriptionOf(text);
    const edit =
      description === undefined ? undefined : setFrontmatterField(text, "description", description);
    if (description === undefined || edit === undefined) {
      without.push(path);
      return [];
    }
    return [{ path, text, edits: [edit], description }];
  });
  const failures = yield* editFiles(edits);
  const made = edits.filter(({ path }) => !failures.has(path));
  const where = task.scope === undefined ? "" : ` in ${code(task.scope.name)}`;
  return tellParts(
    made.length === 0
      ? `No description was added${where}.`
      : `Added a description to ${count(made.length, "page")}${where}, each taken from the page's own first sentences.`,
    tellList(
      "Added:",
      made.map(({ path, description }) => `${code(path)}: ${description}`),
    ),
    tellList("Left without, because no text of theirs makes a description:", without.map(code)),
    tellFailures(failures),
    tellUnseen(listing),
  );
}
