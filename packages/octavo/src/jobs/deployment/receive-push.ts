import { sql } from "kysely";
import type { Kysely } from "kysely";
import { createId } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { Tables } from "../../db/index.ts";
import { lockSite, matchPattern } from "../../publish/index.ts";
import type { HookSender, ParsedDelivery, ReportedPush } from "../../publish/index.ts";
import type { JobStoreOptions } from "../lifecycle/job-store.ts";
import { insertDeployment, type NewDeployment } from "./insert-deployment.ts";
import { deploymentKind } from "./kind.ts";
import { scheduleReviewSync } from "../review/ask-for-reviews.ts";

/** A verified delivery to a project's hook. */
export interface ReceivedDelivery {
  readonly hook: {
    readonly id: string;
    readonly projectId: string;
    readonly organizationId: string;
  };
  readonly sender: HookSender;
  /** The name that the sender gave the delivery, by which a repeated delivery is recognized. */
  readonly name: string;
  readonly event: string;
  readonly content: ParsedDelivery;
}

export type DeliveryOutcome =
  | { readonly outcome: "started"; readonly deploymentId: string }
  | { readonly outcome: "ignored"; readonly reason: string }
  /** The same delivery was received before. */
  | { readonly outcome: "repeated" };

type PushOptions = Pick<JobStoreOptions, "database" | "queue">;

/**
 * Records a delivery and, if it reports a push to the branch that the site shows, starts a deployment. A delivery that
 * was recorded before has no effect.
 */
export async function receivePush(
  options: PushOptions,
  { hook, sender, name, event, content }: ReceivedDelivery,
): Promise<DeliveryOutcome> {
  return await transact(options.database.kysely, async (tx) => {
    const inserted = await tx
      .insertInto("hook_deliveries")
      .values({
        id: createId("hookDelivery"),
        hook_id: hook.id,
        delivery: name,
        sender,
        event,
        branch: content.push?.branch?.replaceAll("\0", "").toWellFormed(),
        commit: content.push?.commit,
      })
      .onConflict((conflict) => conflict.constraint("hook_deliveries_once").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (!inserted) return { outcome: "repeated" };
    const outcome = content.push
      ? await startPushDeployment(
          { ...options, tx },
          { ...hook, push: content.push, trigger: "hook" },
        )
      : ({ outcome: "ignored", reason: content.reason } as const);
    // The delivery may report a tag or branch that is a version.
    if (outcome.outcome === "ignored") await scheduleRefPoll(tx, hook.projectId);
    // Any delivery may mean that the branch or state of a pull request has changed.
    await scheduleReviewSync(tx, hook.projectId, "hook");
    await tx
      .updateTable("hook_deliveries")
      .set(
        outcome.outcome === "started"
          ? { deployment_id: outcome.deploymentId }
          : { reason: outcome.reason },
      )
      .where("id", "=", inserted.id)
      .execute();
    return outcome;
  });
}

interface PushedProject {
  readonly projectId: string;
  readonly organizationId: string;
  readonly push: ReportedPush;
  readonly trigger: "hook" | "poll";
}

type StartOutcome = Exclude<DeliveryOutcome, { readonly outcome: "repeated" }>;

/**
 * Starts a deployment of the branch that a project publishes, if that branch was pushed. As the service's own work, it
 * does not count against any start quota. However many pushes arrive, only one deployment per project waits.
 */
export async function startPushDeployment(
  { tx, queue }: { readonly tx: Kysely<Tables> } & Pick<PushOptions, "queue">,
  { projectId, organizationId, push, trigger }: PushedProject,
): Promise<StartOutcome> {
  const site = await lockSite(tx, projectId);
  const { ref } = await tx
    .selectFrom("projects")
    .select("ref")
    .where("id", "=", projectId)
    .executeTakeFirstOrThrow();
  const publishedBranch = ref ?? push.defaultBranch;
  if (
    push.branch !== undefined &&
    publishedBranch !== undefined &&
    push.branch !== publishedBranch
  ) {
    const preview = { organizationId, projectId, ref: push.branch, trigger } as const;
    const started = await previewBranch({ tx, queue }, preview, site.preview_branches);
    return started ?? ignore(`The site shows the branch ${publishedBranch}.`);
  }
  if (!site.is_automatic) return ignore("Automatic publishing is turned off for this site.");
  const waitingDeployment = await tx
    .selectFrom("deployments")
    .select("id")
    .where("project_id", "=", projectId)
    .where("kind", "=", "production")
    .where("status", "=", "queued")
    // A deployment with a fixed commit does not build what was pushed after that commit.
    .where("commit", "is", null)
    .where(sql<boolean>`ref is not distinct from ${ref}`)
    .executeTakeFirst();
  if (waitingDeployment) return { outcome: "started", deploymentId: waitingDeployment.id };
  const { id } = await insertDeployment(tx, {
    id: createId("deployment"),
    organizationId,
    projectId,
    kind: "production",
    trigger,
    ref,
    // The worker builds the tip that the branch has when it runs, because deliveries may arrive
    // late and in any order.
    commit: null,
    createdBy: null,
  });
  const owner = { organizationId, projectId };
  await queue.enqueue(tx, deploymentKind.queue, id, { owner });
  return { outcome: "started", deploymentId: id };
}

/** A branch that moved, other than the branch that the site shows. */
interface MovedBranch {
  readonly projectId: string;
  readonly organizationId: string;
  /** The name of the branch. */
  readonly ref: string;
  readonly trigger: NewDeployment["trigger"];
}

/** The maximum number of waiting previews per project, which bounds the effect of a push of very many branches. */
export const maxWaitingPreviews = 50;

/**
 * Starts a preview of a branch, if it matches one of the patterns and is not a version. Returns undefined otherwise.
 * Like everything that a push triggers, it does not count against any start quota.
 */
export async function previewBranch(
  { tx, queue }: { readonly tx: Kysely<Tables> } & Pick<PushOptions, "queue">,
  branch: MovedBranch,
  patterns: readonly string[],
): Promise<StartOutcome | undefined> {
  const { organizationId, projectId, ref } = branch;
  if (!patterns.some((pattern) => matchPattern(pattern, ref))) return undefined;
  const version = await tx
    .selectFrom("site_versions")
    .select("ref")
    .where("project_id", "=", projectId)
    .where("ref", "=", `refs/heads/${ref}`)
    .executeTakeFirst();
  if (version) return undefined;
  const waitingPreviews = await tx
    .selectFrom("deployments")
    .select(["id", "ref", "pull_request"])
    .where("project_id", "=", projectId)
    .where("kind", "=", "preview")
    .where("status", "=", "queued")
    .execute();
  const waitingPreview = waitingPreviews.find(
    (one) => one.ref === ref && one.pull_request === null,
  );
  // The worker builds the tip that the branch has when it runs.
  if (waitingPreview) return { outcome: "started", deploymentId: waitingPreview.id };
  if (waitingPreviews.length >= maxWaitingPreviews) {
    return ignore(`${maxWaitingPreviews} previews of this project are already waiting.`);
  }
  const created = { kind: "preview", commit: null, createdBy: null } as const;
  const { id } = await insertDeployment(tx, { ...branch, ...created, id: createId("deployment") });
  await queue.enqueue(tx, deploymentKind.queue, id, { owner: { organizationId, projectId } });
  return { outcome: "started", deploymentId: id };
}

function ignore(reason: string): StartOutcome {
  return { outcome: "ignored", reason };
}

/**
 * Makes the next poll of a repository due immediately if its site has versions or previews. Call it when their rules or
 * the refs may have changed.
 */
export async function scheduleRefPoll(handle: Kysely<Tables>, projectId: string): Promise<void> {
  await sql`
    insert into repository_polls as polls (project_id, next_at)
      select project_id, now() from sites join projects on projects.id = project_id
      where project_id = ${projectId} and repository <> 'local' and (version_rules <> '[]' or preview_branches <> '[]'
        or exists (select from site_versions where site_versions.project_id = sites.project_id))
    on conflict (project_id) do update set next_at = least(polls.next_at, now())`.execute(handle);
}
