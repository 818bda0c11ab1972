import { X509Certificate } from "node:crypto";
import { sql, type Kysely } from "kysely";
import type { Tables } from "../db/index.ts";
import type { Vault } from "../projects/index.ts";
import type { AcmeAccount, Certificate, Challenge } from "./authority.ts";

/** The time after which a node without a heartbeat loses the right to order certificates. */
const turnTimeoutSeconds = 120;
/** The delay before the second attempt. It doubles with each further attempt. */
const minRetryDelayMs = 60_000;
const maxRetryDelayMs = 24 * 60 * 60_000;
/** The number of days for which an expired certificate is kept. */
const expiredRetentionDays = 30;
/** The maximum age of a challenge. Older challenges were left by nodes that have crashed. */
const maxChallengeAgeMinutes = 15;

/** The certificates, challenges and accounts in the database, which all nodes share. Secrets are encrypted. */
export interface CertificateStore {
  /** Acquires or renews the exclusive right to order certificates. Returns false if another node has this right. */
  takeTurn(holder: string): Promise<boolean>;
  /**
   * Releases the right to order certificates if `holder` has it. In this case, also removes all challenges and the
   * certificates that expired long ago.
   */
  endTurn(holder: string): Promise<void>;
  /** Returns the names of hosts that need a certificate now. Hosts without a certificate come first. */
  listDue(fixed: FixedHosts): Promise<readonly string[]>;
  readAccount(directory: string): Promise<AcmeAccount | undefined>;
  /** Stores an account if no account is stored yet. Returns the stored account, which another node may have created. */
  writeAccount(directory: string, account: AcmeAccount): Promise<AcmeAccount>;
  /** Stores a certificate if the node still has the right to order certificates. Returns whether it was stored. */
  writeCertificate(holder: string, name: string, certificate: Certificate): Promise<boolean>;
  /** Records why no certificate was issued for a host, and schedules a retry after at least `retryAfterMs`. */
  writeProblem(name: string, problem: string, retryAfterMs: number | undefined): Promise<void>;
  writeChallenge(name: string, challenge: Challenge): Promise<void>;
  readCertificates(names?: readonly string[]): Promise<ReadonlyMap<string, Certificate>>;
  readChallenge(name: string): Promise<Challenge | undefined>;
  listChallenges(): Promise<ReadonlyMap<string, Challenge>>;
}

/** The hosts that need a certificate in addition to the domains of projects. */
export interface FixedHosts {
  /** The service's own hosts. */
  readonly names: readonly string[];
  /** The domain whose subdomains are the hosts of sites with published content. */
  readonly sitesDomain: string;
}

interface CertificateStoreOptions {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
}

export function createCertificateStore({ db, vault }: CertificateStoreOptions): CertificateStore {
  return {
    ...createTurns(db),
    ...createAccounts(db, vault),
    ...createCertificates(db, vault),
    ...createChallenges(db, vault),
  };
}

function createTurns(db: Kysely<Tables>): Pick<CertificateStore, "takeTurn" | "endTurn"> {
  return {
    async takeTurn(holder) {
      const { rows } = await sql`
        update acme_turn set holder = ${holder}, ends_at = now() + make_interval(secs => ${turnTimeoutSeconds})
        where holder is null or holder = ${holder} or ends_at < now() returning holder`.execute(db);
      return rows.length > 0;
    },

    async endTurn(holder) {
      const { rows } = await sql`
        update acme_turn set holder = null where holder = ${holder} returning is_only`.execute(db);
      if (rows.length === 0) return;
      await db.deleteFrom("acme_challenges").execute();
      await sql`
        delete from certificates where expires_at < now() - make_interval(days => ${expiredRetentionDays})`.execute(
        db,
      );
    },
  };
}

function createAccounts(
  db: Kysely<Tables>,
  vault: Vault,
): Pick<CertificateStore, "readAccount" | "writeAccount"> {
  async function readAccount(directory: string): Promise<AcmeAccount | undefined> {
    const row = await db
      .selectFrom("acme_accounts")
      .select(["key", "url"])
      .where("directory", "=", directory)
      .executeTakeFirst();
    return row && { key: vault.open(row.key, directory), url: row.url };
  }
  return {
    readAccount,
    async writeAccount(directory, { key, url }) {
      await db
        .insertInto("acme_accounts")
        .values({ directory, key: vault.seal(key, directory), url })
        .onConflict((conflict) => conflict.column("directory").doNothing())
        .execute();
      await db
        .updateTable("acme_accounts")
        .set({ url })
        .where("directory", "=", directory)
        .where("url", "is", null)
        .execute();
      return (await readAccount(directory)) ?? { key, url };
    },
  };
}

function createCertificates(
  db: Kysely<Tables>,
  vault: Vault,
): Pick<CertificateStore, "listDue" | "writeCertificate" | "writeProblem" | "readCertificates"> {
  return {
    async listDue({ names, sitesDomain }) {
      const { rows } = await sql<{ name: string }>`
        with wanted as (
          select unnest(${[...names]}::text[]) as name
          union select name from site_domains where proven_at is not null
          union select sites.slug || ${`.${sitesDomain}`} from sites join deployments using (project_id)
            where published_at is not null and left_at is null and sites.slug is not null
        )
        select wanted.name from wanted left join certificates on certificates.name = wanted.name
        where certificates.name is null
          or ((sealed is null or renew_at <= now()) and next_attempt_at <= now())
        order by expires_at nulls first, wanted.name limit 100`.execute(db);
      return rows.map(({ name }) => name);
    },
    async writeCertificate(holder, name, certificate) {
      const { expiresAt, renewAt } = readCertificateTimes(certificate.chain);
      const sealed = vault.seal(JSON.stringify(certificate), name);
      const { rows } = await sql`
        insert into certificates (name, sealed, expires_at, renew_at)
        select ${name}, ${sealed}, ${expiresAt}, ${renewAt} from acme_turn where holder = ${holder}
        on conflict (name) do update set sealed = excluded.sealed, expires_at = excluded.expires_at,
          renew_at = excluded.renew_at, attempts = 0, problem = null, next_attempt_at = now()
        returning name`.execute(db);
      return rows.length > 0;
    },

    async writeProblem(name, problem, retryAfterMs = 0) {
      await sql`
        insert into certificates (name, attempts, problem, next_attempt_at)
        values (${name}, 1, ${problem}, now() + make_interval(secs => ${Math.max(minRetryDelayMs, retryAfterMs) / 1000}))
        on conflict (name) do update set attempts = certificates.attempts + 1, problem = excluded.problem,
          next_attempt_at = now() + make_interval(secs => greatest(${retryAfterMs / 1000},
            least(${maxRetryDelayMs / 1000}, ${minRetryDelayMs / 1000} * power(2, least(certificates.attempts, 20)))))`.execute(
        db,
      );
    },
    async readCertificates(names) {
      const rows = await db
        .selectFrom("certificates")
        .select(["name", "sealed"])
        .where("sealed", "is not", null)
        .$if(names !== undefined, (query) => query.where("name", "in", [...(names ?? [])]))
        .$narrowType<{ sealed: Uint8Array }>()
        .execute();
      return new Map(
        rows.map(
          ({ name, sealed }) =>
            [name, JSON.parse(vault.open(sealed, name)) as Certificate] as const,
        ),
      );
    },
  };
}

function createChallenges(
  db: Kysely<Tables>,
  vault: Vault,
): Pick<CertificateStore, "writeChallenge" | "readChallenge" | "listChallenges"> {
  const open = (sealed: Uint8Array, owner: string) =>
    JSON.parse(vault.open(sealed, owner)) as Challenge;
  return {
    async writeChallenge(name, challenge) {
      const sealed = vault.seal(JSON.stringify(challenge), name);
      await sql`
        insert into acme_challenges (name, sealed) values (${name}, ${sealed})
        on conflict (name) do update set sealed = excluded.sealed, created_at = now()`.execute(db);
    },
    async readChallenge(name) {
      const row = await selectChallenges(db).where("name", "=", name).executeTakeFirst();
      return row && open(row.sealed, name);
    },

    async listChallenges() {
      const rows = await selectChallenges(db).execute();
      return new Map(rows.map(({ name, sealed }) => [name, open(sealed, name)]));
    },
  };
}

function selectChallenges(db: Kysely<Tables>) {
  return db
    .selectFrom("acme_challenges")
    .select(["name", "sealed"])
    .where("created_at", ">", sql<Date>`now() - make_interval(mins => ${maxChallengeAgeMinutes})`);
}

/** Returns when a certificate expires, and when two thirds of its lifetime have passed. */
function readCertificateTimes(chain: string): { readonly expiresAt: Date; readonly renewAt: Date } {
  const { validFromDate, validToDate } = new X509Certificate(chain);
  const lifetimeMs = validToDate.getTime() - validFromDate.getTime();
  return {
    expiresAt: validToDate,
    renewAt: new Date(validFromDate.getTime() + (lifetimeMs * 2) / 3),
  };
}
