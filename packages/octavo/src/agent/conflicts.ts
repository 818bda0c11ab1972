import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { Workspace } from "./workspace.ts";

const marker = /^(?:<{7}|>{7})(?: |$)/m;
const maxNamed = 50;

/** What a model is told of a merge that only it can finish. */
export function conflictMessage(files: readonly string[]): string {
  return `The branch that this pull request is for has moved on since, and was merged into yours. Both changed these files, in ways that git cannot join:\n${listed(files)}\nIn each, the lines between <<<<<<< and ======= are yours, those up to >>>>>>> are the other side's. A file without such lines was deleted by one side and changed by the other: keep it with the change, or delete it. Resolve them before you do anything else: write what both sides mean, without the markers, and take nothing back that the other side did elsewhere.`;
}

/** What it is told if it ends with markers in them. */
export function unresolvedMessage(files: readonly string[]): string {
  return `These files still have the markers of a merge. Resolve them, then end again:\n${listed(files)}`;
}

export function unresolvedError(files: readonly string[]): OctavoError {
  const [first = "", ...others] = files;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return new OctavoError(
    "conflict",
    `The branch of the pull request conflicts with its base in ${first}${more}, and the model did not resolve that. Merge the base into the branch, and send the message again.`,
  );
}

/** The files in which markers are left. */
export async function unresolvedIn(
  workspace: Workspace,
  files: readonly string[],
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const file of files) {
    const text = await workspace.readText(file).catch((error: unknown) => {
      if (isOctavoError(error)) return "";
      throw error;
    });
    if (marker.test(text)) left.push(file);
  }
  return left;
}

function listed(files: readonly string[]): string {
  const lines = files.slice(0, maxNamed).map((file) => `- ${file}`);
  const rest = files.length - lines.length;
  return [...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])].join("\n");
}
