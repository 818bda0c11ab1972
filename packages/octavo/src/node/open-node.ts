import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { getBaseUrl, prepareDataFolder } from "../config/index.ts";
import type { Config } from "../config/index.ts";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { openDiskSpace } from "../core/index.ts";
import type { DiskSpace } from "../core/index.ts";
import { createLocalCodeHost, createPullRequests } from "../codehost/index.ts";
import type { CodeHost } from "../codehost/index.ts";
import type { MovedRefs } from "../jobs/index.ts";
import type { EngineThread } from "../engine/index.ts";
import { createGit, createGitWork, openLauncher } from "../git/index.ts";
import type { Git, GitOptions } from "../git/index.ts";
import { checkModel } from "../model/index.ts";
import type { Sites } from "../publish/index.ts";
import { createReviews } from "../reviews/index.ts";
import type { Reviews } from "../reviews/index.ts";
import type { Storage } from "../storage/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { builtinModels } from "./builtin-models.ts";
import { checkCodeHosts } from "./code-hosts.ts";
import { openStorage } from "./open-storage.ts";
import { openRecords } from "./records.ts";
import type { Records } from "./records.ts";
import { createHosting } from "../hosting/index.ts";
import type { Hosting } from "../hosting/index.ts";

/** The author that identifies the service's own commits in the history. */
const author = { name: "Octavo", email: "octavo@localhost" };

/** A running node of the service. It runs in its roles until it is disposed. */
export interface Node extends AsyncDisposable {
  readonly records: Records;
  readonly git: Git;
  readonly hosting: Hosting;
  readonly reviews: Reviews;
  readonly localHost: CodeHost;
  readonly publishedSites: Sites;
  /** The external URL of the node's API; undefined without the role `api`. */
  readonly url: string | undefined;
  /** The URL of health and metrics; undefined if another program uses their port. */
  readonly operationsUrl: string | undefined;
}

/**
 * Loads the modules of the roles. They take about as long to load as the database takes to open, so both happen at the
 * same time.
 */
const loadRoles = () => import("./roles.ts");

export interface NodeOptions {
  readonly config: Config;
  readonly log: Logger;
  /** The program's version. */
  readonly version: string;
  /** The thread for the embedded database, which may have been started in advance. */
  readonly engineThread?: EngineThread | undefined;
  /** Called after the database is open and before anything is served. */
  readonly prepare: (node: Pick<Node, "records" | "hosting">) => Promise<void>;
}

/** Starts a node. When the node is disposed, it stops accepting requests and releases its running jobs. */
export async function openNode({
  config,
  log,
  version,
  engineThread,
  prepare,
}: NodeOptions): Promise<Node> {
  await using resources = new AsyncDisposableStack();
  const unlinkedStorage = await openStorage(config);
  refuseUnknownModel(config);
  await checkCodeHosts(config);
  const warning = prepareDataFolder(config.dataFolder);
  if (warning !== undefined) log.warn({}, warning);
  const space = resources.use(await openSpace(config));
  const onEngineOpening = () => void loadRoles();
  const records = resources.use(await openRecords({ config, log, engineThread, onEngineOpening }));
  const { startRoles } = await loadRoles();
  const { linkStorage } = await import("../jobs/index.ts");
  // Links the storage before anything is stored, such as the demo's commits.
  const storage = await linkStorage(records.database, unlinkedStorage);
  const processes = resources.use(openLauncher());
  const gitOptions: GitOptions = {
    processes,
    cacheDir: join(config.dataFolder, "git"),
    allow: config.allow,
    log: (message, facts) => log.warn(facts, message),
  };
  const git = createGit(gitOptions);
  const gitWork = createGitWork(gitOptions);
  const address = { port: config.port };
  const { hosting, followRefs } = openHosting({ config, log, records, storage, git: gitOptions });
  const pullRequests = createPullRequests({
    db: records.database.kysely,
    hosting,
    work: gitWork,
    pullRequestUrl: (projectId, number) =>
      `${getBaseUrl(config, address.port)}/projects/${projectId}/pulls/${number}`,
  });
  const reviews = createReviews({ pullRequests, hosting, work: gitWork });
  const localHost = createLocalCodeHost({ hosting, pullRequests, author: author.name });
  await prepare({ records, hosting });
  const base = {
    config,
    log,
    version,
    records,
    git,
    gitWork,
    hosting,
    pullRequests,
    reviews,
    localHost,
    storage,
    space,
    author,
    address,
    followRefs,
  };
  const { publishedSites, url, operationsUrl } = resources.use(await startRoles(base));
  const heldResources = resources.move();
  const dispose = () => heldResources.disposeAsync();
  return {
    records,
    git,
    hosting,
    reviews,
    localHost,
    publishedSites,
    url,
    operationsUrl,
    [Symbol.asyncDispose]: dispose,
  };
}

interface HostingParts extends Pick<NodeOptions, "config" | "log"> {
  readonly records: Records;
  readonly storage: Storage;
  readonly git: GitOptions;
}

/** Creates access to hosted repositories. Reports of moved refs wait until `followRefs` is called. */
function openHosting({ config, log, records, storage, git }: HostingParts) {
  const follower = Promise.withResolvers<(moved: MovedRefs) => Promise<void>>();
  const hosting = createHosting({
    db: records.database.kysely,
    packs: storage,
    quotas: config.quotas,
    repositoriesDir: join(config.dataFolder, "repositories"),
    git,
    onMoved(projectId, refs) {
      const notify = async () => (await follower.promise)({ projectId, refs });
      notify().catch((err: unknown) =>
        log.error({ err, projectId }, "A push could not be processed"),
      );
    },
  });
  return { hosting, followRefs: follower.resolve };
}

async function openSpace({ dataFolder, storage, minFreeBytes }: Config): Promise<DiskSpace> {
  const folders = [{ name: "data", path: dataFolder }];
  if (storage.kind === "fs") {
    // The folder must exist before the free space of its disk can be measured.
    mkdirSync(storage.folder, { recursive: true });
    folders.push({ name: "storage", path: storage.folder });
  }
  return await openDiskSpace({ folders, minFreeBytes });
}

function refuseUnknownModel({ model, models }: Config): void {
  try {
    checkModel(model, { ...models, builtin: builtinModels });
  } catch (error) {
    if (!isOctavoError(error)) throw error;
    throw new OctavoError("invalid_input", `OCTAVO_MODEL: ${error.message}`, { cause: error });
  }
}
