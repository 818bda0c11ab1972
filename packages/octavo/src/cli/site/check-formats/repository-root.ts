import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The closest folder above, or this one, that is a Git working tree; undefined where there is none. */
export function repositoryRoot(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    // A file in worktrees and submodules.
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return undefined;
  }
}
