import type { ProblemGroup } from "@octavo/site/core";
import type { ReportedProblem } from "../../bundles/index.ts";
import { recipesModel } from "./prompt-form.ts";

/** Instructions for problems that the recipes can fix, as the recipes expect them. */
const recipePrompts: Readonly<Record<string, string>> = {
  link_broken: "Fix the broken links",
  anchor_broken: "Fix the broken anchors",
};
/** Problems that only the operator or the host of a file can fix. */
const notForAgents: ReadonlySet<string> = new Set([
  "description_not_fetched",
  "remote_media_unavailable",
  "too_large",
  "full_text_cut",
]);
const maxLocations = 20;

/** Returns an instruction for an agent to fix a group of problems; undefined if the model cannot fix them. */
export function createFixPrompt(
  { code, message, problems }: ProblemGroup<ReportedProblem>,
  model: string,
): string | undefined {
  if (notForAgents.has(code)) return undefined;
  const files = [...new Set(problems.map(({ file }) => file))];
  if (model === recipesModel) {
    const prompt = recipePrompts[code];
    const [only, ...others] = files;
    return prompt === undefined || others.length > 0 || only === undefined
      ? prompt
      : `${prompt} in ${only}`;
  }
  const lines = problems.slice(0, maxLocations).map(({ file, line }) => {
    return `- ${file}${line === undefined ? "" : `, line ${line}`}`;
  });
  const rest = problems.length - lines.length;
  if (rest > 0) lines.push(`- and ${rest} more, which a check of the site lists`);
  return `Fix this problem of the site, and only this one:\n\n${message}\n\n${lines.join("\n")}`;
}
