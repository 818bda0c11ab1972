import type { Kysely } from "kysely";
import { createId, toPublicActor } from "../core/index.ts";
import type { Actor, PublicActor } from "../core/index.ts";
import type { Row, Tables } from "../db/index.ts";
import { toPage } from "./page.ts";
import type { ListPage, ListRequest } from "./page.ts";

/** The actions that the audit log records. */
export const auditActions = [
  "agent_job.archived",
  "agent_job.cancelled",
  "agent_job.continued",
  "agent_job.created",
  "audit.exported",
  "audit.read",
  "deployment.cancelled",
  "deployment.published",
  "deployment.removed",
  "deployment.started",
  "domain.added",
  "domain.lost",
  "domain.proven",
  "domain.removed",
  "export.cancelled",
  "export.started",
  "hook.created",
  "hook.deleted",
  "hook.renewed",
  "key.created",
  "key.revoked",
  "member.changed",
  "member.invited",
  "member.joined",
  "member.removed",
  "organization.changed",
  "organization.created",
  "preview.started",
  "project.changed",
  "project.created",
  "project.deleted",
  "pull_request.closed",
  "pull_request.commented",
  "pull_request.made_ready",
  "pull_request.merged",
  "pull_request.reverted",
  "repository.pushed",
  "review_note.changed",
  "review_note.deleted",
  "review_notes.cleared",
  "session.ended",
  "session.refused",
  "session.started",
  "site.changed",
  "site_link.created",
  "site_link.revoked",
  "webhook.changed",
  "webhook.created",
  "webhook.deleted",
  "webhook.message_sent_again",
  "webhook.tested",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** The actor and the organization in which they act. */
export interface ActorScope {
  readonly organizationId: string;
  /** The actor; omitted or null for the operator at the command line. */
  readonly actor?: Actor | null | undefined;
}

/** An action to record, with its target. */
export interface NewAuditEvent {
  readonly action: AuditAction;
  /** The target's ID and the name by which people know the target. */
  readonly target: { readonly id: string; readonly name: string | null };
  readonly projectId?: string | null | undefined;
  /** Further details of the action, which never include a secret. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

export interface AuditEvent {
  readonly id: string;
  readonly at: Date;
  readonly action: AuditAction;
  /** The actor; null for the operator at the command line and for unknown actors of refused sign-ins. */
  readonly actor: PublicActor | null;
  readonly target: NewAuditEvent["target"];
  readonly projectId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditFilter {
  /** The ID of the key or person that acted. */
  readonly actor?: string | undefined;
  readonly action?: AuditAction | undefined;
  readonly since?: Date | undefined;
  /** Only events before this time are listed. */
  readonly until?: Date | undefined;
}

/** The person or key that reads the log. If `projectId` is set, they see only the events of that project. */
interface AuditReader extends ActorScope {
  readonly projectId: string | null;
}

/** The audit log of an organization. */
export interface AuditLog {
  /**
   * Records an action that takes place outside the database. All other actions are recorded in their own transaction.
   */
  record(by: ActorScope, event: NewAuditEvent): Promise<void>;
  /** Returns a function that records the action in the caller's transaction. */
  createRecorder(
    by: ActorScope,
    event: NewAuditEvent,
  ): (transaction: Kysely<Tables>) => Promise<void>;
  /** Lists the events that the reader may see, newest first. */
  list(reader: AuditReader, filter: AuditFilter, page: ListRequest): Promise<ListPage<AuditEvent>>;
  /** Records that somebody reads or exports the log, at most once an hour for each reader. */
  recordReading(reader: AuditReader, action: "audit.read" | "audit.exported"): Promise<void>;
  /** Iterates over all events that the reader may see, newest first. */
  iterateAll(reader: AuditReader, filter: AuditFilter): AsyncIterable<AuditEvent>;
}

const batchSize = 500;
/**
 * The time for which repeated readings are not recorded, so that self-refreshing pages and programs that fetch new
 * events each minute do not fill the log.
 */
const readingIntervalMs = 60 * 60 * 1000;

export function createAuditLog(db: Kysely<Tables>): AuditLog {
  const list: AuditLog["list"] = async ({ organizationId, projectId }, filter, page) => {
    const { limit, before } = page;
    let query = db
      .selectFrom("audit_events")
      .selectAll()
      .where("organization_id", "=", organizationId)
      .orderBy("id", "desc")
      .limit(limit + 1);
    if (projectId !== null) query = query.where("project_id", "=", projectId);
    if (filter.actor !== undefined) query = query.where("actor_id", "=", filter.actor);
    if (filter.action !== undefined) query = query.where("action", "=", filter.action);
    if (filter.since) query = query.where("at", ">=", filter.since);
    if (filter.until) query = query.where("at", "<", filter.until);
    if (before !== undefined) query = query.where("id", "<", before);
    return toPage(await query.execute(), limit, toEvent);
  };
  return {
    record: (by, event) => recordEvent(db, by, event),
    createRecorder: (by, event) => (transaction) => recordEvent(transaction, by, event),
    list,
    async recordReading(reader, action) {
      const { organizationId, projectId, actor } = reader;
      const recentEvent = await db
        .selectFrom("audit_events")
        .select("id")
        .where("organization_id", "=", organizationId)
        .where("actor_id", "=", actor?.id ?? null)
        .where("id", ">", createId("auditEvent", Date.now() - readingIntervalMs))
        .where("action", "=", action)
        .limit(1)
        .executeTakeFirst();
      if (recentEvent) return;
      const target = { id: projectId ?? organizationId, name: "audit log" };
      await recordEvent(db, reader, { action, target, projectId });
    },
    async *iterateAll(reader, filter) {
      for (let before: string | undefined; ;) {
        const { items, next } = await list(reader, filter, { limit: batchSize, before });
        yield* items;
        if (next === null) return;
        before = next;
      }
    },
  };
}

/** Records an event in the transaction of its action. */
export async function recordEvent(
  transaction: Kysely<Tables>,
  { organizationId, actor }: ActorScope,
  { action, target, projectId, details }: NewAuditEvent,
): Promise<void> {
  await transaction
    .insertInto("audit_events")
    .values({
      id: createId("auditEvent"),
      organization_id: organizationId,
      action,
      actor: toColumn(actor),
      actor_id: actor?.id ?? null,
      target: JSON.stringify(target),
      project_id: projectId ?? null,
      details: JSON.stringify(details ?? {}),
    })
    .execute();
}

/** Returns the JSON for a `created_by` column. */
export function toColumn(actor: Actor | null | undefined): string | null {
  return actor ? JSON.stringify(actor) : null;
}

function toEvent(row: Row<"audit_events">): AuditEvent {
  return {
    id: row.id,
    at: row.at,
    action: row.action as AuditAction,
    actor: toPublicActor(row.actor),
    target: row.target,
    projectId: row.project_id,
    details: row.details,
  };
}
