import { z } from "zod";
import type { Problem } from "@octavo/site/core";
import { fixedLimits } from "../limits.ts";
import { countProblems } from "@octavo/site/core";
import type { SiteView } from "../site-view.ts";
import type { Workspace } from "../workspace.ts";
import { findNamedFile, Path, defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";
import { createNoPageError } from "./view.ts";

const shownProblems = 200;
const messageLength = 500;

const Input = z.strictObject({
  path: Path.optional().describe("Only this page, which is fast. Defaults to the whole site."),
  codes: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(50)
    .optional()
    .describe('Only problems of these codes, e.g. ["link_broken"].'),
  skip: z.int().min(0).max(1_000_000).default(0).describe("The number of problems to skip."),
});

export function createCheckTool(
  workspace: Workspace,
  view: SiteView,
  outputLength: number,
): AgentTool {
  return defineTool({
    name: "check",
    description:
      "Renders the current site, or one page, and reports its problems: broken links and anchors, missing files and pages, pages that cannot be parsed. `errors`, `warnings` and `counts` (by code) cover all of it; `problems` lists at most 200 of `total`, errors first.",
    input: Input,
    isChanging: false,
    async run({ path: named, codes, skip }, signal) {
      const path = named === undefined ? undefined : await findNamedFile(workspace, named);
      if (path !== undefined) await workspace.kindOf(path);
      const problems = await (path === undefined
        ? view.problems(signal)
        : view.problemsOf(path, signal));
      if (problems === undefined) throw createNoPageError(path ?? "");
      const { errors, warnings } = countProblems(problems);
      const meant = codes ? problems.filter(({ code }) => codes.includes(code)) : problems;
      const sorted = [
        ...meant.filter(({ severity }) => severity === "error"),
        ...meant.filter(({ severity }) => severity === "warning"),
      ];
      return {
        errors,
        warnings,
        counts: countCodes(problems),
        problems: fitProblems(sorted.slice(skip), outputLength),
        total: sorted.length,
      };
    },
  });
}

/** Counts problems by code, the most frequent first. */
function countCodes(problems: readonly Problem[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { code } of problems) counts.set(code, (counts.get(code) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
}

/** Returns as many problems as fit in an answer, in the form for the model. */
export function fitProblems(
  problems: readonly Problem[],
  outputLength: number = fixedLimits.maxOutputLength,
): readonly Problem[] {
  const list: Problem[] = [];
  let length = 0;
  for (const problem of problems.slice(0, shownProblems)) {
    const entry = { ...problem, message: problem.message.slice(0, messageLength) };
    length += JSON.stringify(entry).length;
    if (length > outputLength) break;
    list.push(entry);
  }
  return list;
}
