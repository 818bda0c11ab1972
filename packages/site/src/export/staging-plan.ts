import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isOfPublisher } from "./publisher-files.ts";

/** The folder may come from an untrusted repository. */
const Path = z.string().refine((path) => {
  return /^[^/]/.test(path) && !path.split("/").includes("..") && !isOfPublisher(path);
});
const Removals = z.object({ obstacles: z.array(Path), stale: z.array(Path) });

/**
 * Paths below the bundle's folder; those of folders end in a slash. The content of a folder comes before the folder,
 * which stays if it is not empty then.
 */
export interface Removals {
  /** What is in the place of a file or folder of the bundle. */
  readonly obstacles: readonly string[];
  /** What is removed when everything new is in place. */
  readonly stale: readonly string[];
}

const planName = "plan.json";

/** The plan appears whole: a change is committed if its plan is there. */
export function writePlan(folder: string, removals: Removals): void {
  const draft = join(folder, `${planName}.part`);
  writeFileSync(draft, JSON.stringify(removals));
  renameSync(draft, join(folder, planName));
}

/** Undefined if nothing was committed. */
export function readPlan(folder: string): Removals | undefined {
  try {
    const plan: unknown = JSON.parse(readFileSync(join(folder, planName), "utf8"));
    return Removals.parse(plan);
  } catch {
    return undefined;
  }
}
