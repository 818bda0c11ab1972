import { isOctavoError } from "@octavo/site/core";
import type { Logger } from "../telemetry/index.ts";
import type { AcmeAccount, Authority } from "./authority.ts";
import type { CertificateStore, FixedHosts } from "./certificate-store.ts";

export interface OrderOptions {
  readonly store: CertificateStore;
  readonly authority: Authority;
  readonly hosts: FixedHosts;
  /** The name under which this node takes the exclusive right to order certificates. */
  readonly holder: string;
  readonly log: Logger;
  /** Resolves once all nodes can answer a challenge that was written before the call. */
  readonly waitForNodes: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** The interval between heartbeats of a node that orders certificates. */
const heartbeatIntervalMs = 30_000;

/**
 * Orders the certificates that are due, one after another, unless another node is already doing so. If an order fails,
 * it is retried later and does not delay the other hosts.
 */
export async function orderCertificates(options: OrderOptions): Promise<void> {
  const { store, hosts, holder, signal } = options;
  const due = await store.listDue(hosts);
  if (due.length === 0 || !(await store.takeTurn(holder))) return;
  const heartbeat = setInterval(
    () => void store.takeTurn(holder).catch(() => undefined),
    heartbeatIntervalMs,
  );
  heartbeat.unref();
  try {
    const account = await openAccount(options);
    // Read the list again, because another node may have ordered certificates in the meantime.
    for (const name of await store.listDue(hosts)) {
      if (signal.aborted || !(await store.takeTurn(holder))) return;
      await orderOne(options, account, name);
    }
  } finally {
    clearInterval(heartbeat);
    await store.endTurn(holder);
  }
}

async function orderOne(
  { store, authority, holder, log, waitForNodes }: OrderOptions,
  account: AcmeAccount,
  name: string,
): Promise<void> {
  try {
    const certificate = await authority.order(account, name, async (challenge) => {
      await store.writeChallenge(name, challenge);
      await waitForNodes();
    });
    if (await store.writeCertificate(holder, name, certificate)) {
      log.info({ host: name }, "A host has a new certificate");
    }
  } catch (error) {
    if (!isOctavoError(error)) throw error;
    const { retryAfterMs } = error.details ?? {};
    const retryDelayMs = typeof retryAfterMs === "number" ? retryAfterMs : undefined;
    await store.writeProblem(name, error.message, retryDelayMs);
    log.warn({ err: error, host: name }, "A host got no certificate");
  }
}

/** Returns the account at the authority. Creates it on first use. */
async function openAccount({ store, authority }: OrderOptions): Promise<AcmeAccount> {
  const { directoryUrl } = authority;
  const storedAccount =
    (await store.readAccount(directoryUrl)) ??
    (await store.writeAccount(directoryUrl, {
      key: await authority.createAccountKey(),
      url: null,
    }));
  if (storedAccount.url !== null) return storedAccount;
  const account = { ...storedAccount, url: await authority.openAccount(storedAccount) };
  return await store.writeAccount(directoryUrl, account);
}
