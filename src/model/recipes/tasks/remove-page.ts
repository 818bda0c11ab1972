import type { TaskOf } from "../instruction/task.ts";
import { argument, clausePattern, isPath, isQuoted, valueOf } from "../instruction/words.ts";
import { findPage, pagePath, quote } from "../pages.ts";
import { call, errorOf } from "../plan.ts";
import type { Plan, ToolAnswer } from "../plan.ts";
import { editFiles, listPages, objectsOf, readFiles, stringsOf } from "../site-tools.ts";
import type { Listing } from "../site-tools.ts";
import { placeOfLink, unlinkEdit } from "../text/link-places.ts";
import { offsetOf } from "../text/replacements.ts";
import type { TextEdit } from "../text/replacements.ts";
import type { Recipe } from "./recipe.ts";
import { code, count, tellList, tellParts, refused } from "./telling.ts";

const whom =
  "(?: (?:it|them|readers?|visitors?|people|users|traffic|links|its (?:address|url|links|old url)|the (?:old )?(?:address|url|links)))?";
const redirect = `(?:,? (?:and |then |but )*(?:(?:redirect|send|point|forward)${whom} to|with (?:a )?redirect to|redirecting${whom} to) (?:the )?(?:page )?${argument}(?: page)?(?: instead)?)?`;
const asked = clausePattern(
  `(?:remove|delete|drop|retire|get rid of|take down|unpublish) (?:the |our |my )?(?:old |outdated |obsolete )?(page |file |doc |article )?(?:called |named |titled |at )?${argument}( page)?${redirect}`,
);

export const removePage: Recipe<TaskOf<"remove_page">> = {
  kind: "remove_page",
  ability:
    "remove a page, with a redirect if you name one (“delete guides/old and redirect to guides/new”)",
  parse(clause) {
    const found = asked.exec(clause.text);
    if (found === null) return undefined;
    const [, noun, name, nounBehind, target] = found;
    const page = valueOf(name, clause);
    const isAboutPage =
      noun !== undefined ||
      nounBehind !== undefined ||
      isPath(page) ||
      (isQuoted(name) && target !== undefined);
    if (!isAboutPage || page === "") return undefined;
    const redirectTo = valueOf(target, clause);
    return [{ kind: "remove_page", page, ...(redirectTo === "" ? {} : { redirectTo }) }];
  },
  run,
};

function* run({ page, redirectTo }: TaskOf<"remove_page">): Plan<string> {
  const listing = yield* listPages();
  const path = yield* findPage(page, listing);
  const target = redirectTo === undefined ? undefined : yield* addressOf(redirectTo, listing);
  if (target === `/${pagePath(path)}`)
    throw refused(`${quote(path)} cannot be redirected to itself`);
  const answer = yield* call("delete", {
    path,
    ...(target === undefined ? {} : { redirectTo: target }),
  });
  const error = errorOf(answer);
  if (error !== undefined) throw refused(`${quote(path)} could not be removed: ${error}`);
  const others = stringsOf(answer.changedFiles).filter((file) => file !== path);
  const { unlinked, left } = yield* unlink(objectsOf(answer.linksLeft).map(linkOf));
  return tellParts(
    target === undefined
      ? `Removed ${code(path)} and its entries in the navigation.`
      : `Removed ${code(path)}; its address and the links to it lead to ${code(target)} now.`,
    others.length > 0
      ? `${count(others.length, "other file")} changed with it: ${others.slice(0, 20).map(code).join(", ")}.`
      : "",
    tellList(
      "These links to it were taken away and their words left, since nothing was named to lead to:",
      unlinked,
    ),
    tellList(
      "These links led to it and lead nowhere now (“and redirect to …” would mend them):",
      left,
    ),
    typeof answer.note === "string" ? answer.note : "",
  );
}

interface LeftLink {
  readonly file: string;
  readonly line: number;
  readonly target: string;
}

function linkOf({ file, line, target }: ToolAnswer): LeftLink {
  return { file: String(file), line: Number(line), target: String(target) };
}

/** Takes links away that lead to nothing any more. */
function* unlink(
  links: readonly LeftLink[],
): Plan<{ readonly unlinked: readonly string[]; readonly left: readonly string[] }> {
  const texts = yield* readFiles(
    links.map(({ file }) => file).filter((file) => /\.mdx?$/.test(file)),
  );
  const edits = new Map<string, Map<number, TextEdit>>();
  const done = new Map<LeftLink, string>();
  for (const link of links) {
    const text = texts.get(link.file) ?? "";
    const own = edits.get(link.file) ?? new Map<number, TextEdit>();
    const edit = nextUnlinkEdit(text, link, own);
    if (edit === undefined) continue;
    edits.set(link.file, own.set(edit.start, edit));
    done.set(link, link.file);
  }
  const changes = [...edits].map(([path, own]) => ({
    path,
    text: texts.get(path) ?? "",
    edits: [...own.values()],
  }));
  const failures = yield* editFiles(changes);
  const isDone = (link: LeftLink) => done.has(link) && !failures.has(link.file);
  return {
    unlinked: links.filter(isDone).map(tellLink),
    left: links.filter((link) => !isDone(link)).map(tellLink),
  };
}

/** Links on one line are told without columns: each is the next one that is not taken yet. */
function nextUnlinkEdit(
  text: string,
  { line, target }: LeftLink,
  taken: ReadonlyMap<number, TextEdit>,
): TextEdit | undefined {
  for (let column = 1, place = placeOfLink({ target, line, column }, text); place !== undefined;) {
    const edit = unlinkEdit(text, place, target);
    if (edit === undefined || !taken.has(edit.start)) return edit;
    column = place - offsetOf(text, line, 1) + 2;
    place = placeOfLink({ target, line, column }, text);
  }
  return undefined;
}

function tellLink({ file, line, target }: LeftLink): string {
  return `\`${file}:${line}\`: ${code(target)}`;
}

/** A page's address from the root, or a URL. */
export function* addressOf(name: string, listing: Listing): Plan<string> {
  if (/^https?:\/\/\S+$/i.test(name)) return name;
  const [path = "", anchor] = name.split("#");
  const file = yield* findPage(path, listing);
  const page = pagePath(file).replace(/(?<=.)\/index$/, "");
  return `/${page}${anchor === undefined ? "" : `#${anchor}`}`;
}
