import type { ProblemLog } from "../core/index.ts";

const nestedConfig = /^[^/]+\/(?:docs|mint)\.json$/;
/** A repository of more sites is probably exported intentionally. */
const maxReported = 5;

/**
 * Reports configurations one folder below a plain folder: exporting the root of a repository instead of the
 * site's folder makes a site of all its Markdown. `files` are those of the listing.
 */
export function warnOfNestedConfigs(
  files: readonly string[],
  { isPlain, problems }: { readonly isPlain: boolean; readonly problems: ProblemLog },
): void {
  if (!isPlain) return;
  const found = files.filter((file) => nestedConfig.test(file));
  for (const file of found.slice(0, maxReported)) {
    const [folder = "", name = ""] = file.split("/");
    const message = `This folder has no configuration and is read as plain Markdown, but ${folder}/ has a ${name}. To export that site, name its folder.`;
    problems.warn("config_in_folder", message, { file });
  }
}
