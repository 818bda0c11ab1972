import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectPlain } from "node:net";
import { Duplex } from "node:stream";
import { connect, createSecureContext, type TLSSocket } from "node:tls";
import { after, before, describe, test } from "node:test";
import { makeCertificate } from "../../../../test/support/certificate.ts";
import { freePort } from "../../../../test/support/free-port.ts";
import { openTlsServer } from "./index.ts";

const [own, challenge] = [makeCertificate(["docs.example.com"]), makeCertificate(["challenge"])];
const toContext = ({ key, certificate }: typeof own) =>
  createSecureContext({ key, cert: certificate });

describe("the server of TLS", () => {
  const open = new AsyncDisposableStack();
  let port: number;
  before(async () => {
    port = await freePort();
    const [context, answer] = [toContext(own), toContext(challenge)];
    const find = (name: string) => (name === "docs.example.com" ? context : undefined);
    open.use(
      await openTlsServer({
        host: "127.0.0.1",
        port,
        certificates: {
          find,
          findChallenge: (name) => find(name) && answer,
          async [Symbol.asyncDispose]() {},
        },
        onConnection: (socket) => void socket.end(`${socket.remoteAddress} ${socket.alpnProtocol}`),
      }),
    );
  });
  after(() => open.disposeAsync());

  /** Opens a connection; `split` sends the first message in single bytes. */
  async function read(servername: string, protocols: string[], split = false) {
    const raw = connectPlain({ port, host: "127.0.0.1", noDelay: true });
    await once(raw, "connect");
    const through = new Duplex({
      read() {},
      write(part: Buffer, _encoding, done) {
        for (const byte of part) raw.write(Buffer.of(byte));
        raw.write(Buffer.alloc(0), () => done());
      },
    });
    raw.on("data", (part: Buffer) => through.push(part));
    raw.on("close", () => through.push(null));
    const socket: TLSSocket = connect({ socket: split ? through : raw, servername, ALPNProtocols: protocols, rejectUnauthorized: false }); // prettier-ignore
    await once(socket, "secureConnect");
    const { subjectaltname = "" } = socket.getPeerCertificate();
    let text = "";
    socket.on("data", (part: Buffer) => (text += part.toString()));
    await once(socket, "end");
    socket.destroy();
    raw.destroy();
    return { names: subjectaltname, text };
  }

  test("hands a connection on with the certificate of the name", async () => {
    for (const name of ["docs.example.com", "DOCS.example.com"]) {
      const { names, text } = await read(name, ["h2", "http/1.1"]);
      assert.match(names, /DNS:docs\.example\.com/);
      assert.equal(text, "127.0.0.1 http/1.1");
    }
  });

  test("shows an authority the answer to its challenge, and hands nothing on", async () => {
    const { names, text } = await read("docs.example.com", ["acme-tls/1"]);
    assert.match(names, /DNS:challenge/);
    assert.equal(text, "");
  });

  test("reads a first message that comes in parts", async () => {
    assert.match((await read("docs.example.com", ["acme-tls/1"], true)).names, /DNS:challenge/);
    assert.equal((await read("docs.example.com", ["http/1.1"], true)).text, "127.0.0.1 http/1.1");
  });

  test("refuses names that it does not have, and clients that do not speak TLS", async () => {
    await assert.rejects(read("other.example.com", ["http/1.1"]));
    await assert.rejects(read("other.example.com", ["acme-tls/1"]));
    const socket = connectPlain({ port, host: "127.0.0.1" });
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\nHost: docs.example.com\r\n\r\n".repeat(1_000));
    await once(socket, "close");
  });
});
