import type { TaskOf } from "../instruction/task.ts";
import { argument, clausePattern, isPath, valueOf } from "../instruction/words.ts";
import { findPage, folderOf, lastPart, pagePath, plainPath, quote } from "../pages.ts";
import { call, errorOf } from "../plan.ts";
import type { Plan } from "../plan.ts";
import { listPages, stringsOf } from "../site-tools.ts";
import type { Listing } from "../site-tools.ts";
import type { Recipe } from "./recipe.ts";
import { setField } from "./set-metadata.ts";
import { code, linksLeft, refused, tellFiles, tellList, tellParts } from "./telling.ts";

const page = `(?:the |our |my )?(page |file |doc |document |article )?(?:called |named |titled |at )?${argument}(?: page)?`;
const title = String.raw`(?:,? (?:and |then )*(?:(?:title|retitle|call|name|rename) it(?: to| as)?|(?:set|change|update) (?:its|the) title to|(?:give it|with) the (?:new )?title) ("\d+"|\S.*))?`;
const moving = clausePattern(
  `(?:move|relocate) ${page} (?:over )?(?:to|into|under|as) (?:the )?(folder |directory |path |file )?${argument}( folder| directory)?${title}`,
);
const renaming = clausePattern(
  `rename ${page} (?:to|as|into) (?:the )?(path |file )?${argument}( folder)?${title}`,
);
const readdressing = clausePattern(
  `(?:change|update|set) (?:the |its )?(?:path|url|address|slug|file ?name) of (?:the |our |my )?(page |file )?${argument}(?: page)? (?:to|into|as) (?:the )?(path |file )?${argument}( folder)?${title}`,
);
const pathForm = /^\/?[a-z\d][\w.-]*(?:\/[\w.-]+)*\/?$/;

export const movePage: Recipe<TaskOf<"move_page">> = {
  kind: "move_page",
  ability:
    "move or rename a page with its links, navigation and a redirect (“move guides/start to quickstart”)",
  parse(clause) {
    const moved = moving.exec(clause.text);
    const readdressed = readdressing.exec(clause.text);
    const found = moved ?? readdressed ?? renaming.exec(clause.text);
    if (found === null) return undefined;
    const [, noun, name, toNoun, target, folder] = found;
    const [from, to] = [valueOf(name, clause), valueOf(target, clause)];
    const isAboutPage =
      noun !== undefined || moved !== null || readdressed !== null || isPath(from);
    if (!isAboutPage || from === "" || !pathForm.test(to)) return undefined;
    const newTitle = valueOf(found[6], clause);
    const isFolder =
      to.endsWith("/") || folder !== undefined || /^(?:folder|directory)/i.test(toNoun ?? "");
    const staysInFolder = moved === null && !to.includes("/");
    return [
      {
        kind: "move_page",
        page: from,
        to,
        isFolder,
        staysInFolder,
        ...(newTitle === "" ? {} : { title: newTitle }),
      },
    ];
  },
  run,
};

function* run(task: TaskOf<"move_page">): Plan<string> {
  const listing = yield* listPages();
  const from = yield* findPage(task.page, listing);
  const to = targetOf(task, from, listing);
  if (pagePath(to) === pagePath(from)) throw refused(`${quote(from)} is already there`);
  const answer = yield* call("move", { from, to });
  const error = errorOf(answer);
  if (error !== undefined)
    throw refused(`${quote(from)} could not be moved to ${quote(to)}: ${error}`);
  if (task.title !== undefined) yield* setField(to, "title", task.title);
  const others = stringsOf(answer.changedFiles).filter((file) => file !== from && file !== to);
  const left = linksLeft(answer);
  const { note } = answer;
  const followed =
    typeof note === "string"
      ? "links lead to its new address"
      : "navigation and links lead to its new address, and a redirect from the old one";
  return tellParts(
    `Moved ${code(from)} to ${code(to)}${task.title === undefined ? "" : ` with the title ${quote(task.title)}`}.`,
    others.length > 0 ? `With it changed ${tellFiles(others)}: ${followed}.` : "",
    tellList("These links to it have to be changed by hand:", left),
    typeof note === "string" ? note : "",
  );
}

function targetOf(
  { to, isFolder, staysInFolder }: TaskOf<"move_page">,
  from: string,
  { files }: Listing,
): string {
  const path = plainPath(to);
  const extension = /\.mdx?$/i.exec(from)?.[0] ?? ".mdx";
  const isKnownFolder =
    !/\.mdx?$/i.test(to) && !staysInFolder && files.some((file) => file.startsWith(`${path}/`));
  if (isFolder || isKnownFolder) return `${path}/${lastPart(from)}`;
  const folder = folderOf(from);
  return staysInFolder && folder !== "" ? `${folder}/${path}${extension}` : `${path}${extension}`;
}
