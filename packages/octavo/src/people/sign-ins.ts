import { sql } from "kysely";
import type { Kysely } from "kysely";
import { z } from "zod";
import { OctavoError, isOctavoError, sha256 } from "@octavo/site/core";
import { openOnce } from "../core/index.ts";
import type { Tables } from "../db/index.ts";
import type { Vault } from "../projects/index.ts";
import { admitPerson } from "./admission.ts";
import type { Admission, AdmittedPerson } from "./admission.ts";
import type { OpenIdOptions } from "./open-id.ts";

/** The time that a person has to sign in at the provider, in seconds. */
export const attemptSeconds = 10 * 60;

const Attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string().optional(),
  until: z.number(),
});

/** Sign-ins with the operator's provider. */
export interface SignIns {
  /** The provider's display name. */
  readonly providerName: string;
  /**
   * Returns the URL to which to send the browser, and the sealed state that the browser must keep until the sign-in
   * ends. `finish` returns `next`. Throws `unavailable`.
   */
  start(
    next: string | undefined,
  ): Promise<{ readonly address: string; readonly sealedAttempt: string }>;
  /**
   * Finishes an attempt from `start`, which is possible only once. `kept` is the state that the browser kept; `query`
   * is the query that the provider returned. Throws `forbidden` for values that do not belong together or were used
   * before, and for people who are not members.
   */
  finish(
    sealedAttempt: string | undefined,
    query: string,
  ): Promise<{ readonly person: AdmittedPerson; readonly next: string | undefined }>;
}

interface SignInsOptions extends OpenIdOptions {
  readonly db: Kysely<Tables>;
  /** Seals the state that browsers keep. */
  readonly vault: Vault;
  readonly admission: Admission;
  readonly providerName: string;
}

const owner = "sign-in";

export function createSignIns(options: SignInsOptions): SignIns {
  const { db, vault, admission, providerName } = options;
  // Loaded for the first sign-in, because the client takes 30 ms.
  const openProvider = openOnce(async () =>
    (await import("./open-id.ts")).createOpenIdProvider(options),
  );

  function open(sealedAttempt: string | undefined): z.output<typeof Attempt> {
    try {
      const text = vault.open(Buffer.from(sealedAttempt ?? "", "base64url"), owner);
      const attempt = Attempt.parse(JSON.parse(text));
      if (attempt.until > Date.now()) return attempt;
    } catch (error) {
      if (!isOctavoError(error) && !(error instanceof z.ZodError)) throw error;
    }
    throw new OctavoError(
      "forbidden",
      "This sign-in was not started in this browser, or it took too long. Start again.",
    );
  }

  return {
    providerName,
    async start(next) {
      const provider = await openProvider();
      const { address, attempt } = await provider.start();
      const until = Date.now() + attemptSeconds * 1000;
      const text = JSON.stringify({ ...attempt, next, until });
      return { address, sealedAttempt: Buffer.from(vault.seal(text, owner)).toString("base64url") };
    },
    async finish(sealedAttempt, query) {
      const attempt = open(sealedAttempt);
      if (new URLSearchParams(query).get("state") !== attempt.state) throw foreign();
      const provider = await openProvider();
      await useOnce(db, attempt.state);
      const identity = await provider.finish(query, attempt);
      return { person: await admitPerson(db, admission, identity), next: attempt.next };
    },
  };
}

function foreign(): OctavoError {
  return new OctavoError(
    "forbidden",
    "The provider's response does not belong to this browser's last sign-in. Start again.",
  );
}

async function useOnce(db: Kysely<Tables>, state: string): Promise<void> {
  const before = new Date(Date.now() - 2 * attemptSeconds * 1000);
  await db.deleteFrom("used_sign_ins").where("used_at", "<", before).execute();
  const row = await db
    .insertInto("used_sign_ins")
    .values({ state_hash: sha256(state), used_at: sql<Date>`now()` })
    .onConflict((conflict) => conflict.doNothing())
    .returning("state_hash")
    .executeTakeFirst();
  if (!row) throw new OctavoError("forbidden", "This sign-in was already used. Start again.");
}
