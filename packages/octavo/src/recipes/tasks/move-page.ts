import { readConfiguration } from "../configuration.ts";
import type { TaskOf } from "../instruction/task.ts";
import {
  findPage,
  folderOf,
  inSite,
  lastPart,
  letters,
  pagePath,
  plainPath,
  quote,
} from "../pages.ts";
import { call, errorOf } from "../plan.ts";
import type { Plan } from "../plan.ts";
import { refused } from "../refused.ts";
import { listPages, stringsOf } from "../site-tools.ts";
import type { Listing } from "../site-tools.ts";
import { divisionsOf } from "./navigation-groups.ts";
import type { Recipe } from "./recipe.ts";
import { code, linksLeft, tellFiles, tellList, tellParts } from "./telling.ts";

type Moving = TaskOf<"move_page">;

export const movePage: Recipe<Moving> = { kind: "move_page", run };

function* run(task: Moving): Plan<string> {
  const listing = yield* listPages();
  const from = yield* findPage(task.page, listing);
  if (isBareWord(task.to)) yield* expectPath(task, from, listing);
  const to = targetOf(task, from, listing);
  if (pagePath(to) === pagePath(from)) throw refused(`${quote(from)} is already there`);
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
    others.length > 0 ? `With it changed ${tellFiles(others)}: ${followed}.` : "",
    tellList("These links to it have to be changed by hand:", linksLeft(answer)),
    typeof note === "string" ? note : "",
  );
}

function isBareWord(to: string): boolean {
  return !/[/.]/.test(to);
}

/** Words that say where in the navigation or the file something goes; as a page's path they would be an accident. */
const positions =
  /^(?:top|bottom|front|back|start|beginning|begin|end|first|last|up|down|above|below|here|there|left|right|next|somewhere|elsewhere|sidebar|navigation|nav|navbar|menu|footer|header|root|home|trash|bin|archive|archived|drafts?|tabs?|groups?|sections?|production|public|private|hidden)$/i;

/** A single word is a path only where it can be nothing else: no position, group, tab or folder. */
function* expectPath({ to }: Moving, from: string, listing: Listing): Plan<void> {
  const configuration = yield* readConfiguration();
  const divisions = (["group", "tab"] as const).flatMap((kind) => divisionsOf(configuration, kind));
  const isDivision = divisions.some(({ name }) => letters(name) === letters(to));
  const folder = listing.files.find((file) => file.startsWith(`${to}/`));
  const isPath = /^[a-z\d][a-z\d-]*$/.test(to) && !positions.test(to);
  if (isPath && !isDivision && folder === undefined) return;
  const inFolder = `${to.toLowerCase()}/${lastPart(pagePath(from))}`;
  const beside = `${folderOf(from) === "" ? "" : `${folderOf(from)}/`}${to.toLowerCase()}`;
  const choices =
    folder === undefined ? [beside, `/${to.toLowerCase()}`] : [inFolder, `/${to.toLowerCase()}`];
  throw refused(`${quote(to)} is no path of a page that can be told from a place`, {
    slot: "path",
    choices,
  });
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
