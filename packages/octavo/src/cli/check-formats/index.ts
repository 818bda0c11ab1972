/** What `octavo check` finds, in the formats of other programs. */
import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import type { Problem } from "@octavo/site/core";
import type { CheckReport } from "./check-report.ts";
import { githubAnnotations } from "./github.ts";
import { gitlabReport } from "./gitlab.ts";
import { repositoryRoot } from "./repository-root.ts";
import { sarifLog } from "./sarif.ts";

/** Formats by the name that `--format` takes. Each gives the whole text of a report; empty for none to print. */
export const reportFormats = {
  sarif: sarifLog,
  github: githubAnnotations,
  gitlab: gitlabReport,
} as const satisfies Readonly<Record<string, (report: CheckReport) => string>>;

/**
 * The problems of a site with paths below the root of its repository: code hosts know no others. Without a
 * repository they are below `standing`, where the person stands, if the site lies there.
 */
export function problemsInRepository(
  problems: readonly Problem[],
  { siteDir, standing }: { readonly siteDir: string; readonly standing: string },
): Problem[] {
  const way = relative(repositoryRoot(siteDir) ?? realpathSync(standing), siteDir)
    .split(sep)
    .join("/");
  const isBelow = way !== "" && way !== ".." && !way.startsWith("../");
  return problems.map((problem) => ({
    ...problem,
    file: isBelow ? `${way}/${problem.file}` : problem.file,
  }));
}
