import { getParentFolder } from "@octavo/site/core";
import { applyEdits, createGitHubSlug, type TextEdit } from "@octavo/site/text";
import { isSnippet, toPagePath } from "../../pages.ts";
import type { Plan } from "../../plan.ts";
import { editFiles, findFiles, readFiles, type FileEdits } from "../../site-tools.ts";
import { listHeadings } from "../../text/links.ts";
import { listPageSpans } from "../../text/page-spans.ts";
import { joinPath } from "../page-path.ts";

/** The maximum number of renamed headings whose links are updated at the same time. */
const maxHeadings = 100;

interface Renaming {
  readonly page: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Updates links in `files` to headings whose IDs changed when `changed` edited their words. `links` is the number of changed links, and
 * `unseen` the number of renamed headings that were ignored because of the limit.
 */
export function* updateHeadingLinks(
  files: readonly string[],
  changed: readonly FileEdits[],
): Plan<{ readonly links: number; readonly unseen: number }> {
  const renamings = changed.flatMap(listRenamedHeadings);
  const followed = renamings.slice(0, maxHeadings);
  if (followed.length === 0) return { links: 0, unseen: 0 };
  const ids = [...new Set(followed.map(({ from }) => from))];
  const found = yield* findFiles(
    ids.map((id) => ({ query: `#${id}` })),
    files,
  );
  const texts = yield* readFiles(found);
  const edits = [...texts].flatMap(([path, text]): FileEdits[] => {
    const own = findLinkEdits(path, text, followed);
    return own.length === 0 ? [] : [{ path, text, edits: own }];
  });
  const failures = yield* editFiles(edits);
  const made = edits.filter(({ path }) => !failures.has(path));
  const links = made.reduce((sum, { edits: own }) => sum + own.length, 0);
  return { links, unseen: renamings.length - followed.length };
}

function listRenamedHeadings({ path, text, edits }: FileEdits): Renaming[] {
  if (isSnippet(path)) return [];
  const now = listHeadings(applyEdits(text, edits));
  const ids = new Set(now.flatMap(({ id, label }) => [id, createGitHubSlug(label)]));
  return listHeadings(text).flatMap(({ id, label }, index): Renaming[] => {
    const heading = now[index];
    if (heading === undefined || heading.id === id) return [];
    const gitHub = { from: createGitHubSlug(label), to: createGitHubSlug(heading.label) };
    const forms = [{ from: id, to: heading.id }, ...(gitHub.from === id ? [] : [gitHub])];
    // If another heading now has the old ID, links already lead to that heading.
    return forms
      .filter(({ from }) => !ids.has(from) && from !== "")
      .map((form) => ({ page: toPagePath(path), ...form }));
  });
}

const anchorLinkPattern = /([("'<\s])([^\s()"'<>#]{0,1000})#([^\s()"'<>]{1,300})(?=[)"'>\s])/g;

function findLinkEdits(file: string, text: string, renamings: readonly Renaming[]): TextEdit[] {
  const matches = [...text.matchAll(anchorLinkPattern)];
  if (matches.length === 0) return [];
  const inCode = listPageSpans(text).filter(({ kind }) => kind === "code");
  return matches.flatMap((match): TextEdit[] => {
    const [, before = "", path = "", anchor = ""] = match;
    if (inCode.some(({ start, end }) => match.index >= start && match.index < end)) return [];
    const renaming = renamings.find(
      ({ page, from }) => from === anchor && matchesPage(path, file, page),
    );
    if (renaming === undefined) return [];
    const start = match.index + before.length + path.length + 1;
    return [{ start, end: start + anchor.length, text: renaming.to }];
  });
}

function matchesPage(path: string, file: string, page: string): boolean {
  const plain = toPagePath(path.replace(/\?.*$/s, ""));
  if (plain === "") return toPagePath(file) === page;
  const fromRoot = joinPath("", plain);
  const fromHere = joinPath(getParentFolder(file), plain);
  const names = plain.startsWith("/") ? [fromRoot] : [fromRoot, fromHere];
  return names.some((name) => name === page || `${name}/index` === page);
}
