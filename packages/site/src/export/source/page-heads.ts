import { isDeepStrictEqual } from "node:util";
import { ProblemLog } from "../../core/index.ts";
import { readPages } from "../../load/index.ts";
import type { PageSource } from "../../load/index.ts";
import type { Site } from "../../site/index.ts";

/** Returns the data that comes from the page's own file. */
export function toPageSource(page: PageSource): PageSource {
  const { path, file, format, frontmatter, title, titleLine, navTitle, isGenerated, apiLine } =
    page;
  return {
    path,
    file,
    format,
    frontmatter,
    title,
    ...(titleLine !== undefined && { titleLine }),
    navTitle,
    ...(isGenerated && { isGenerated }),
    ...(apiLine !== undefined && { apiLine }),
  };
}

/** Returns the files of the pages whose heads are as expected and have no problems. */
export async function findUnchangedHeads(
  { root, configFile }: Site,
  expected: readonly PageSource[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const problems = new ProblemLog();
  const files = expected.map(({ file }) => file);
  const isPlain = configFile === "none";
  const sources = await readPages(root, files, { isPlain, problems, signal });
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const faulty = new Set(problems.sorted().map(({ file }) => file));
  const isSame = (page: PageSource) =>
    !faulty.has(page.file) && isDeepStrictEqual(byFile.get(page.file), toPageSource(page));
  return new Set(expected.filter(isSame).map(({ file }) => file));
}
