import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sql, type Kysely } from "kysely";
import { OctavoError, createInputError } from "@octavo/site/core";
import { defaultBranchPrefix, isId, isRefName, openOnce, parseAgentBranch } from "../core/index.ts";
import type { Tables } from "../db/index.ts";
import {
  commitFolder,
  discardRepository,
  findCurrentBranch,
  isFullCommit,
  listRefs,
  openTools,
  pushMerge,
  removeLeftovers,
  type GitOptions,
  type MergePush,
  type Mirror,
} from "../git/index.ts";
import { readCurrentState, removeCopy, updateCopy } from "./copy/hosted-copy.ts";
import { serveGit } from "./http/serve.ts";
import { authorizeRequest, type AuthorizeGit, type GitExchange } from "./http/smart-http.ts";
import { isHostedHere, toRemoteRepository, type ProjectRepository } from "./project-repository.ts";
import { publishRefs } from "./publish.ts";
import { createRepositoryStore } from "./repository-store.ts";
import type { HostedRepository, RefUpdate, StoreOptions } from "./repository-store.ts";
import { defaultHostingLimits, type HostingLimits, type HostingTools } from "./tools.ts";

/**
 * Bare repositories that the service hosts, one for each project. People clone from them and push to them over HTTP. If
 * a project has an external repository, the hosted repository is a copy that follows it, except for the service's own
 * branches. Hooks never run. A read returns the state that all nodes share when the call begins. Once a change is
 * acknowledged, every node sees it. All methods throw `OctavoError`.
 */
export interface Hosting {
  /** Returns a project's repository, which need not exist. Git updates this node's copy before reading it. */
  getRepository(projectId: string): HostedRepository;
  /** Creates the repository, empty and with HEAD on `main`, or updates the copy from the external repository. */
  prepare(project: ProjectRepository, signal?: AbortSignal): Promise<HostedRepository>;
  /**
   * Commits the files below `folder` as the first commit of a repository. Throws `conflict` if it has a `main` branch.
   */
  importFolder(projectId: string, folder: string, message: string): Promise<string>;
  /** Removes the repository with its content and this node's copy. Does nothing if there is no repository. */
  remove(projectId: string): Promise<void>;
  /**
   * Removes files that no repository has used for a day from the storage. Returns the number of removed files. `now`
   * defaults to the database's clock.
   */
  removeUnusedPacks(now?: Date): Promise<number>;
  /**
   * Removes this node's copies of deleted projects, and the files that dead processes left on it. Does not need git.
   */
  removeLeftovers(): Promise<void>;
  /** Returns the commits of the refs with these full names, and of the refs below them. */
  readRefs(repository: HostedRepository, names: readonly string[]): Promise<Map<string, string>>;
  /** Moves one ref if it is at the expected commit; otherwise throws `conflict`. */
  updateRef(repository: HostedRepository, update: RefUpdate): Promise<void>;
  /**
   * Fast-forwards a project's branch to the commit that merges a person's pull request. If the hosted repository is a
   * copy, this happens in the external repository, which the copy then follows. Throws `conflict` if the branch is not
   * at the expected commit, and `forbidden` if the project's credentials may not push to it.
   */
  publishMerge(project: ProjectRepository, merge: Omit<MergePush, "target">): Promise<void>;
  /** Serves git over HTTP; see `authorizeRequest` and `serveGit`. Creates the repository on the first request. */
  serve(exchange: GitExchange, authorize: AuthorizeGit): Promise<void>;
}

export interface HostingOptions extends StoreOptions {
  /** The absolute path of the folder for this node's copies, which are created again if they are lost. */
  readonly repositoriesDir: string;
  readonly git: GitOptions;
  readonly limits?: Partial<HostingLimits>;
  /** Called with the full names of a repository's refs after they have moved. Must not throw. */
  readonly onMoved?: ((projectId: string, refs: readonly string[]) => void) | undefined;
}

const copyExtension = ".git";
/**
 * The maximum number of concurrent transfers, each of which uses two processes and memory for a pack. Further requests
 * are rejected.
 */
const maxTransfers = 16;

/** Creates access to hosted repositories. Opens nothing before its first use. */
export function createHosting(options: HostingOptions): Hosting {
  const { db, repositoriesDir } = options;
  const open = openOnce(() => openHosting(options));
  const getTools = async () => (await open()).tools;
  let runningTransfers = 0;

  function getRepository(projectId: string): HostedRepository {
    if (!isId("project", projectId)) {
      throw new OctavoError("not_found", "There is no such repository.");
    }
    return openRepository(getTools, options, projectId);
  }

  return {
    getRepository,
    async prepare(project, signal) {
      const repository = getRepository(project.id);
      const { tools, sources } = await open();
      if (isHostedHere(project)) {
        await updateCopy(tools, repository);
        return repository;
      }
      const mirror = await sources.update(toRemoteRepository(project), signal);
      await followMirror(tools, repository, { mirror, signal });
      return repository;
    },
    async importFolder(projectId, folder, message) {
      const repository = getRepository(projectId);
      const tools = await getTools();
      await updateCopy(tools, repository);
      const to = await commitFolder(tools, repository, { folder, message });
      await updateHostedRef(tools, repository, { name: "refs/heads/main", to, expected: null });
      return to;
    },
    async remove(projectId) {
      const repository = getRepository(projectId);
      await repository.store.remove();
      await discardRepository(repository);
    },
    removeUnusedPacks: (now) => removeUnusedPacks(options, now),
    async removeLeftovers() {
      await removeLeftovers({ cacheDir: options.git.cacheDir, repositoriesDir });
      for (const id of await findDeletedProjects(db, await listCopies(repositoriesDir))) {
        await removeCopy(getRepository(id));
      }
    },
    async readRefs(repository, names) {
      return await repository.store.readRefs(names);
    },
    async updateRef(repository, update) {
      await updateHostedRef(await getTools(), repository, update);
    },
    async publishMerge(project, { branch, commit, expected }) {
      const repository = getRepository(project.id);
      const { tools, sources } = await open();
      if (isHostedHere(project)) {
        const update = { name: `refs/heads/${branch}`, to: commit, expected };
        if (commit !== expected) await updateHostedRef(tools, repository, update);
        return;
      }
      const target = toRemoteRepository(project);
      const push = { target, branch, commit, expected };
      if (commit !== expected) await pushMerge(tools, repository, push);
      await followMirror(tools, repository, { mirror: await sources.update(target) });
    },
    async serve({ request, response, signal }, authorize) {
      const { projectId, onPushed, ...authorized } = await authorizeRequest(request, authorize);
      if (runningTransfers >= maxTransfers) throw createTransferLimitError();
      runningTransfers++;
      try {
        const plan = { ...authorized, repository: getRepository(projectId), signal };
        const { commands } = await serveGit(await getTools(), { request, response }, plan);
        if (commands.length > 0) await onPushed?.(commands.map(({ ref }) => ref));
      } finally {
        runningTransfers--;
      }
    },
  };
}

async function openHosting({ git, limits }: HostingOptions) {
  const { tools, mirrors } = await openTools(git);
  const allLimits = { ...tools.limits, ...defaultHostingLimits, ...limits };
  return { tools: { ...tools, limits: allLimits }, sources: mirrors };
}

/** Opens a repository whose copy git updates before reading it. */
function openRepository(
  getTools: () => Promise<HostingTools>,
  options: HostingOptions,
  projectId: string,
): HostedRepository {
  const store = createRepositoryStore(options, projectId);
  const repository: HostedRepository = {
    path: join(options.repositoriesDir, projectId + copyExtension),
    store,
    onMoved: (names) => options.onMoved?.(projectId, names),
    origin: {
      async updateCopy(signal) {
        await updateCopy(await getTools(), repository, signal);
      },
      async moveRef({ objectFolders, ...update }, signal) {
        const plan = { updates: [update], objects: objectFolders, signal };
        const lostNames = await publishRefs(await getTools(), repository, plan);
        if (lostNames.length === 0) return true;
        const { name, to } = update;
        return ((await store.readRefs([name])).get(name) ?? null) === to;
      },
    },
  };
  return repository;
}

function createTransferLimitError(): OctavoError {
  return new OctavoError("unavailable", "Too many transfers are running; try again soon.", {
    details: { retryAfterSeconds: 5 },
  });
}

/** Returns the IDs of the projects whose repositories are copied to this node. */
async function listCopies(repositoriesDir: string): Promise<readonly string[]> {
  const names = await readdir(repositoriesDir).catch(() => []);
  return names
    .filter((name) => name.endsWith(copyExtension))
    .map((name) => name.slice(0, -copyExtension.length))
    .filter((id) => isId("project", id));
}

async function findDeletedProjects(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select copy.id from jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb) as copy (id)
    where not exists (select from projects where projects.id = copy.id)`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * Moves one ref of a hosted repository. Throws `conflict` if the ref is not at `expected`, or if its name conflicts
 * with another ref.
 */
async function updateHostedRef(
  tools: HostingTools,
  hosted: HostedRepository,
  update: RefUpdate,
): Promise<void> {
  const { name, to, expected } = update;
  if (!/^refs\/(?:heads|tags|pull)\/./.test(name) || !isRefName(name)) {
    throw createInputError(`${JSON.stringify(name)} is not a valid branch or tag name.`);
  }
  for (const commit of [to, expected]) {
    if (typeof commit !== "string" || isFullCommit(commit)) continue;
    throw createInputError("The new commit of a branch must be a full commit hash.");
  }
  const lostNames = await publishRefs(tools, hosted, { updates: [update] });
  if (lostNames.length === 0) return;
  throw new OctavoError(
    "conflict",
    `The branch ${name.replace(/^refs\/[^/]+\//, "")} was changed at the same time; try again.`,
  );
}

/** The number of attempts to follow a mirror while other callers move the hosted repository's refs. */
const maxAttempts = 5;

/**
 * Makes a hosted repository follow a mirror. Its HEAD, branches and tags become the same as the mirror's, except for
 * the service's own branches, which exist only here.
 */
async function followMirror(
  tools: HostingTools,
  hosted: HostedRepository,
  { mirror, signal }: { readonly mirror: Mirror; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const state = await readCurrentState(tools, hosted, signal);
    const { refs, head } = await readMirror(tools, mirror, signal);
    const updates = listDifferences(state.refs, refs);
    const newHead = head ?? state.head;
    if (updates.length === 0 && newHead === state.head) return;
    const objects = [join(mirror.path, "objects")];
    const plan = { state, updates, head: newHead, objects, signal };
    if ((await publishRefs(tools, hosted, plan)).length === 0) return;
  }
  throw new OctavoError(
    "unavailable",
    "The service's copy of the repository is being updated elsewhere; try again soon.",
  );
}

/** Returns the updates that make all refs that follow the mirror equal to the mirror's refs. */
function listDifferences(
  current: ReadonlyMap<string, string>,
  mirrored: ReadonlyMap<string, string>,
): RefUpdate[] {
  const changedRefs = [...mirrored].filter(
    ([name, commit]) => follows(name, current) && current.get(name) !== commit,
  );
  const removedNames = [...current.keys()].filter(
    (name) => follows(name, current) && !mirrored.has(name),
  );
  return [
    ...removedNames.map((name) => ({ name, to: null, expected: current.get(name) ?? null })),
    ...changedRefs.map(([name, to]) => ({ name, to, expected: current.get(name) ?? null })),
  ];
}

/**
 * Reports whether a ref follows the mirror. The service's own branches do not; they have its prefix, or already exist
 * here under a different prefix.
 */
function follows(name: string, current: ReadonlyMap<string, string>): boolean {
  if (name.startsWith("refs/tags/")) return true;
  if (!name.startsWith("refs/heads/")) return false;
  const branch = name.slice("refs/heads/".length);
  if (branch.startsWith(defaultBranchPrefix)) return false;
  return !current.has(name) || parseAgentBranch(branch) === undefined;
}

async function readMirror(
  tools: HostingTools,
  mirror: Mirror,
  signal: AbortSignal | undefined,
): Promise<{ readonly refs: Map<string, string>; readonly head: string | undefined }> {
  const refs = await listRefs(tools, mirror, ["refs/heads", "refs/tags"], signal);
  const branch = await findCurrentBranch(tools, mirror, signal);
  return { refs, head: branch === undefined ? undefined : `refs/heads/${branch}` };
}

const batchSize = 100;

/**
 * Removes packs that were replaced, whose push failed, or whose repository was deleted. May run on several nodes. Packs
 * are kept for a day. By then, every push that uses a pack has finished (storing takes at most an hour), and so have
 * readers that began before the pack was replaced.
 */
async function removeUnusedPacks(
  { db, packs }: Pick<StoreOptions, "db" | "packs">,
  now: Date | undefined,
): Promise<number> {
  // Uses the database's clock, which also wrote `stored_at`.
  const time = now === undefined ? sql<Date>`now()` : sql<Date>`${now}::timestamptz`;
  const cutoff = sql<Date>`${time} - interval '1 day'`;
  let removedCount = 0;
  for (;;) {
    // After a day, a pack is not used again, so it cannot be claimed between the statements.
    const claimedPacks = await db
      .updateTable("hosted_packs")
      .set({ project_id: null })
      .where("key", "in", (eb) =>
        eb
          .selectFrom("hosted_packs")
          .select("key")
          .where((unused) =>
            unused.or([unused("generation", "is", null), unused("project_id", "is", null)]),
          )
          .where("stored_at", "<", cutoff)
          .limit(batchSize),
      )
      .returning("key")
      .execute();
    const keys = claimedPacks.map(({ key }) => key);
    if (keys.length === 0) return removedCount;
    for (const key of keys) await packs.delete(key);
    await db.deleteFrom("hosted_packs").where("key", "in", keys).execute();
    removedCount += keys.length;
  }
}
