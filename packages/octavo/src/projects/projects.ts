import type { Insertable, Kysely, Updateable } from "kysely";
import { OctavoError, createInputError, isOctavoError, readRemoteOrigins } from "@octavo/site/core";
import { isId, isModelName, createId, toHostName } from "../core/index.ts";
import type { Actor, AllowList, CodeHostName, KnownHosts, ModelList } from "../core/index.ts";
import { transact, findViolatedConstraint } from "../db/index.ts";
import type { Row, Tables } from "../db/index.ts";
import { recordEvent, toColumn } from "./audit.ts";
import type { ActorScope } from "./audit.ts";
import { requireWholeOrganization } from "./keys.ts";
import type { KeyScope } from "./keys.ts";
import { toPage } from "./page.ts";
import type { ListPage, ListRequest } from "./page.ts";
import {
  checkPullRequestSettingsChanges,
  toPullRequestSettings,
  applyPullRequestChanges,
} from "./pull-request-settings.ts";
import type { PullRequestSettingsChanges, PullRequestSettings } from "./pull-request-settings.ts";
import {
  checkCodeHost,
  checkRef,
  checkRepository,
  normalizeDirectory,
  inferCodeHost,
  readSigningKey,
} from "./repository.ts";
import type { RepositoryCredentials } from "./repository.ts";
import { createReviewNotes, type ReviewNotes } from "./review-notes.ts";
import type { Vault } from "./secrets.ts";
import { checkSources, createSourceRecords } from "./sources.ts";
import type { ProjectSource, ReadableSource, SourceFields } from "./sources.ts";

export interface Project {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly domain: string;
  readonly repository: string;
  /** The branch; null means the remote's HEAD. */
  readonly ref: string | null;
  readonly directory: string;
  readonly codeHost: CodeHostName;
  /** `provider/model`; null means the service's default. */
  readonly model: string | null;
  /** Hosts from which pages may load scripts and other files, in the form that `readRemoteOrigins` returns. */
  readonly remoteScripts: readonly string[];
  readonly pullRequests: PullRequestSettings;
  /** The public key that verifies signed commits; null if commits are not signed. */
  readonly signingPublicKey: string | null;
  readonly sources: readonly ProjectSource[];
  readonly createdBy: Actor | null;
  readonly createdAt: Date;
}

/** The fields of a new project. */
export interface ProjectFields {
  readonly name: string;
  readonly domain: string;
  readonly repository: string;
  readonly ref?: string | null | undefined;
  readonly directory?: string | undefined;
  readonly codeHost?: CodeHostName | undefined;
  readonly model?: string | null | undefined;
  /** Whether a new model is called once before it is stored. Defaults to true. */
  readonly testModel?: boolean | undefined;
  /** Hosts from which pages may load scripts, styles, fonts, frames and data. The list replaces the previous list. */
  readonly remoteScripts?: readonly string[] | undefined;
  /**
   * The pull request settings. Omitted fields get their defaults in a new project and keep their values in an existing
   * project.
   */
  readonly pullRequests?: PullRequestSettingsChanges | undefined;
  readonly credentials?: RepositoryCredentials | null | undefined;
  /** The private key that signs commits, in OpenSSH's format and without a passphrase. */
  readonly signingKey?: string | null | undefined;
  /** At most `maxSources` sources, which replace the previous list. */
  readonly sources?: readonly SourceFields[] | undefined;
}

/** The fields to change. Omitted fields keep their values; null removes a value. */
export type ProjectChanges = {
  readonly [Field in keyof ProjectFields]?: ProjectFields[Field] | undefined;
};

export interface Projects {
  /**
   * Returns the fields in the normalized form in which they are stored. Throws an `invalid_input` error that names the
   * invalid field. Does not query the database.
   */
  check<Fields extends ProjectChanges>(fields: Fields): Fields;
  /**
   * Throws in the same cases as `check`, and `conflict` if any project of the service already has the domain. Throws `invalid_input`
   * with `details.field` and `details.formMessage` if the test of a new model fails.
   */
  create(organizationId: string, fields: ProjectFields, actor?: Actor): Promise<Project>;
  /**
   * Returns the code host of a project with these checked fields. Throws `invalid_input` if the code host cannot open
   * pull requests for the repository.
   */
  chooseCodeHost(fields: Pick<ProjectFields, "repository" | "codeHost">): CodeHostName;
  /** Throws `not_found` if the project is outside the scope. */
  get(scope: KeyScope, projectId: string): Promise<Project>;
  findByDomain(scope: KeyScope, domain: string): Promise<Project | undefined>;
  list(scope: KeyScope, page: ListRequest): Promise<ListPage<Project>>;
  /**
   * Throws as `create` and `get` do. A model that does not change is not tested. If the repository changes, the stored
   * credentials and signing key are removed unless `changes` replaces them, because they belong to the old repository.
   */
  update(scope: KeyScope, projectId: string, changes: ProjectChanges): Promise<Project>;
  /**
   * Deletes the project, its jobs and the keys limited to it. Throws `not_found`, and `forbidden` for a key that is
   * limited to the project.
   */
  remove(scope: KeyScope, projectId: string): Promise<void>;
  readonly reviewNotes: ReviewNotes;
  /** Returns the decrypted credentials, for git and code hosts only. */
  readCredentials(projectId: string): Promise<RepositoryCredentials | undefined>;
  /** Returns the decrypted private key that signs commits, for git only. */
  readSigningKey(projectId: string): Promise<string | undefined>;
  /**
   * Returns the sources with decrypted credentials, for git and code hosts only. Returns an empty list if the project
   * does not exist.
   */
  readSources(projectId: string): Promise<readonly ReadableSource[]>;
}

interface ProjectsOptions {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly allow: AllowList;
  /** The models that projects may choose. */
  readonly allowedModels: ModelList;
  /** Calls a model once. Throws an error with a message for people if the model cannot be used. */
  readonly testModel: (model: string) => Promise<void>;
  /**
   * The code hosts of known servers. A project opens its pull requests on its repository's server if the server is in
   * this map, unless the project sets a different code host.
   */
  readonly knownHosts: KnownHosts;
}

type ProjectRow = Row<"projects">;

export function createProjects(options: ProjectsOptions): Projects {
  const { db, vault, knownHosts } = options;
  const sourceRecords = createSourceRecords(options);
  const select = ({ organizationId, projectId }: KeyScope) =>
    db
      .selectFrom("projects")
      .where("organization_id", "=", organizationId)
      .$if(projectId !== null, (query) => query.where("id", "=", projectId ?? ""));

  async function get(scope: KeyScope, projectId: string): Promise<Project> {
    const row = isId("project", projectId)
      ? await select(scope).selectAll().where("id", "=", projectId).executeTakeFirst()
      : undefined;
    if (row) return toProject(row);
    throw createMissingProjectError(projectId);
  }

  return {
    get,
    check: (fields) => checkFields(fields, options),
    chooseCodeHost: (fields) => chooseCodeHost(fields, knownHosts),

    async create(organizationId, fields, actor) {
      const id = createId("project");
      const checkedFields = await checkForPlan(fields, organizationId, options);
      await testNewModel(checkedFields, null, options);
      const values = {
        ...toColumns(checkedFields, knownHosts, toPullRequestSettings({})),
        id,
        organization_id: organizationId,
        created_by: toColumn(actor),
        ...encryptSecrets(vault, id, { ...noSecrets, ...removeAbsentFields(checkedFields) }),
        ...sourceRecords.buildNewColumns(id, checkedFields.sources),
      };
      const row = await insertProject(db, values, actor);
      return toProject(row);
    },

    async findByDomain(scope, domain) {
      // An invalid host name matches no project.
      const name = toHostName(domain) ?? "";
      const row = await select(scope).selectAll().where("domain", "=", name).executeTakeFirst();
      return row && toProject(row);
    },

    async list(scope, { limit, before }) {
      const query = select(scope).selectAll().orderBy("id", "desc");
      const olderQuery = before === undefined ? query : query.where("id", "<", before);
      return toPage(await olderQuery.limit(limit + 1).execute(), limit, toProject);
    },

    async update(scope, projectId, changes) {
      const current = await get(scope, projectId);
      const edits = await checkForPlan(changes, scope.organizationId, options);
      await testNewModel(edits, current.model, options);
      const { columns, secrets } = toChangedColumns(current, edits, knownHosts);
      const secretColumns = encryptSecrets(vault, projectId, secrets);
      const sourceColumns = await sourceRecords.buildChangedColumns(projectId, edits.sources);
      const values = { ...columns, ...secretColumns, ...sourceColumns };
      const { testModel: _, ...changedFields } = removeAbsentFields(changes);
      const fields = Object.keys(changedFields);
      const row = await updateProject(db, scope, { projectId, values, fields });
      if (!row) throw createMissingProjectError(projectId);
      return toProject(row);
    },

    async remove(scope, projectId) {
      const project = await get(scope, projectId);
      requireWholeOrganization(scope, "delete projects");
      await deleteProject(db, scope, project);
    },

    reviewNotes: createReviewNotes(db),

    readCredentials: (projectId) => readCredentials(db, vault, projectId),

    readSigningKey: (projectId) => openSigningKey(db, vault, projectId),

    readSources: (projectId) => sourceRecords.read(projectId),
  };
}

const noSecrets = { credentials: null, signingKey: null };

/** Returns the columns with the given secrets in encrypted form. Null removes a secret. */
function encryptSecrets(
  vault: Vault,
  projectId: string,
  { credentials, signingKey }: Pick<ProjectFields, "credentials" | "signingKey">,
) {
  return {
    ...(credentials !== undefined && {
      credentials: credentials && vault.seal(JSON.stringify(credentials), projectId),
    }),
    ...(signingKey !== undefined && encryptSigningKey(vault, projectId, signingKey)),
  };
}

function encryptSigningKey(vault: Vault, projectId: string, text: string | null) {
  if (text === null) return { signing_key: null, signing_public_key: null };
  const { privateKey, publicKey } = readSigningKey(text);
  return { signing_key: vault.seal(privateKey, projectId), signing_public_key: publicKey };
}

async function openSigningKey(
  db: Kysely<Tables>,
  vault: Vault,
  projectId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("projects")
    .select("signing_key")
    .where("id", "=", projectId)
    .executeTakeFirst();
  return row?.signing_key ? vault.open(row.signing_key, projectId) : undefined;
}

async function readCredentials(
  db: Kysely<Tables>,
  vault: Vault,
  projectId: string,
): Promise<RepositoryCredentials | undefined> {
  const row = await db
    .selectFrom("projects")
    .select("credentials")
    .where("id", "=", projectId)
    .executeTakeFirst();
  if (!row?.credentials) return undefined;
  return JSON.parse(vault.open(row.credentials, projectId)) as RepositoryCredentials;
}

function checkFields<Fields extends ProjectChanges>(
  fields: Fields,
  { allow, knownHosts }: Pick<ProjectsOptions, "allow" | "knownHosts">,
): Fields {
  const { domain, repository, ref, directory, model, pullRequests, signingKey, sources } = fields;
  const { remoteScripts } = fields;
  if (typeof ref === "string") checkRef(ref);
  if (typeof model === "string" && !isModelName(model)) throw createInvalidModelError(model);
  if (typeof signingKey === "string") readSigningKey(signingKey);
  return {
    ...fields,
    ...(domain === undefined ? {} : { domain: checkDomain(domain) }),
    ...(repository === undefined ? {} : { repository: checkRepository(repository, allow) }),
    ...(directory === undefined ? {} : { directory: normalizeDirectory(directory) }),
    ...(remoteScripts && { remoteScripts: readRemoteOrigins(remoteScripts) }),
    ...(pullRequests && { pullRequests: checkPullRequestSettingsChanges(pullRequests) }),
    ...(sources === undefined ? {} : { sources: checkSources(sources, allow, knownHosts) }),
  };
}

/** Returns the columns that an update changes. If the repository changes, secrets are removed. */
function toChangedColumns(current: Project, changes: ProjectChanges, knownHosts: KnownHosts) {
  const hasNewRepository = (changes.repository ?? current.repository) !== current.repository;
  const codeHost = hasNewRepository ? undefined : current.codeHost;
  const { pullRequests, ...keptFields } = current;
  const fields = { ...keptFields, codeHost, ...removeAbsentFields(changes) };
  const columns = toColumns(fields, knownHosts, pullRequests);
  return {
    columns,
    secrets: { ...(hasNewRepository && noSecrets), ...removeAbsentFields(changes) },
  };
}

function removeAbsentFields(changes: ProjectChanges): Partial<ProjectFields> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** Returns the columns of validated fields. Throws `invalid_input` if the fields contradict each other. */
function toColumns(fields: ProjectFields, knownHosts: KnownHosts, current: PullRequestSettings) {
  const codeHost = chooseCodeHost(fields, knownHosts);
  const pullRequests = applyPullRequestChanges(current, fields.pullRequests ?? {}, codeHost);
  return {
    name: fields.name,
    domain: fields.domain,
    repository: fields.repository,
    ref: fields.ref ?? null,
    directory: fields.directory ?? ".",
    code_host: codeHost,
    model: fields.model ?? null,
    remote_scripts: JSON.stringify(fields.remoteScripts ?? []),
    pull_requests: JSON.stringify(pullRequests),
  };
}

function chooseCodeHost(
  fields: Pick<ProjectFields, "repository" | "codeHost">,
  knownHosts: KnownHosts,
): CodeHostName {
  const { repository } = fields;
  const codeHost = fields.codeHost ?? inferCodeHost(repository, knownHosts);
  checkCodeHost(codeHost, repository);
  return codeHost;
}

function checkDomain(domain: string): string {
  const name = toHostName(domain);
  if (name !== undefined) return name;
  throw createInputError(
    `domain ${JSON.stringify(domain.slice(0, 100))} is not a host name such as docs.example.com. Omit the scheme, ` +
      "port, path and slashes.",
  );
}

/**
 * Works like `checkFields`, but also throws `invalid_input` for a model that the organization's plan does not allow.
 */
async function checkForPlan<Fields extends ProjectChanges>(
  fields: Fields,
  organizationId: string,
  options: ProjectsOptions,
): Promise<Fields> {
  const checked = checkFields(fields, options);
  const { model } = checked;
  if (typeof model !== "string") return checked;
  const { plan } = await options.db
    .selectFrom("organizations")
    .select("plan")
    .where("id", "=", organizationId)
    .executeTakeFirstOrThrow();
  if (options.allowedModels.allows(model, plan)) return checked;
  throw createInputError(
    `model ${model} is not available on the ${plan} plan. The operator sets the available models in OCTAVO_MODELS.`,
  );
}

/** Tests a model before it replaces the stored model, unless the caller does not want a test. */
async function testNewModel(
  { model, testModel = true }: ProjectChanges,
  storedModel: string | null,
  options: ProjectsOptions,
): Promise<void> {
  if (typeof model !== "string" || model === storedModel || !testModel) return;
  try {
    await options.testModel(model);
  } catch (error) {
    if (isOctavoError(error, "invalid_input")) throw createModelTestError(model, error);
    throw error;
  }
}

/**
 * Creates the error for a model that failed its test. `details.formMessage` omits the advice to set `testModel`, for
 * forms that have their own switch for the test.
 */
function createModelTestError(model: string, cause: OctavoError): OctavoError {
  const formMessage = `The model ${model} was not saved, because a test call to it failed. ${cause.message}`;
  const message = `${formMessage} To save it without a test, set testModel to false (--no-test-model on the command line).`;
  return new OctavoError("invalid_input", message, {
    cause,
    details: { field: "model", formMessage },
  });
}

function createInvalidModelError(model: string): OctavoError {
  return createInputError(
    `model ${JSON.stringify(model.slice(0, 100))} must be provider/model, e.g. builtin/recipes.`,
  );
}

function createMissingProjectError(projectId: string): OctavoError {
  return new OctavoError(
    "not_found",
    `The project ${JSON.stringify(projectId.slice(0, 100))} does not exist.`,
  );
}

/** Converts a row to a project without its secrets. */
export function toProject(row: Row<"projects">): Project {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    domain: row.domain,
    repository: row.repository,
    ref: row.ref,
    directory: row.directory,
    codeHost: row.code_host,
    model: row.model,
    remoteScripts: row.remote_scripts,
    pullRequests: toPullRequestSettings(row.pull_requests),
    signingPublicKey: row.signing_public_key,
    sources: row.sources,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}

/** Inserts a project. Throws `conflict` if another project has the domain. */
async function insertProject(
  db: Kysely<Tables>,
  values: Insertable<Tables["projects"]>,
  actor: Actor | undefined,
): Promise<ProjectRow> {
  const by = { organizationId: values.organization_id, actor };
  return writeWithUniqueDomain(values.domain, () =>
    transact(db, async (transaction) => {
      await recordEvent(transaction, by, toProjectEvent("created", values));
      const insert = transaction.insertInto("projects").values(values);
      return insert.returningAll().executeTakeFirstOrThrow();
    }),
  );
}

interface ProjectUpdate {
  readonly projectId: string;
  readonly values: Updateable<Tables["projects"]> & Pick<ProjectRow, "name" | "domain">;
  /** The names of the changed fields for the audit log, which never contains their values. */
  readonly fields: readonly string[];
}

/** Updates a project. Returns undefined if the project was deleted in the meantime. Throws in the same cases as `insertProject`. */
async function updateProject(
  db: Kysely<Tables>,
  by: ActorScope,
  { projectId: id, values, fields }: ProjectUpdate,
): Promise<ProjectRow | undefined> {
  const event = { ...toProjectEvent("changed", { id, name: values.name }), details: { fields } };
  return writeWithUniqueDomain(values.domain, () =>
    transact(db, async (transaction) => {
      await recordEvent(transaction, by, event);
      const update = transaction.updateTable("projects").set(values).where("id", "=", id);
      return update.returningAll().executeTakeFirst();
    }),
  );
}

async function deleteProject(
  db: Kysely<Tables>,
  by: ActorScope,
  project: Pick<ProjectRow, "id" | "name">,
): Promise<void> {
  await transact(db, async (transaction) => {
    await transaction.deleteFrom("projects").where("id", "=", project.id).execute();
    await recordEvent(transaction, by, toProjectEvent("deleted", project));
  });
}

function toProjectEvent(
  change: "created" | "changed" | "deleted",
  project: { id: string; name: string },
) {
  const { id, name } = project;
  return { action: `project.${change}`, target: { id, name }, projectId: id } as const;
}

async function writeWithUniqueDomain<Result>(
  domain: string,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (cause) {
    if (findViolatedConstraint(cause) !== "projects_domain_key") throw cause;
    const message = `The domain ${domain} belongs to another project. Choose a different domain.`;
    throw new OctavoError("conflict", message, { cause });
  }
}
