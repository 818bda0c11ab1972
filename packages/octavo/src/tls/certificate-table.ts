import { createSecureContext, type SecureContext } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../db/index.ts";
import type { Challenge } from "./authority.ts";
import type { CertificateStore } from "./certificate-store.ts";

/** The interval at which a node asks for changes, in case a notification was lost. */
export const certificateAskMs = 2_000;

/** The certificates of hosts in memory, so that a handshake waits for no database. */
export interface CertificateTable extends AsyncDisposable {
  find(name: string): SecureContext | undefined;
  /** Finds the certificate that answers a challenge. */
  findChallenge(name: string): SecureContext | undefined;
}

export interface CertificateTableOptions {
  readonly database: Pick<Database, "listen">;
  readonly store: Pick<CertificateStore, "readCertificates" | "listChallenges">;
  readonly onStale: (error: unknown) => void;
}

/** Reads all certificates and follows their changes until the table is disposed. */
export async function openCertificateTable({
  database,
  store,
  onStale,
}: CertificateTableOptions): Promise<CertificateTable> {
  const contexts = new Map<string, { readonly chain: string; readonly context: SecureContext }>();
  let challenges: ReadonlyMap<string, SecureContext> = new Map();
  let isStale = false;
  const closing = new AbortController();

  async function read(names?: readonly string[]): Promise<void> {
    try {
      for (const [name, { key, chain }] of await store.readCertificates(names)) {
        if (contexts.get(name)?.chain === chain) continue;
        contexts.set(name, { chain, context: createSecureContext({ key, cert: chain }) });
      }
      challenges = toContexts(await store.listChallenges());
      isStale = false;
    } catch (error) {
      if (!isStale && !closing.signal.aborted) onStale(error);
      isStale = true;
    }
  }

  const listening = await database.listen(
    "octavo_certificates",
    (name) => void read([name]),
    () => void read(),
  );
  await read();
  const asking = (async () => {
    while (!closing.signal.aborted) {
      await sleep(certificateAskMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined); // prettier-ignore
      if (!closing.signal.aborted) await read();
    }
  })();
  return {
    find: (name) => contexts.get(name)?.context,
    findChallenge: (name) => challenges.get(name),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await listening[Symbol.asyncDispose]();
      await asking;
    },
  };
}

function toContexts(
  challenges: ReadonlyMap<string, Challenge>,
): ReadonlyMap<string, SecureContext> {
  return new Map(
    [...challenges].flatMap(([name, challenge]) =>
      challenge.type === "tls-alpn-01"
        ? [[name, createSecureContext({ key: challenge.key, cert: challenge.chain })] as const]
        : [],
    ),
  );
}
