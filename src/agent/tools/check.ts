import { z } from "zod";
import type { Problem } from "../../render/index.ts";
import { bounds } from "../limits.ts";
import type { SiteView } from "../site-view.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const shownProblems = 200;
const messageLength = 500;

export function createCheckTool(view: SiteView): AgentTool {
  return defineTool({
    name: "check",
    description:
      "Renders the whole site as it stands now and reports what is wrong: broken links and anchors, missing files, pages that navigation names and that do not exist, pages that cannot be parsed. Errors come first; only the first 200 are listed.",
    input: z.strictObject({}),
    isChanging: false,
    async run(_input, signal) {
      const problems = await view.problems(signal);
      const errors = problems.filter(({ severity }) => severity === "error");
      const warnings = problems.filter(({ severity }) => severity === "warning");
      return {
        errors: errors.length,
        warnings: warnings.length,
        problems: shown([...errors, ...warnings]),
        total: problems.length,
      };
    },
  });
}

/** Problems as a model reads them, as many as an answer holds. */
export function shown(problems: readonly Problem[]): readonly Problem[] {
  const list: Problem[] = [];
  let length = 0;
  for (const problem of problems.slice(0, shownProblems)) {
    const entry = { ...problem, message: problem.message.slice(0, messageLength) };
    length += JSON.stringify(entry).length;
    if (length > bounds.outputLength) break;
    list.push(entry);
  }
  return list;
}
