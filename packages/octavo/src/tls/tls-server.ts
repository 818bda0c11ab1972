import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import type { Database } from "../db/index.ts";
import type { Challenge } from "./authority.ts";
import type { CertificateStore } from "./certificate-store.ts";

/** The ALPN protocol with which an authority requests the certificate that answers a challenge (RFC 8737). */
const challengeProtocol = "acme-tls/1";
/** The time within which a client must complete its handshake. */
const handshakeTimeoutMs = 15_000;
/** The maximum number of connections with incomplete handshakes. */
const maxHandshakes = 2_000;

interface TlsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly certificates: CertificateTable;
  /** Receives each connection after its handshake. */
  readonly onConnection: (socket: TLSSocket) => void;
}

/**
 * Accepts TLS connections until the result is disposed. Connections that were passed to `onConnection` stay open. A
 * client that requests a name without a certificate is disconnected.
 */
export async function openTlsServer(options: TlsServerOptions): Promise<AsyncDisposable> {
  const { host, port, certificates, onConnection } = options;
  /** The connections with incomplete handshakes. */
  const handshakes = new Set<Socket>();

  function accept(rawSocket: Socket): void {
    rawSocket.on("error", () => rawSocket.destroy());
    if (handshakes.size >= maxHandshakes) {
      rawSocket.destroy();
      return;
    }
    handshakes.add(rawSocket);
    const timer = setTimeout(() => rawSocket.destroy(), handshakeTimeoutMs);
    const finishHandshake = () => {
      clearTimeout(timer);
      handshakes.delete(rawSocket);
    };
    rawSocket.once("close", finishHandshake);
    const onSecure = (socket: TLSSocket) => {
      finishHandshake();
      onConnection(socket);
    };
    void startHandshake(rawSocket, { certificates, onSecure });
  }

  const server = createServer(accept);
  server.listen({ host, port });
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of handshakes) socket.destroy();
    },
  };
}

interface Handshake {
  readonly certificates: CertificateTable;
  readonly onSecure: (socket: TLSSocket) => void;
}

/**
 * Reads a client's first message and performs the handshake. The message shows whether an authority requests the
 * certificate of a challenge. Node would determine this only after it has chosen a certificate.
 */
async function startHandshake(raw: Socket, { certificates, onSecure }: Handshake): Promise<void> {
  const hello = await readHello(raw);
  raw.unshift(hello);
  const isChallenge = hello.includes(challengeProtocol);
  const socket = new TLSSocket(raw, {
    isServer: true,
    ALPNProtocols: [isChallenge ? challengeProtocol : "http/1.1"],
    SNICallback(serverName, callback) {
      const name = serverName.toLowerCase();
      const context = isChallenge ? certificates.findChallenge(name) : certificates.find(name);
      if (context) callback(null, context);
      else callback(new Error("There is no certificate for the name."));
    },
  });
  socket.on("error", () => socket.destroy());
  // For a challenge, close the connection, because the authority has already received the certificate.
  socket.once("secure", () => (isChallenge ? socket.end() : onSecure(socket)));
}

/** The size of a TLS record's header, which ends with the number of bytes that follow. */
const recordHeaderBytes = 5;

/** Reads a client's first record, which may arrive in parts, and leaves the connection paused. */
function readHello(raw: Socket): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  let hello = Buffer.alloc(0);
  raw.on("data", function add(part: Buffer) {
    hello = Buffer.concat([hello, part]);
    if (hello.length < recordHeaderBytes) return;
    if (hello.length < recordHeaderBytes + hello.readUInt16BE(recordHeaderBytes - 2)) return;
    raw.off("data", add);
    raw.pause();
    resolve(hello);
  });
  return promise;
}

/** The interval at which a node polls for changes, in case a notification was lost. */
export const certificatePollIntervalMs = 2_000;

/** The hosts' certificates in memory, so that no handshake waits for a database. */
export interface CertificateTable extends AsyncDisposable {
  find(name: string): SecureContext | undefined;
  /** Finds the certificate that answers a challenge. */
  findChallenge(name: string): SecureContext | undefined;
}

interface CertificateTableOptions {
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
  const closeController = new AbortController();

  async function read(names?: readonly string[]): Promise<void> {
    try {
      for (const [name, { key, chain }] of await store.readCertificates(names)) {
        if (contexts.get(name)?.chain === chain) continue;
        contexts.set(name, { chain, context: createSecureContext({ key, cert: chain }) });
      }
      challenges = toContexts(await store.listChallenges());
      isStale = false;
    } catch (error) {
      if (!isStale && !closeController.signal.aborted) onStale(error);
      isStale = true;
    }
  }

  const subscription = await database.listen(
    "octavo_certificates",
    (name) => void read([name]),
    () => void read(),
  );
  await read();
  const pollLoop = (async () => {
    while (!closeController.signal.aborted) {
      await sleep(certificatePollIntervalMs, undefined, { ref: false, signal: closeController.signal }).catch(() => undefined); // prettier-ignore
      if (!closeController.signal.aborted) await read();
    }
  })();
  return {
    find: (name) => contexts.get(name)?.context,
    findChallenge: (name) => challenges.get(name),
    async [Symbol.asyncDispose]() {
      closeController.abort();
      await subscription[Symbol.asyncDispose]();
      await pollLoop;
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
