import { randomUUID } from "node:crypto";
import { isOctavoError } from "@octavo/site/core";
import type { Kysely } from "kysely";
import type { Tables } from "../../db/index.ts";
import type { Vault } from "../../projects/index.ts";

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
export function openHookTable({
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
