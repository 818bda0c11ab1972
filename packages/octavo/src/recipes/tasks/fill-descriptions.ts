import type { TaskOf } from "../instruction/task.ts";
import { filesInScope, pagesOf, titleOf } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editAll, listPages, readFiles, readStarts } from "../site-tools.ts";
import type { FileEdits } from "../site-tools.ts";
import { fieldText, findField, setFrontmatterField } from "@octavo/site/text";
import { isEnglish } from "./links/edition.ts";
import { descriptionOf } from "./page-description.ts";
import { isGenerated } from "./links/page-kinds.ts";
import type { Recipe } from "./recipe.ts";
import { code, count, tellList, tellParts, tellScope, tellUnseen } from "./telling.ts";

export const fillDescriptions: Recipe<TaskOf<"fill_descriptions">> = {
  kind: "fill_descriptions",
  run,
};

/** Most frontmatter ends within so many lines; where it does not, the page is read whole. */
const startLines = 12;

function isDescribed(start: string): boolean {
  return findField(start, "description") !== undefined && fieldText(start, findField(start, "description")) !== ""; // prettier-ignore
}

function* run(task: TaskOf<"fill_descriptions">): Plan<string> {
  const listing = yield* listPages();
  const inScope = new Set(filesInScope(listing, task.scope));
  const pages = pagesOf(listing).filter((file) => inScope.has(file));
  const starts = yield* readStarts(pages, startLines);
  const texts = yield* readFiles(pages.filter((file) => !isDescribed(starts.get(file) ?? "")));
  const made: (FileEdits & { readonly description: string })[] = [];
  const without: string[] = [];
  for (const [path, text] of texts) {
    if (isDescribed(text) || isGenerated(text) || findField(text, "url") !== undefined) continue;
    const found = isEnglish(path)
      ? descriptionOf(text, titleOf(text))
      : { reason: "a page in another language" };
    const edit = "text" in found ? setFrontmatterField(text, "description", found.text) : undefined;
    if ("text" in found && edit !== undefined) {
      made.push({ path, text, edits: [edit], description: found.text });
    } else {
      without.push(
        `${code(path)}: ${"reason" in found ? found.reason : "its frontmatter is not YAML"}`,
      );
    }
  }
  yield* editAll(made, listing);
  const where = tellScope(task.scope);
  return tellParts(
    made.length === 0
      ? `No description was added${where}.`
      : `Added a description to ${count(made.length, "page")}${where}, each the page's own first sentence.`,
    tellList(
      "Added:",
      made.map(({ path, description }) => `${code(path)}: ${description}`),
    ),
    tellList("Left without, because no sentence of theirs is sure to describe them:", without),
    tellUnseen(listing),
  );
}
