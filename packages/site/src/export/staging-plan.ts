import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isOfPublisher } from "./publisher-files.ts";

/** The folder may come from a repository that nobody vouches for. */
const Path = z.string().refine((path) => {
  return /^[^/]/.test(path) && !path.split("/").includes("..") && !isOfPublisher(path);
});
const Removals = z.object({ obstacles: z.array(Path), stale: z.array(Path) });

/**
 * Paths below the bundle's folder; those of folders end in a slash. What is in a folder comes before the folder, which
 * stays where it is not empty then.
 */
export interface Removals {
  /** What stands where a file or folder of the bundle belongs. */
  readonly obstacles: readonly string[];
  /** Removed when everything new is in place. */
  readonly stale: readonly string[];
}

const planName = "plan.json";

/** The plan appears whole: it is what tells a change that was decided from one that was not. */
export function writePlan(folder: string, removals: Removals): void {
  const draft = join(folder, `${planName}.part`);
  writeFileSync(draft, JSON.stringify(removals));
  renameSync(draft, join(folder, planName));
}

/** Undefined where nothing was decided. */
export function readPlan(folder: string): Removals | undefined {
  try {
    const plan: unknown = JSON.parse(readFileSync(join(folder, planName), "utf8"));
    return Removals.parse(plan);
  } catch {
    return undefined;
  }
}
