import { pagePath } from "../pages.ts";
import { call, errorOf } from "../plan.ts";
import type { Plan } from "../plan.ts";
import { matchesOf, readStarts } from "../site-tools.ts";
import { fieldText, findField } from "@octavo/site/text";

/** What a page's frontmatter says of it. */
export interface PageTitle {
  readonly title: string;
  readonly sidebarTitle: string;
  /** It shows an operation of an API description. */
  readonly isOperation: boolean;
}

const fields = "^(?:title|sidebarTitle|openapi|api|asyncapi):";
const headLines = 40;
/** What no search shows whole is read file by file, up to so many. */
const maxReads = 1_000;
const maxDepth = 4;

/** Titles by page path, with few searches; a page that is missing here has none, or could not be looked at. */
export function* readTitles(files: readonly string[]): Plan<ReadonlyMap<string, PageTitle>> {
  const heads = new Map<string, string>();
  let folders: readonly string[] = [""];
  const unseen: string[] = [];
  for (let depth = 1; folders.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of folders) {
      const inside = files.filter((file) => folder === "" || file.startsWith(`${folder}/`));
      const isWhole = yield* searchHeads(folder, heads);
      if (isWhole) continue;
      for (const below of foldersBelow(inside, depth)) next.push(below);
      unseen.push(...inside.filter((file) => file.split("/").length <= depth));
    }
    folders = depth < maxDepth ? next : [];
    if (depth === maxDepth) {
      unseen.push(...files.filter((file) => next.some((below) => file.startsWith(`${below}/`))));
    }
  }
  const starts = yield* readStarts(unseen.slice(0, maxReads), headLines);
  for (const [file, text] of starts) heads.set(file, text);
  return new Map(files.map((file) => [pagePath(file), titleOf(heads.get(file) ?? "")]));
}

/** Adds the lines of frontmatter found below a folder; false where an answer does not hold all of them. */
function* searchHeads(folder: string, heads: Map<string, string>): Plan<boolean> {
  const place = folder === "" ? {} : { pattern: `${folder}/**` };
  const answer = yield* call("search", { query: fields, isRegex: true, ...place, limit: 500 });
  const matches = matchesOf(answer);
  if (errorOf(answer) !== undefined || matches.length < Number(answer.total)) return false;
  const lines = matches.filter(({ line }) => line <= headLines);
  for (const [file, own] of Map.groupBy(lines, (match) => match.file)) {
    heads.set(file, `---\n${own.map(({ text }) => text).join("\n")}\n---\n`);
  }
  return true;
}

function foldersBelow(files: readonly string[], depth: number): string[] {
  const parts = files.map((file) => file.split("/")).filter(({ length }) => length > depth);
  return [...new Set(parts.map((own) => own.slice(0, depth).join("/")))];
}

function titleOf(head: string): PageTitle {
  const field = (key: string) => fieldText(head, findField(head, key));
  const isOperation = ["openapi", "api", "asyncapi"].some((key) => field(key) !== "");
  return { title: field("title"), sidebarTitle: field("sidebarTitle"), isOperation };
}
