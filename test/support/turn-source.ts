import { join } from "node:path";
import type { TurnSource } from "../../packages/octavo/src/agent/index.ts";
import { parseAllowList } from "../../packages/octavo/src/core/index.ts";
import { createGit } from "../../packages/octavo/src/git/index.ts";
import { openAuthor } from "./git-fixture.ts";
import type { Author, FixtureChange } from "./git-fixture.ts";

export interface TestSource extends TurnSource {
  readonly author: Author;
  /** The commit that the repository was made with. */
  readonly commit: string;
  /** How often it was opened. */
  readonly opened: readonly (string | undefined)[];
}

export interface TestSourceOptions {
  readonly ref?: string | null;
  readonly directory?: string;
}

/** A repository `name` below `folder` as a source of a turn, read by the service's own git. */
export async function openTestSource(
  folder: string,
  name: string,
  files: Readonly<Record<string, FixtureChange>>,
  { ref = null, directory = "." }: TestSourceOptions = {},
): Promise<TestSource> {
  const author = await openAuthor(join(folder, name));
  const commit = await author.commit(files, "2026-01-01");
  const git = createGit({
    cacheDir: join(folder, "git"),
    allow: parseAllowList(`file://${folder}`),
  });
  const repository = `file://${author.folder}`;
  const opened: (string | undefined)[] = [];
  return {
    repository,
    ref,
    directory,
    author,
    commit,
    opened,
    open(fixed, signal) {
      opened.push(fixed);
      const point = fixed === undefined ? { ref: ref ?? undefined } : { commit: fixed };
      return git.openSource({ repository: { url: repository }, directory }, point, signal);
    },
  };
}
