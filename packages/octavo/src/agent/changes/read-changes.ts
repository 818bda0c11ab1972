import { isOctavoError } from "@octavo/site/core";
import { fixedLimits } from "../limits.ts";
import type { Workspace } from "../workspace.ts";
import type { ChangedFile, TextChange } from "./text-changes.ts";

/** Reads the texts of changed files, except long files. The old text of a new file is empty. */
export async function readChangedTexts(
  workspace: Workspace,
  changes: readonly ChangedFile[],
): Promise<ReadonlyMap<string, TextChange>> {
  const texts = new Map<string, TextChange>();
  let remainingLength = fixedLimits.maxComparedLength;
  for (const { path, kind, from } of changes) {
    const before = kind === "added" ? "" : workspace.getOriginalText(from ?? path);
    if (before === undefined || kind === "deleted") continue;
    const after = await workspace.readText(path).catch(ignoreRefusal);
    if (after === undefined) continue;
    remainingLength -= before.length + after.length;
    if (remainingLength < 0) break;
    texts.set(path, { before, after });
  }
  return texts;
}

/** Returns undefined for a file that the workspace refuses to read, such as a picture. */
export function ignoreRefusal(error: unknown): undefined {
  if (!isOctavoError(error)) throw error;
}
