import { createRefusedError } from "../instruction/refusal.ts";
import type { TaskOf } from "../instruction/task.ts";
import { findPage, quote, toPagePath } from "../pages.ts";
import { callTool, findAnswerError, type Plan, type ToolAnswer } from "../plan.ts";
import { editFiles, listPages, readFiles, toObjects, toStrings } from "../site-tools.ts";
import type { Listing } from "../site-tools.ts";
import { createLinkedText, unlinkEdits, type NamedLink } from "../text/link-locations.ts";
import type { Recipe } from "./recipe.ts";
import { formatCode, formatFileList, formatList, joinParagraphs } from "./report-text.ts";

type Deleting = TaskOf<"delete_page">;

export const deletePage: Recipe<Deleting> = { kind: "delete_page", run };

function* run({ page, redirectTo }: Deleting): Plan<string> {
  const listing = yield* listPages();
  const path = yield* findPage(page, listing);
  const target =
    redirectTo === undefined ? undefined : yield* resolvePageAddress(redirectTo, listing);
  if (target === `/${toPagePath(path)}`)
    throw createRefusedError(`${quote(path)} cannot be redirected to itself`);
  const answer = yield* callTool("delete", {
    path,
    ...(target === undefined ? {} : { redirectTo: target }),
  });
  const error = findAnswerError(answer);
  if (error !== undefined)
    throw createRefusedError(`${quote(path)} could not be removed: ${error}`);
  const others = toStrings(answer.changedFiles).filter((file) => file !== path);
  const { unlinked, left } = yield* unlink(distinctLinks(toObjects(answer.linksLeft)));
  return joinParagraphs(
    target === undefined
      ? `Removed ${formatCode(path)} and its entries in the navigation.`
      : `Removed ${formatCode(path)}; its address and the links to it now lead to ${formatCode(target)}.`,
    others.length > 0 ? `Also changed ${formatFileList(others)}.` : "",
    formatList(
      "These links to it were removed and their text was kept, because the instruction named no other page:",
      unlinked,
    ),
    formatList("These links to it are now broken (“and redirect to …” would fix them):", left),
    typeof answer.note === "string" ? answer.note : "",
  );
}

interface RemainingLink extends NamedLink {
  readonly file: string;
}

/** Returns distinct links, because a snippet's link is reported once for each page that shows the snippet. */
function distinctLinks(answers: readonly ToolAnswer[]): RemainingLink[] {
  const links = answers.map(({ file, line, column, target }) => ({
    file: String(file),
    line: Number(line),
    column: Number(column),
    target: String(target),
  }));
  return [...new Map(links.map((link) => [JSON.stringify(link), link])).values()];
}

/** Removes links that are now broken. */
function* unlink(
  links: readonly RemainingLink[],
): Plan<{ readonly unlinked: readonly string[]; readonly left: readonly string[] }> {
  const byFile = Map.groupBy(links, ({ file }) => file);
  const texts = yield* readFiles([...byFile.keys()].filter((file) => /\.mdx?$/.test(file)));
  const done = new Set<NamedLink>();
  const changes = [...texts].map(([path, text]) => {
    const edits = unlinkEdits(createLinkedText(text), byFile.get(path) ?? []);
    for (const link of edits.keys()) done.add(link);
    return { path, text, edits: [...edits.values()].flat() };
  });
  const failures = yield* editFiles(changes);
  const isDone = (link: RemainingLink) => done.has(link) && !failures.has(link.file);
  return {
    unlinked: links.filter(isDone).map(formatLink),
    left: links.filter((link) => !isDone(link)).map(formatLink),
  };
}

function formatLink({ file, line, target }: RemainingLink): string {
  return `${formatCode(`${file}:${line}`)}: ${formatCode(target)}`;
}

/** Resolves a page's address relative to the root. An address with a host is returned unchanged. */
export function* resolvePageAddress(name: string, listing: Listing): Plan<string> {
  if (/^https?:\/\/\S+$/i.test(name)) return name;
  const [path = "", anchor] = name.split("#");
  const file = yield* findPage(path, listing, "target");
  const page = toPagePath(file).replace(/(?<=.)\/index$/, "");
  return `/${page}${anchor === undefined ? "" : `#${anchor}`}`;
}
