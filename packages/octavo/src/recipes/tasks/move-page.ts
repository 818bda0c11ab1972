import type { TaskOf } from "../instruction/task.ts";
import { findPage, folderOf, inSite, lastPart, pagePath, plainPath, quote } from "../pages.ts";
import { call, errorOf } from "../plan.ts";
import type { Plan } from "../plan.ts";
import { refused } from "../instruction/refusal.ts";
import { listPages, stringsOf } from "../site-tools.ts";
import type { Listing } from "../site-tools.ts";
import type { Recipe } from "./recipe.ts";
import { code, linksLeft, tellFiles, tellList, tellParts } from "./telling.ts";

type Moving = TaskOf<"move_page">;

export const movePage: Recipe<Moving> = { kind: "move_page", run };

function* run(task: Moving): Plan<string> {
  const listing = yield* listPages();
  const from = yield* findPage(task.page, listing);
  expectPath(task, from);
  const to = targetOf(task, from, listing);
  if (pagePath(to) === pagePath(from)) return `${code(from)} is already there.`;
  if (listing.files.map(pagePath).includes(pagePath(to)))
    throw refused(`there is already a page ${quote(pagePath(to))}`);
  const answer = yield* call("move", { from, to });
  const error = errorOf(answer);
  if (error !== undefined)
    throw refused(`${quote(from)} could not be moved to ${quote(to)}: ${error}`);
  const others = stringsOf(answer.changedFiles).filter((file) => file !== from && file !== to);
  const { note } = answer;
  const followed =
    typeof note === "string"
      ? "links lead to its new address"
      : "navigation and links lead to its new address, and a redirect from the old one";
  return tellParts(
    `Moved ${code(from)} to ${code(to)}.`,
    others.length > 0 ? `Also changed ${tellFiles(others)}: ${followed}.` : "",
    tellList("These links to it have to be changed by hand:", linksLeft(answer)),
    typeof note === "string" ? note : "",
  );
}

/** A single word may name a position in the navigation or a destination, so a path needs a slash. */
function expectPath({ to }: Moving, from: string): void {
  if (/[/.]/.test(to)) return;
  const word = to.toLowerCase();
  const folder = folderOf(from);
  const choices = [...(folder === "" ? [] : [`${folder}/${word}`]), `/${word}`];
  throw refused(`${quote(to)} could be a path or a position in the navigation`, { slot: "path", choices }); // prettier-ignore
}

function targetOf({ to }: Moving, from: string, listing: Listing): string {
  const { files } = listing;
  const path = inSite(plainPath(to), listing);
  const extension = /\.mdx?$/i.exec(from)?.[0] ?? ".mdx";
  if (to.endsWith("/")) return `${path}/${lastPart(from)}`;
  const isFolder = !/\.mdx?$/i.test(to) && files.some((file) => file.startsWith(`${path}/`));
  if (!isFolder) return `${path}${extension}`;
  const choices = [`${path}/`, `${path}${extension}`];
  throw refused(`${quote(path)} is a folder`, { slot: "path", choices });
}
