import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { CertificateTable } from "./certificate-table.ts";

/** The protocol in which an authority asks for a certificate that answers a challenge (RFC 8737). */
const challengeProtocol = "acme-tls/1";
/** A client has this long for its handshake. */
const handshakeMs = 15_000;
/** The maximum number of connections that have not ended their handshake. */
const maxHandshakes = 2_000;

export interface TlsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly certificates: CertificateTable;
  /** Takes a connection after its handshake. */
  readonly onConnection: (socket: TLSSocket) => void;
}

/**
 * Accepts TLS connections until it is disposed, which leaves those that were handed on. A client that asks for a name
 * without a certificate is disconnected.
 */
export async function openTlsServer(options: TlsServerOptions): Promise<AsyncDisposable> {
  const { host, port, certificates, onConnection } = options;
  /** The connections whose handshake has not ended. */
  const handshakes = new Set<Socket>();

  function accept(raw: Socket): void {
    raw.on("error", () => raw.destroy());
    if (handshakes.size >= maxHandshakes) {
      raw.destroy();
      return;
    }
    handshakes.add(raw);
    const timer = setTimeout(() => raw.destroy(), handshakeMs);
    const end = () => {
      clearTimeout(timer);
      handshakes.delete(raw);
    };
    raw.once("close", end);
    const onSecure = (socket: TLSSocket) => {
      end();
      onConnection(socket);
    };
    void startHandshake(raw, { certificates, onSecure });
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
 * Reads the first message of a client, and makes the handshake that it asks for. An authority says there that it asks
 * for a challenge, which Node reads only after it has chosen the certificate.
 */
async function startHandshake(raw: Socket, { certificates, onSecure }: Handshake): Promise<void> {
  const hello = await readHello(raw);
  raw.unshift(hello);
  const isChallenge = hello.includes(challengeProtocol);
  const socket = new TLSSocket(raw, {
    isServer: true,
    ALPNProtocols: [isChallenge ? challengeProtocol : "http/1.1"],
    SNICallback(given, callback) {
      const name = given.toLowerCase();
      const context = isChallenge ? certificates.findChallenge(name) : certificates.find(name);
      if (context) callback(null, context);
      else callback(new Error("There is no certificate for the name."));
    },
  });
  socket.on("error", () => socket.destroy());
  // The authority has seen what it asked for.
  socket.once("secure", () => (isChallenge ? socket.end() : onSecure(socket)));
}

/** The head of a TLS record, which ends in the number of bytes that follow. */
const recordHeadBytes = 5;

/** Reads the first record of a client, which may come in parts, and leaves the connection paused. */
function readHello(raw: Socket): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  let hello = Buffer.alloc(0);
  raw.on("data", function add(part: Buffer) {
    hello = Buffer.concat([hello, part]);
    if (hello.length < recordHeadBytes) return;
    if (hello.length < recordHeadBytes + hello.readUInt16BE(recordHeadBytes - 2)) return;
    raw.off("data", add);
    raw.pause();
    resolve(hello);
  });
  return promise;
}
