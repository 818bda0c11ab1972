import { pagePath } from "../../pages.ts";
import type { Plan } from "../../plan.ts";
import { readStarts, searchFiles } from "../../site-tools.ts";
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

/** Titles by page path, with few searches; a page without one has none, or could not be looked at. */
export function* readTitles(files: readonly string[]): Plan<ReadonlyMap<string, PageTitle>> {
  const { matches, unsearched } = yield* searchFiles([{ query: fields, isRegex: true }], files);
  const lines = matches.filter(({ line }) => line <= headLines);
  const found = [...Map.groupBy(lines, ({ file }) => file)].map(
    ([file, own]) => [file, `---\n${own.map(({ text }) => text).join("\n")}\n---\n`] as const,
  );
  const starts = yield* readStarts(unsearched.slice(0, maxReads), headLines);
  const heads = new Map([...found, ...starts]);
  return new Map(files.map((file) => [pagePath(file), titleOf(heads.get(file) ?? "")]));
}

function titleOf(head: string): PageTitle {
  const field = (key: string) => fieldText(head, findField(head, key));
  const isOperation = ["openapi", "api", "asyncapi"].some((key) => field(key) !== "");
  return { title: field("title"), sidebarTitle: field("sidebarTitle"), isOperation };
}
