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

/** The number of deliveries that are listed. */
const maxShownDeliveries = 20;
/** The size of a secret: 256 bits, as GitLab requires for a signing token. */
const secretBytes = 32;

/** The endpoint to which a code host reports pushes to a project's repository. */
export interface ProjectHook {
  readonly id: string;
  readonly createdAt: Date;
  /** When a request last failed to prove that its sender knows the secret. */
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
  /** The deployment that builds the pushed commit; null if the push started no deployment. */
  readonly deploymentId: string | null;
  /** The reason why the delivery started nothing; null if it started something. */
  readonly reason: string | null;
}

type HookedProject = Pick<Project, "id" | "name" | "repository" | "codeHost">;

/** Registers hooks at projects' code hosts. */
export interface HookHosts {
  /**
   * Registers an address for reports at a project's code host. Returns a sentence that explains why this was not
   * possible; undefined on success.
   */
  addHook(
    project: HookedProject,
    hook: { readonly url: string; readonly secret: string },
  ): Promise<string | undefined>;
  /** Removes the registration of an address, if the code host can be reached. */
  removeHook(project: HookedProject, url: string): Promise<void>;
}

/** A hook's new secret. */
interface RenewedHook {
  /** `whsec_` and base64. */
  readonly secret: string;
  /** A sentence that says why the code host does not have the hook yet; null if it does. */
  readonly problem: string | null;
}

export interface Hooks {
  /** Returns a project's hook, or undefined if the project has no hook. */
  find(projectId: string): Promise<ProjectHook | undefined>;
  /**
   * Creates a project's hook, or gives it a new secret, and registers it at the code host if the project's token
   * permits it. Only this call returns the secret.
   */
  renew(by: ActorScope, project: HookedProject): Promise<RenewedHook>;
  /** Deletes a project's hook with its deliveries, also at the code host if it can be reached. Throws `not_found`. */
  remove(by: ActorScope, project: HookedProject): Promise<void>;
  /**
   * Finds a hook in memory, in about the same time whether it exists or not. Changes by other nodes are visible after a
   * second.
   */
  lookUp(hookId: string): Promise<KnownHook | undefined>;
  /** Records that a request did not prove knowledge of the secret, at most once a minute for each hook. */
  recordRefusal(hook: Pick<KnownHook, "id">): Promise<void>;
}

interface HooksOptions {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly hosts: HookHosts;
  /** Returns the address of a hook. */
  readonly toUrl: (hookId: string) => string;
}

/** The minimum interval between recorded refusals of one hook. */
const refusalIntervalMs = 60_000;

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
        const existing = await transaction
          .selectFrom("project_hooks")
          .select("id")
          .where("project_id", "=", projectId)
          .executeTakeFirst();
        const id = existing?.id ?? createId("hook");
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
        const action = existing ? "hook.renewed" : "hook.created";
        await recordEvent(transaction, by, { action, target: { id, name }, projectId });
        return id;
      });
      table.expire();
      const problem = await hosts.addHook(project, { url: toUrl(hookId), secret });
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
      await hosts.removeHook(project, toUrl(hookId));
    },
    async recordRefusal({ id }) {
      const now = Date.now();
      if (now - (refusals.get(id) ?? 0) < refusalIntervalMs) return;
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
    .limit(maxShownDeliveries)
    .execute();
}

/** A hook with the secret that verifies its deliveries. */
export interface KnownHook {
  readonly id: string;
  readonly projectId: string;
  readonly organizationId: string;
  readonly secret: string;
}

interface HookTable {
  find(hookId: string): Promise<KnownHook | undefined>;
  /** Makes the next lookup read the table again, because this node has changed a hook. */
  expire(): void;
}

/** The age above which the table is read again before a lookup. */
const maxAgeMs = 1_000;

/**
 * Opens an in-memory table of all hooks. It is read at most once a second, however many requests use it, so that a
 * flood of requests for made-up hooks costs the database no more than one request.
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
  let pendingRead: Promise<void> | undefined;
  /** The number of changes that this node has made, and the number that the table includes. */
  let [changeCount, includedChangeCount] = [0, 0];

  async function read(): Promise<void> {
    const startedAt = performance.now();
    const startChangeCount = changeCount;
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
        // A secret is decrypted only once, because that takes longer than reading the row.
        const isSame = former?.revision === row.revision;
        return [row.id, { ...row, secret: isSame ? former.secret : open(sealed, row.id) }];
      }),
    );
    readAt = startedAt;
    includedChangeCount = startChangeCount;
  }

  const isOutdated = () => includedChangeCount !== changeCount;
  const refresh = () => (pendingRead ??= read().finally(() => (pendingRead = undefined)));

  /** Decrypts a secret. If it was sealed with a different OCTAVO_SECRET, no sender can prove knowledge of it. */
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
      if (performance.now() - readAt > maxAgeMs) await refresh();
      if (isOutdated()) await refresh();
      // The previous read may have begun before this node made its change; but the next read begins after it.
      if (isOutdated()) await refresh();
      return hooks.get(hookId);
    },
    expire() {
      changeCount += 1;
    },
  };
}
