import { publicHosts } from "../codehost/index.ts";
import { parseModelName, type CodeHostName, type KnownHosts } from "../core/index.ts";
import { getOwnHosts, prepareDataFolder, readDatabaseUrls, readSecret } from "../config/index.ts";
import type { Config } from "../config/index.ts";
import { createMembers, createSessions } from "../people/index.ts";
import type { Members, Sessions } from "../people/index.ts";
import { openDatabase } from "../db/index.ts";
import type { Database, DatabaseOptions } from "../db/index.ts";
import {
  createAuditLog,
  createKeys,
  createOrganizations,
  createProjects,
  createVault,
  createWebhooks,
} from "../projects/index.ts";
import type { AuditLog, Keys, Organizations, Projects, Webhooks } from "../projects/index.ts";
import type { TestModel } from "../model/index.ts";
import { builtinModels } from "./builtin-models.ts";
import { createTextRecordReader } from "../net/index.ts";
import { createDomains, type Domains } from "../publish/index.ts";
import { createLogger } from "../telemetry/index.ts";
import type { Logger } from "../telemetry/index.ts";

/** The service's stored records, without the parts of the service that process them. */
export interface Records extends AsyncDisposable {
  readonly database: Database;
  readonly secret: string;
  readonly organizations: Organizations;
  readonly keys: Keys;
  readonly audit: AuditLog;
  readonly members: Members;
  readonly sessions: Sessions;
  readonly projects: Projects;
  readonly webhooks: Webhooks;
  readonly domains: Domains;
}

export interface RecordsOptions extends Pick<
  DatabaseOptions,
  "engineThread" | "onEngineOpening" | "canShare" | "lastMigration"
> {
  readonly config: Config;
  readonly log: Logger;
}

/** Opens the database and its records. Throws in the same cases as `openDatabase`, `readDatabaseUrls` and `readSecret` do. */
export async function openRecords({ config, log, ...rest }: RecordsOptions): Promise<Records> {
  const secret = await readSecret(config.secret);
  const address = await readDatabaseAddress(config.database);
  const database = await openDatabase({ ...rest, ...address, dataDir: config.dataFolder, log });
  const db = database.kysely;
  const keys = createKeys(database);
  const sharedOptions = { db, vault: createVault(secret), allow: config.allow };
  return {
    database,
    secret,
    organizations: createOrganizations(db),
    keys,
    members: createMembers(db),
    sessions: createSessions(db, keys),
    audit: createAuditLog(db),
    projects: createProjects({
      ...sharedOptions,
      knownHosts: listKnownHosts(config),
      allowedModels: config.allowedModels,
      testModel: createModelTest(config),
    }),
    webhooks: createWebhooks(sharedOptions),
    domains: createDomains({
      db,
      readTextRecords: createTextRecordReader(config.sites.dnsServers),
      ownHosts: getOwnHosts(config),
      sitesDomain: config.sites.domain?.name,
    }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

function listKnownHosts({ github, gitea, gitlab }: Config): KnownHosts {
  const known: readonly (readonly [CodeHostName, Iterable<string>])[] = [
    ["gitea", publicHosts.gitea],
    ["github", publicHosts.github],
    ["gitlab", publicHosts.gitlab],
    ["gitea", gitea.serverUrls.keys()],
    ["gitlab", gitlab.serverUrls.keys()],
    ["github", github.apiUrls.keys()],
  ];
  return new Map(known.flatMap(([name, hosts]) => [...hosts].map((host) => [host, name] as const)));
}

/** Creates the function that tests a model. The room `model/` is loaded for the first test. */
function createModelTest({ roles, models, allow }: Config): TestModel {
  let testModel: TestModel | undefined;
  return async (name) => {
    const { createModelTester, listProviders } = await import("../model/index.ts");
    const { provider } = parseModelName(name) ?? {};
    const missingSetting = listProviders(models).find(
      (listed) => listed.provider === provider,
    )?.missing;
    // Only workers need the providers' keys, so other nodes do not test a model whose key is missing.
    if (missingSetting !== undefined && !roles.includes("worker")) return;
    testModel ??= createModelTester({ ...models, allow, builtin: builtinModels });
    await testModel(name);
  };
}

async function readDatabaseAddress(
  database: Config["database"],
): Promise<Pick<DatabaseOptions, "url" | "directUrl" | "maxConnections">> {
  if (database.kind === "embedded") return {};
  const { maxConnections } = database;
  return { ...(await readDatabaseUrls(database)), maxConnections };
}

/** Opens the records for a short command, whether or not the service is running. Does not write to the log. */
export async function openRecordsQuietly(config: Config): Promise<Records> {
  const log = createLogger({ level: "warn" });
  const isEmbedded = config.database.kind === "embedded";
  const warning = isEmbedded ? prepareDataFolder(config.dataFolder) : undefined;
  if (warning !== undefined) log.warn({}, warning);
  return openRecords({ config, log, canShare: true });
}
