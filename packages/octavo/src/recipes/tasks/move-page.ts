import { getBaseName } from "@octavo/site/core";
import { createRefusedError } from "../instruction/refusal.ts";
import type { TaskOf } from "../instruction/task.ts";
import { findPage, normalizePagePath, quote, toPagePath, toSitePath } from "../pages.ts";
import { callTool, findAnswerError, type Plan } from "../plan.ts";
import { listPages, toStrings, type Listing } from "../site-tools.ts";
import type { Recipe } from "./recipe.ts";
import {
  formatCode,
  formatFileList,
  formatList,
  joinParagraphs,
  listRemainingLinks,
} from "./report-text.ts";

type Moving = TaskOf<"move_page">;

export const movePage: Recipe<Moving> = { kind: "move_page", run };

function* run(task: Moving): Plan<string> {
  const listing = yield* listPages();
  const from = yield* findPage(task.page, listing);
  expectPath(task, listing);
  const to = resolveTarget(task, from, listing);
  if (toPagePath(to) === toPagePath(from)) return `${formatCode(from)} is already there.`;
  if (listing.files.map(toPagePath).includes(toPagePath(to)))
    throw createRefusedError(`there is already a page ${quote(toPagePath(to))}`);
  const answer = yield* callTool("move", { from, to });
  const error = findAnswerError(answer);
  if (error !== undefined)
    throw createRefusedError(`${quote(from)} could not be moved to ${quote(to)}: ${error}`);
  const others = toStrings(answer.changedFiles).filter((file) => file !== from && file !== to);
  const { note } = answer;
  const followed =
    typeof note === "string"
      ? "links lead to its new address"
      : "navigation and links lead to its new address, and a redirect from the old one";
  return joinParagraphs(
    `Moved ${formatCode(from)} to ${formatCode(to)}.`,
    others.length > 0 ? `Also changed ${formatFileList(others)}: ${followed}.` : "",
    formatList("These links to it must be changed manually:", listRemainingLinks(answer)),
    typeof note === "string" ? note : "",
  );
}

/** Requires a slash in the path, because a single word may name a position in the navigation or a destination. */
function expectPath({ to }: Moving, listing: Listing): void {
  if (/[/.]/.test(to)) return;
  const choices = listing.files.some((file) => file.startsWith(`${to}/`)) ? [`${to}/`] : [];
  throw createRefusedError(`${quote(to)} could be a path or a position in the navigation`, { slot: "path", choices }); // prettier-ignore
}

function resolveTarget({ to }: Moving, from: string, listing: Listing): string {
  const { files } = listing;
  const path = toSitePath(normalizePagePath(to), listing);
  const extension = /\.mdx?$/i.exec(from)?.[0] ?? ".mdx";
  if (to.endsWith("/")) return `${path}/${getBaseName(from)}`;
  const isFolder = !/\.mdx?$/i.test(to) && files.some((file) => file.startsWith(`${path}/`));
  if (!isFolder) return `${path}${extension}`;
  const choices = [`${path}/`, `${path}${extension}`];
  throw createRefusedError(`${quote(path)} is a folder`, { slot: "path", choices });
}
