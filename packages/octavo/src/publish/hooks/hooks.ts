import { randomBytes, randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { createId } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { Tables } from "../../db/index.ts";
import { recordEvent, toColumn } from "../../projects/index.ts";
import type { ActorScope, Project, Vault } from "../../projects/index.ts";
import type { HookSender } from "./delivery.ts";

/** The number of deliveries that people see. */
const maxShown = 20;
/** 256 bits, as GitLab demands of a signing token. */
const secretBytes = 32;

/** Where a code host reports pushes to a project's repository. */
export interface ProjectHook {
  readonly id: string;
  readonly createdAt: Date;
  /** When something last arrived that nothing proved to be of somebody who knows the secret. */
  readonly refusedAt: Date | null;
  /** The last deliveries, newest first. */
  readonly deliveries: readonly HookDelivery[];
}

export interface HookDelivery {
  readonly id: string;
  readonly sender: HookSender;
  readonly event: string;
  readonly branch: string | null;
  readonly commit: string | null;
  readonly receivedAt: Date;
  /** The deployment that builds what was pushed; null if there is none. */
  readonly deploymentId: string | null;
  /** Why the delivery started nothing; null if it did. */
  readonly reason: string | null;
}

type HookedProject = Pick<Project, "id" | "name" | "repository" | "codeHost">;

/** The code hosts at which hooks are entered. */
export interface HookHosts {
  /**
   * Makes a project's code host report to an address. Returns a sentence that says why it does not; undefined if it does.
   */
  enter(
    project: HookedProject,
    hook: { readonly url: string; readonly secret: string },
  ): Promise<string | undefined>;
  /** Ends the reports to an address, if the code host can be reached. */
  leave(project: HookedProject, url: string): Promise<void>;
}

/** A hook's new secret. */
interface RenewedHook {
  /** `whsec_` and base64. */
  readonly secret: string;
  /** A sentence that says why the code host does not have the hook yet; null if it does. */
  readonly problem: string | null;
}

export interface Hooks {
  /** Returns a project's hook; undefined if it has none. */
  find(projectId: string): Promise<ProjectHook | undefined>;
  /**
   * Creates a project's hook, or gives it a new secret, and enters it at the code host if the project's token may. Only
   * this call returns the secret.
   */
  renew(by: ActorScope, project: HookedProject): Promise<RenewedHook>;
  /** Deletes a project's hook with its deliveries, also at the code host if it can be reached. Throws `not_found`. */
  remove(by: ActorScope, project: HookedProject): Promise<void>;
  /**
   * Finds a hook in memory, in about the same time whether it exists or not. What other nodes changed is known after a
   * second.
   */
  lookUp(hookId: string): Promise<KnownHook | undefined>;
  /** Records that a request proved nothing: at most once a minute for each hook. */
  noteRefusal(hook: Pick<KnownHook, "id">): Promise<void>;
}

interface HooksOptions {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly hosts: HookHosts;
  /** Returns the address of a hook. */
  readonly toUrl: (hookId: string) => string;
}

/** The interval at which refusals of one hook are recorded. */
const refusalMs = 60_000;

export function createHooks({ db, vault, hosts, toUrl }: HooksOptions): Hooks {
  const table = openHookTable({ db, vault });
  const refusals = new Map<string, number>();
  return {
    lookUp: (hookId) => table.find(hookId),
    async find(projectId) {
      const row = await db
        .selectFrom("project_hooks")
        .select(["id", "created_at as createdAt", "refused_at as refusedAt"])
        .where("project_id", "=", projectId)
        .executeTakeFirst();
      return row && { ...row, deliveries: await listDeliveries(db, row.id) };
    },
    async renew(by, project) {
      const { id: projectId, name } = project;
      const secret = `whsec_${randomBytes(secretBytes).toString("base64")}`;
      const hookId = await transact(db, async (transaction) => {
        const known = await transaction
          .selectFrom("project_hooks")
          .select("id")
          .where("project_id", "=", projectId)
          .executeTakeFirst();
        const id = known?.id ?? createId("hook");
        const sealed = vault.seal(secret, id);
        await transaction
          .insertInto("project_hooks")
          .values({ id, project_id: projectId, secret: sealed, created_by: toColumn(by.actor) })
          .onConflict((conflict) =>
            conflict
              .column("id")
              .doUpdateSet({ secret: sealed, revision: sql`project_hooks.revision + 1` }),
          )
          .execute();
        const action = known ? "hook.renewed" : "hook.created";
        await recordEvent(transaction, by, { action, target: { id, name }, projectId });
        return id;
      });
      table.expire();
      const problem = await hosts.enter(project, { url: toUrl(hookId), secret });
      return { secret, problem: problem ?? null };
    },
    async remove(by, project) {
      const { id: projectId, name } = project;
      const hookId = await transact(db, async (transaction) => {
        const removed = await transaction
          .deleteFrom("project_hooks")
          .where("project_id", "=", projectId)
          .returning("id")
          .executeTakeFirst();
        if (!removed) throw createMissingHookError();
        const target = { id: removed.id, name };
        await recordEvent(transaction, by, { action: "hook.deleted", target, projectId });
        return removed.id;
      });
      table.expire();
      await hosts.leave(project, toUrl(hookId));
    },
    async noteRefusal({ id }) {
      const now = Date.now();
      if (now - (refusals.get(id) ?? 0) < refusalMs) return;
      refusals.set(id, now);
      await db
        .updateTable("project_hooks")
        .set({ refused_at: sql<Date>`now()` })
        .where("id", "=", id)
        .execute();
    },
  };
}

/** Creates the error for a project without a hook. */
export function createMissingHookError(): OctavoError {
  return new OctavoError("not_found", "The project has no hook. Create one first.");
}

async function listDeliveries(
  db: Kysely<Tables>,
  hookId: string,
): Promise<readonly HookDelivery[]> {
  return await db
    .selectFrom("hook_deliveries")
    .select([
      "id",
      "sender",
      "event",
      "branch",
      "commit",
      "received_at as receivedAt",
      "deployment_id as deploymentId",
      "reason",
    ])
    .where("hook_id", "=", hookId)
    .orderBy("id", "desc")
    .limit(maxShown)
    .execute();
}

/** A hook with what verifies its deliveries. */
export interface KnownHook {
  readonly id: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly secret: string;
}

interface HookTable {
  find(hookId: string): Promise<KnownHook | undefined>;
  /** Makes the next answer read the table again, because this node has changed a hook. */
  expire(): void;
}

/** The age from which the table is read again before it answers. */
const maxAgeMs = 1_000;

/**
 * Opens a table of all hooks in memory. It is read at most once a second, however many requests ask for it, so that a
 * flood of requests with invented hooks costs the database no more than one request.
 */
function openHookTable({
  db,
  vault,
}: {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
}): HookTable {
  let hooks: ReadonlyMap<string, KnownHook & { readonly revision: number }> = new Map();
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;
  /** The number of changes that this node has made, and that the table has. */
  let [changes, knownChanges] = [0, 0];

  async function read(): Promise<void> {
    const startedAt = performance.now();
    const made = changes;
    const rows = await db
      .selectFrom("project_hooks")
      .innerJoin("projects", "projects.id", "project_hooks.project_id")
      .select([
        "project_hooks.id",
        "project_hooks.secret",
        "project_hooks.revision",
        "projects.id as projectId",
        "projects.organization_id as organizationId",
      ])
      .execute();
    hooks = new Map(
      rows.map(({ secret: sealed, ...row }) => {
        const former = hooks.get(row.id);
        // Opened only once, because that takes longer than reading the row.
        const isSame = former?.revision === row.revision;
        return [row.id, { ...row, secret: isSame ? former.secret : open(sealed, row.id) }];
      }),
    );
    readAt = startedAt;
    knownChanges = made;
  }

  const isBehind = () => knownChanges !== changes;
  const renew = () => (reading ??= read().finally(() => (reading = undefined)));

  /** Opens a secret. With another OCTAVO_SECRET than it was sealed with, nothing proves that a sender knows it. */
  function open(sealed: Uint8Array, id: string): string {
    try {
      return vault.open(sealed, id);
    } catch (error) {
      if (!isOctavoError(error, "unavailable")) throw error;
      return randomUUID();
    }
  }

  return {
    async find(hookId) {
      if (performance.now() - readAt > maxAgeMs) await renew();
      if (isBehind()) await renew();
      // That reading may have been in progress when this node made its change; the next one was not.
      if (isBehind()) await renew();
      return hooks.get(hookId);
    },
    expire() {
      changes += 1;
    },
  };
}
