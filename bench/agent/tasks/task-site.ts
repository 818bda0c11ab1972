import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { git } from "../../../test/support/git-fixture.ts";
import type { FileChange } from "../prompts/prompt-site.ts";
import type { TaskCase } from "./task-case.ts";

/** A site at the commit before a person's change. */
export interface TaskSite {
  readonly checkout: string;
  /** The site's folder in the checkout. */
  readonly siteDir: string;
  /** The person's change of the site, with paths relative to its folder. */
  readonly person: readonly FileChange[];
}

/** Opens the site of a task. Opening the next task of a site ends the one before. */
export type OpenTask = (task: TaskCase) => Promise<TaskSite>;

/**
 * Opens tasks from the histories of sites: git bundles or repositories in the folder `histories`, named after the
 * sites. They are cloned below `scratch`.
 */
export function createHistoryTasks(histories: string, scratch: string): OpenTask {
  const clones = new Map<string, Promise<string>>();
  async function clone(site: string): Promise<string> {
    const folder = join(scratch, site);
    const bundle = join(histories, `${site}.bundle`);
    const history = (await exists(bundle)) ? bundle : join(histories, site);
    await git(scratch, "clone", "--quiet", history, folder);
    return folder;
  }
  return async ({ site, change }) => {
    const cloning = clones.get(site) ?? clone(site);
    clones.set(site, cloning);
    const checkout = await cloning;
    return await openTaskSite(checkout, await findCommit(checkout, change));
  };
}

async function findCommit(checkout: string, words: string): Promise<string> {
  const log = await git(checkout, "log", "--first-parent", "--format=%H %s", "origin/HEAD");
  const found = log.split("\n").filter((line) => line.slice(line.indexOf(" ")).includes(words));
  const [commit = ""] = found[0]?.split(" ") ?? [];
  if (found.length === 1) return commit;
  throw new Error(`${found.length} commits in the history have ${words} in their subject.`);
}

/** Checks out the parent of a commit. */
async function openTaskSite(checkout: string, commit: string): Promise<TaskSite> {
  const range = [`${commit}~1`, commit] as const;
  const names = ["-c", "core.quotePath=false", "diff", "--no-renames", "--name-only"];
  const listed = await git(checkout, ...names, ...range);
  const paths = listed === "" ? [] : listed.split("\n");
  const [before, after] = [
    await readTexts(checkout, range[0], paths),
    await readTexts(checkout, commit, paths),
  ];
  await goTo(checkout, range[0]);
  const siteDir = (await exists(join(checkout, "docs/docs.json"))) ? "docs" : ".";
  const folder = siteDir === "." ? "" : `${siteDir}/`;
  const person = paths.flatMap((path, index): FileChange[] =>
    path.startsWith(folder)
      ? [
          {
            path: path.slice(folder.length),
            before: before[index] ?? null,
            after: after[index] ?? null,
          },
        ]
      : [],
  );
  return { checkout, siteDir, person };
}

async function readTexts(
  checkout: string,
  commit: string,
  paths: readonly string[],
): Promise<(string | null)[]> {
  await goTo(checkout, commit);
  return await Promise.all(
    paths.map(async (path) => await readFile(join(checkout, path), "utf8").catch(() => null)),
  );
}

async function goTo(checkout: string, commit: string): Promise<void> {
  await git(checkout, "checkout", "--quiet", "--force", "--detach", commit);
  await git(checkout, "clean", "--quiet", "-d", "--force");
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
