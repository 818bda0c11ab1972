import { toPagePath } from "../../pages.ts";
import { callTool, callTools, findAnswerError } from "../../plan.ts";
import type { Plan, ToolCall } from "../../plan.ts";
import { toObjects, toStrings } from "../../site-tools.ts";

/** The minimum similarity at which a renamed page is considered the same page, whatever its name. */
export const minCertainSimilarity = 0.7;

/** The history of an address that no longer leads to a page. */
export interface FormerPage {
  /** The path of the page to which it was renamed; undefined if it was deleted. */
  readonly renamedTo: string | undefined;
  /** The share of its text that stayed the same, from 0 to 1. */
  readonly similarity: number;
  /** The path of the page that now contains its text; undefined if the page was renamed or its text was removed. */
  readonly mergedInto: string | undefined;
}

/** The lines of headings that a commit replaced. `added` is empty if they were only removed. */
export interface RewordedHeadings {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

const maxPaths = 1_000;

/** Reports whether the site has a history, by querying the history of one existing page. */
export function* hasHistory(files: readonly string[]): Plan<boolean> {
  const [file] = files;
  if (file === undefined) return false;
  const answer = yield* callTool("history", { path: file, limit: 1 });
  return findAnswerError(answer) === undefined && toObjects(answer.commits).length > 0;
}

/** Reads the new locations of missing pages, by the path in the links. */
export function* readFormerPages(paths: readonly string[]): Plan<ReadonlyMap<string, FormerPage>> {
  const lost = new Map<string, FormerPage>();
  const asked = [...new Set(paths)].filter(isPlainPath).slice(0, maxPaths);
  const answers = yield* callTools(asked.map((path) => historyCall({ path, limit: 1 })));
  for (const [index, path] of asked.entries()) {
    const { gone, renamedTo, similarity, mergedInto } = answers[index] ?? {};
    if (typeof gone !== "object") continue;
    lost.set(path, {
      renamedTo: typeof renamedTo === "string" ? toPagePath(renamedTo) : undefined,
      similarity: typeof similarity === "number" ? similarity : 0,
      mergedInto: typeof mergedInto === "string" ? toPagePath(mergedInto) : undefined,
    });
  }
  return lost;
}

function historyCall(input: ToolCall["input"]): ToolCall {
  return { tool: "history", input };
}

/** Reads how the headings of pages were reworded, by page path. */
export function* readRewordings(
  files: readonly string[],
): Plan<ReadonlyMap<string, readonly RewordedHeadings[]>> {
  const asked = files.slice(0, maxPaths);
  const answers = yield* callTools(
    asked.map((path) => historyCall({ path, limit: 50, lines: "# " })),
  );
  const rewordings = asked.map((file, index) => {
    const places = toObjects(answers[index]?.commits).flatMap(({ changes }) => toObjects(changes));
    const own = places.map(({ removed, added }) => ({
      removed: toStrings(removed),
      added: toStrings(added),
    }));
    return [toPagePath(file), own] as const;
  });
  return new Map(rewordings);
}

/** Reports whether a text can be the path of a page in the repository. */
function isPlainPath(path: string): boolean {
  return /^[^\s<>:"|?*\\{}]{1,500}$/.test(path);
}
