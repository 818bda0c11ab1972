import { sql } from "kysely";
import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { createId } from "../../core/index.ts";
import type { OrganizationPlan } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { ChangedFiles, DeploymentsTable, Tables } from "../../db/index.ts";
import {
  hasNewerDeployment,
  lockSite,
  replaceLiveDeployment,
  publishableKinds,
  takeLiveOffline,
  announceSite,
  type PreviewBase,
  type RepositoryRef,
} from "../../publish/index.ts";
import { recordEvent, toColumn } from "../../projects/index.ts";
import { createJobStore } from "../lifecycle/job-store.ts";
import type {
  JobPage,
  JobScope,
  JobStore,
  JobStoreOptions,
  JobFilter,
  ProjectScope,
} from "../lifecycle/job-store.ts";
import { checkBundle, checkPages } from "../lifecycle/quotas.ts";
import type { ExportLogEntry } from "../static-export/progress.ts";
import type { Upload } from "./uploads.ts";
import {
  followRefs,
  followMissedRefs,
  followVersions,
  listKnownRefs,
  type MovedRefs,
  pollRepositories,
  type PollOptions,
} from "./follow-refs.ts";
import {
  scheduleRefPoll,
  receivePush,
  type DeliveryOutcome,
  type ReceivedDelivery,
} from "./receive-push.ts";
import { findPreviewBase, type ExportedBranch } from "./preview-base.ts";
import { deploymentColumns, toDeploymentSnapshot } from "./job.ts";
import type { DeploymentRow, DeploymentSnapshot, DeploymentStatus } from "./job.ts";
import { createDeploymentMessage, deploymentKind, type DeploymentTypes } from "./kind.ts";
import { insertDeployment } from "./insert-deployment.ts";
import {
  scheduleReviewSync,
  listReviewProblems,
  type ReviewProblem,
} from "../review/ask-for-reviews.ts";

export interface DeploymentInput {
  /** A branch, tag or commit. Defaults to the project's own branch, which readers see. */
  readonly ref?: string | undefined;
  readonly trigger: DeploymentsTable["trigger"];
}

/** An uploaded bundle. */
export interface UploadedDeployment extends Omit<Upload, "sha256"> {
  /** The commit from which the files were built, if it is known. */
  readonly commit: string | undefined;
}

export interface DeploymentFilter extends Pick<JobFilter, "limit" | "cursor"> {
  readonly status?: DeploymentStatus | undefined;
}

/** The details of a deployment that are too large for lists. */
export interface DeploymentDetails {
  /** The slug of the site. */
  readonly slug: string;
  /** The log, oldest first. */
  readonly log: readonly ExportLogEntry[];
  /** The files that the commit changed; null if they are not known. */
  readonly filesChanged: ChangedFiles | null;
}

export type DeploymentPage = JobPage<DeploymentTypes>;

/** A deployment's archive in the storage. */
export interface DeploymentBundle {
  readonly key: string;
  readonly format: "zip";
  readonly bytes: number;
}

export interface Deployments {
  /**
   * Starts a deployment, in the transaction of `handle` if it is set. Without a ref, or with the ref of a version, it
   * goes live when it is ready; with another ref it is a preview. Deployments waiting for the same ref are superseded.
   * Throws `not_found` for an unknown project, `rate_limited` when a quota is reached, and `unavailable` while disk
   * space is low.
   */
  start(
    caller: ProjectScope,
    input: DeploymentInput,
    handle?: Kysely<Tables>,
  ): Promise<DeploymentSnapshot>;
  /**
   * Adds a deployment of a stored bundle, in the caller's transaction. It is ready immediately, and goes live unless a
   * person has chosen what the site shows. Throws `not_found` for an unknown project, and `too_large` when the plan
   * does not allow its number of pages or its size.
   */
  upload(
    caller: ProjectScope,
    upload: UploadedDeployment,
    handle: Kysely<Tables>,
  ): Promise<DeploymentSnapshot>;
  /** Returns a deployment. Throws `not_found`. */
  get(caller: JobScope, id: string): Promise<DeploymentSnapshot>;
  /** Returns the additional details that a deployment's page shows. Throws `not_found`. */
  readDetails(id: string): Promise<DeploymentDetails>;
  /** Lists deployments, newest first. Throws `invalid_input` for an invalid cursor. */
  list(caller: JobScope, filter: DeploymentFilter): Promise<DeploymentPage>;
  /** Returns the deployment that a project's readers see, or undefined if the project is not published. */
  findLive(projectId: string): Promise<DeploymentSnapshot | undefined>;
  /** Returns the newest deployment of a kind that can be published, or undefined if there is none. */
  findNewest(projectId: string): Promise<DeploymentSnapshot | undefined>;
  /** Returns the bundle of a deployment, or undefined before the bundle is built and after it was removed. */
  findBundle(id: string): Promise<DeploymentBundle | undefined>;
  /**
   * Finds the deployment with which the export of a branch is compared: the deployment of the commit where its pull
   * request branched off, or else the live deployment. Returns undefined if neither exists.
   */
  findPreviewBase(branch: ExportedBranch): Promise<PreviewBase | undefined>;
  /** Cancels a deployment. Throws `not_found`, and `conflict` if it has ended. */
  cancel(caller: JobScope, id: string): Promise<DeploymentSnapshot>;
  /**
   * Makes a ready deployment the deployment that readers see. If it is not the newest deployment, the site stops
   * following its branch until a person resumes automatic publishing. Throws `not_found`, and `conflict` for a
   * deployment that cannot be shown.
   */
  publish(caller: JobScope, id: string): Promise<DeploymentSnapshot>;
  /** Removes the bundle of a deployment. Throws `not_found`, and `conflict` while it is live or has not ended. */
  remove(caller: JobScope, id: string): Promise<DeploymentSnapshot>;
  /** Yields the deployment now and after each change until it ends. If the signal is aborted, ends without an error. */
  watch(caller: JobScope, id: string, signal: AbortSignal): AsyncIterable<DeploymentSnapshot>;
  /**
   * Publishes the newest deployment, and anything pushed to a hosted repository since. Call it when a site follows its
   * branch again.
   */
  resume(caller: ProjectScope): Promise<void>;
  /**
   * Records a verified delivery to a project's hook and, if it reports a push to the branch that the site shows, starts
   * a deployment. A repeated delivery has no effect.
   */
  receivePush(delivery: ReceivedDelivery): Promise<DeliveryOutcome>;
  /** Starts the deployments that are due after refs of a hosted repository have moved. */
  followRefs(moved: MovedRefs): Promise<void>;
  /** Polls the external repositories that are due, and starts deployments of those with new commits. */
  pollRepositories(options: PollOptions): Promise<void>;
  /** Starts deployments of hosted repositories whose refs moved without any node noticing. */
  followMissedRefs(): Promise<void>;
  /** Applies the version rules of a project's site. Call it when they have changed. */
  followVersions(projectId: string): Promise<void>;
  /** Requests an update of a project's open pull requests. Call it when its site starts or stops previewing them. */
  followPullRequests(projectId: string): Promise<void>;
  /** Lists the latest failures to read a project's open pull requests, or to report their previews to the code host. */
  listReviewProblems(projectId: string): Promise<readonly ReviewProblem[]>;
  /** Lists the known branches and tags of a project's repository. */
  listKnownRefs(projectId: string): Promise<readonly RepositoryRef[]>;
}

export type DeploymentsOptions = JobStoreOptions;

/** Creates the operations on deployments, for authenticated callers. */
export function createDeployments(options: DeploymentsOptions): Deployments {
  const { kysely } = options.database;
  const store = createJobStore(deploymentKind, options);
  return {
    start(caller, input, handle) {
      const run = (tx: Kysely<Tables>) => startDeployment({ ...options, store, tx }, caller, input);
      return handle ? run(handle) : transact(kysely, run);
    },
    upload: (caller, upload, tx) => uploadDeployment({ ...options, store, tx }, caller, upload),
    async get(caller, id) {
      return toDeploymentSnapshot(await store.find(caller, id));
    },
    async readDetails(id) {
      const row = await kysely
        .selectFrom("deployments")
        .select(["slug", "log", "files_changed as filesChanged"])
        .where("id", "=", id)
        .executeTakeFirst();
      if (row) return row;
      throw new OctavoError("not_found", "The deployment has been deleted.");
    },
    list: (caller, filter) => store.list(caller, filter),
    async findLive(projectId) {
      const row = await kysely
        .selectFrom("deployments")
        .select(deploymentColumns)
        .where("project_id", "=", projectId)
        .where("kind", "in", publishableKinds)
        .where("published_at", "is not", null)
        .where("left_at", "is", null)
        .executeTakeFirst();
      return row && toDeploymentSnapshot(row);
    },
    async findNewest(projectId) {
      const row = await selectNewest(kysely, projectId).executeTakeFirst();
      return row && toDeploymentSnapshot(row);
    },
    async findBundle(id) {
      const row = await kysely
        .selectFrom("deployments")
        .select(["bundle_key as key", "bundle_bytes as bytes"])
        .where("id", "=", id)
        .executeTakeFirst();
      if (row?.key == null || row.bytes === null) return undefined;
      return { key: row.key, format: "zip", bytes: row.bytes };
    },
    findPreviewBase: (branch) => findPreviewBase(kysely, branch),
    cancel: (caller, id) => store.cancel(caller, id),
    publish: (caller, id) =>
      transact(kysely, (tx) => publishDeployment({ ...options, store, tx }, caller, id)),
    remove: (caller, id) => transact(kysely, (tx) => removeDeployment({ store, tx }, caller, id)),
    watch: (caller, id, signal) => store.watch(caller, id, signal),
    receivePush: (delivery) => receivePush(options, delivery),
    followRefs: (moved) => followRefs(options, moved),
    followMissedRefs: () => followMissedRefs(options),
    async followVersions(projectId) {
      await followVersions(options, projectId);
      await scheduleRefPoll(kysely, projectId);
    },
    followPullRequests: (projectId) => scheduleReviewSync(kysely, projectId, null),
    listReviewProblems: (projectId) => listReviewProblems(kysely, projectId),
    listKnownRefs: (projectId) => listKnownRefs(kysely, projectId),
    pollRepositories: (polling) => pollRepositories(options, polling),
    async resume(caller) {
      const newest = await selectNewest(kysely, caller.projectId)
        .where("status", "=", "ready")
        .executeTakeFirst();
      if (newest) {
        await transact(kysely, (tx) =>
          publishDeployment({ ...options, store, tx }, caller, newest.id),
        );
      }
      await followMissedRefs(options, caller.projectId);
    },
  };
}

/** Selects the newest deployment of a project, of a kind that can be published. */
function selectNewest(kysely: Kysely<Tables>, projectId: string) {
  return kysely
    .selectFrom("deployments")
    .select(deploymentColumns)
    .where("project_id", "=", projectId)
    .where("kind", "in", publishableKinds)
    .orderBy("id", "desc")
    .limit(1);
}

interface DeploymentContext extends Pick<DeploymentsOptions, "announcer" | "quotas" | "metrics"> {
  readonly tx: Kysely<Tables>;
  readonly store: JobStore<DeploymentTypes>;
}

async function startDeployment(
  { tx, store }: DeploymentContext,
  caller: ProjectScope,
  { ref, trigger }: DeploymentInput,
): Promise<DeploymentSnapshot> {
  const { projectId } = caller;
  const project = await findProject(tx, caller);
  const isProduction = ref === undefined || ref === project.ref;
  const version = isProduction ? undefined : await findVersion(tx, projectId, ref);
  const otherKind = version === undefined ? "preview" : "version";
  return await store.start(tx, caller, {
    plan: project.plan,
    insert: () =>
      insertDeployment(tx, {
        id: createId("deployment"),
        organizationId: caller.organizationId,
        projectId,
        kind: isProduction ? "production" : otherKind,
        trigger,
        ref: version ?? ref ?? project.ref,
        commit: null,
        createdBy: toColumn(caller.actor),
      }),
  });
}

async function uploadDeployment(
  { tx, announcer, quotas, metrics }: DeploymentContext,
  caller: ProjectScope,
  { bundleKey, bundleBytes, pages, problems, notes, commit }: UploadedDeployment,
): Promise<DeploymentSnapshot> {
  const { organizationId, projectId } = caller;
  const { plan } = await findProject(tx, caller);
  checkPages(pages, { plan, quotas });
  const id = createId("deployment");
  const isLive = await replaceLiveDeployment(tx, {
    id,
    projectId,
    kind: "upload",
    ref: null,
    bundleKey,
  });
  const { slug } = await lockSite(tx, projectId);
  const at = new Date().toISOString();
  const log: readonly ExportLogEntry[] = notes.map((text) => ({ at, text }));
  const row = await tx
    .insertInto("deployments")
    .values({
      id,
      organization_id: organizationId,
      project_id: projectId,
      kind: "upload",
      log: JSON.stringify(log),
      trigger: "upload",
      slug,
      ref: null,
      commit,
      status: "ready",
      progress: 100,
      page_count: pages,
      errors: problems?.errors,
      warnings: problems?.warnings,
      bundle_key: bundleKey,
      bundle_bytes: bundleBytes,
      created_by: toColumn(caller.actor),
      ended_at: sql<Date>`now()`,
      ...(isLive && { published_at: sql<Date>`now()` }),
    })
    .returning(deploymentColumns)
    .executeTakeFirstOrThrow();
  await checkBundle(tx, { organizationId, plan, quotas });
  const target = { id, name: slug };
  await recordEvent(tx, caller, { action: "deployment.started", target, projectId });
  for (const event of isLive ? (["ready", "published"] as const) : (["ready"] as const)) {
    await announcer.announce(tx, row, (context) => createDeploymentMessage(row, event, context));
  }
  metrics.jobEntered({ kind: deploymentKind.getMetricKind(row), state: "completed" });
  return toDeploymentSnapshot(row);
}

/** Returns the full name of the ref if a version of the site shows it. */
async function findVersion(
  tx: Kysely<Tables>,
  projectId: string,
  ref: string,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom("site_versions")
    .select("ref")
    .where("project_id", "=", projectId)
    .where("ref", "in", [ref, `refs/heads/${ref}`, `refs/tags/${ref}`])
    .where("slug", "is not", null)
    .orderBy("ref")
    .limit(1)
    .executeTakeFirst();
  return row?.ref;
}

async function findProject(
  tx: Kysely<Tables>,
  { organizationId, projectId }: ProjectScope,
): Promise<{ readonly ref: string | null; readonly plan: OrganizationPlan }> {
  const project = await tx
    .selectFrom("projects")
    .innerJoin("organizations", "organizations.id", "projects.organization_id")
    .select(["projects.ref", "organizations.plan"])
    .where("projects.id", "=", projectId)
    .where("projects.organization_id", "=", organizationId)
    .executeTakeFirst();
  if (project) return project;
  throw new OctavoError("not_found", `The project ${JSON.stringify(projectId)} does not exist.`);
}

async function publishDeployment(
  { tx, store, announcer }: DeploymentContext,
  caller: JobScope,
  id: string,
): Promise<DeploymentSnapshot> {
  const row = await lockWithSite({ tx, store }, caller, id);
  const { project_id: projectId, kind, ref } = row;
  requirePublishable(row);
  if (row.published_at !== null && row.left_at === null) return toDeploymentSnapshot(row);
  await takeLiveOffline(tx, { projectId, kind, ref });
  const published = await tx
    .updateTable("deployments")
    .set({
      published_at: sql<Date>`now()`,
      published_by: toColumn(caller.actor),
      left_at: null,
    })
    .where("id", "=", id)
    .returning(deploymentColumns)
    .executeTakeFirstOrThrow();
  if (await hasNewerDeployment(tx, { id, projectId, kind, ref })) {
    await tx
      .updateTable("sites")
      .set({ is_automatic: false })
      .where("project_id", "=", projectId)
      .execute();
  } else await announceSite(tx, projectId);
  const target = { id, name: row.slug };
  await recordEvent(tx, caller, { action: "deployment.published", target, projectId });
  await announcer.announce(tx, published, (context) =>
    createDeploymentMessage(published, "published", context),
  );
  return toDeploymentSnapshot(published);
}

/**
 * Locks the site of a deployment, and then the deployment. All code that decides what is live takes the locks in this
 * order.
 */
async function lockWithSite(
  { tx, store }: Pick<DeploymentContext, "tx" | "store">,
  caller: JobScope,
  id: string,
): Promise<DeploymentRow> {
  const deployment = await tx
    .selectFrom("deployments")
    .select("project_id")
    .where("id", "=", id)
    .where("organization_id", "=", caller.organizationId)
    .executeTakeFirst();
  if (deployment) await lockSite(tx, deployment.project_id);
  return await store.lock(tx, caller, id);
}

function requirePublishable({ kind, status, error }: DeploymentRow): void {
  if (!publishableKinds.some((one) => one === kind)) {
    throw new OctavoError(
      "conflict",
      kind === "version"
        ? "A version always shows the newest deployment of its branch or tag."
        : `A ${kind} has its own address and cannot be published.`,
    );
  }
  if (status === "ready") return;
  const reason = status === "failed" ? `failed: ${error}` : `is ${status}.`;
  throw new OctavoError(
    "conflict",
    `Only a deployment that is ready can be published; this one ${reason}`,
  );
}

async function removeDeployment(
  { tx, store }: Pick<DeploymentContext, "tx" | "store">,
  caller: JobScope,
  id: string,
): Promise<DeploymentSnapshot> {
  const row = await lockWithSite({ tx, store }, caller, id);
  const { project_id: projectId } = row;
  if (row.published_at !== null && row.left_at === null) {
    throw new OctavoError("conflict", "This deployment is live. Publish another one first.");
  }
  if (row.status !== "ready") {
    throw new OctavoError(
      "conflict",
      `Only a deployment that is ready has a bundle to remove; the status of this one is ${row.status}.`,
    );
  }
  const removed = await tx
    .updateTable("deployments")
    .set({ status: "removed", bundle_key: null })
    .where("id", "=", id)
    .returning(deploymentColumns)
    .executeTakeFirstOrThrow();
  await announceSite(tx, projectId);
  const target = { id, name: row.slug };
  await recordEvent(tx, caller, { action: "deployment.removed", target, projectId });
  return toDeploymentSnapshot(removed);
}
