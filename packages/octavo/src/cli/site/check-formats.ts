/** What `octavo check` finds, in the formats of other programs. */
import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import type { Problem } from "@octavo/site/core";
import type { CheckReport } from "./check-formats/check-report.ts";
import { githubAnnotations } from "./check-formats/github.ts";
import { gitlabReport } from "./check-formats/gitlab.ts";
import { repositoryRoot } from "./check-formats/repository-root.ts";
import { sarifLog } from "./check-formats/sarif.ts";

/** Formats by the name that `--format` takes. Each gives the whole text of a report; empty for none to print. */
export const reportFormats = {
  sarif: sarifLog,
  github: githubAnnotations,
  gitlab: gitlabReport,
} as const satisfies Readonly<Record<string, (report: CheckReport) => string>>;

/**
 * The problems of a site with paths below the root of its repository: code hosts know no others. Without a
 * repository they are below `invocationDir`, if the site lies there.
 */
export function problemsInRepository(
  problems: readonly Problem[],
  { siteDir, invocationDir }: { readonly siteDir: string; readonly invocationDir: string },
): Problem[] {
  const path = relative(repositoryRoot(siteDir) ?? realpathSync(invocationDir), siteDir)
    .split(sep)
    .join("/");
  const isBelow = path !== "" && path !== ".." && !path.startsWith("../");
  return problems.map((problem) => ({
    ...problem,
    file: isBelow ? `${path}/${problem.file}` : problem.file,
  }));
}
