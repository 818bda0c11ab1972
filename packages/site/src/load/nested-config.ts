import type { ProblemLog } from "../core/index.ts";

const nestedConfig = /^[^/]+\/(?:docs|mint)\.json$/;
/** A repository of many sites is named on purpose. */
const maxReported = 5;

/**
 * Tells of configurations one folder below: who names the root of a repository instead of the site's folder gets
 * a site of all its Markdown. `files` are those of the listing.
 */
export function warnOfNestedConfigs(
  files: readonly string[],
  { isPlain, problems }: { readonly isPlain: boolean; readonly problems: ProblemLog },
): void {
  if (!isPlain) return;
  const found = files.filter((file) => nestedConfig.test(file));
  for (const file of found.slice(0, maxReported)) {
    const [folder = "", name = ""] = file.split("/");
    const message = `There is a ${name} in ${folder}/: name that folder for the site that it describes. This one has none and is read as plain Markdown.`;
    problems.warn("config_in_folder", message, { file });
  }
}
