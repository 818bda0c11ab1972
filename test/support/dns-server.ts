import { once } from "node:events";
import { createSocket } from "node:dgram";
import type { RemoteInfo } from "node:dgram";

const recordTypes = { A: 1, TXT: 16 } as const;
const headerBytes = 12;

/** A DNS server for tests, which knows what the test has set and answers that other names do not exist. */
export interface DnsServer extends AsyncDisposable {
  /** Its address with its port. */
  readonly address: string;
  /** The texts of TXT records by their names. */
  readonly texts: Map<string, readonly string[]>;
  /** The IPv4 addresses of hosts by their names. */
  readonly hosts: Map<string, string>;
}

/** Starts the server on a free port of this machine. */
export async function startDnsServer(): Promise<DnsServer> {
  const texts = new Map<string, readonly string[]>();
  const hosts = new Map<string, string>();
  const socket = createSocket("udp4");
  socket.on("message", (query: Buffer, { address, port }: RemoteInfo) => {
    const { name, type, end } = readQuestion(query);
    const isA = type === recordTypes.A;
    const data = isA ? [hosts.get(name) ?? []].flat().map(encodeAddress) : (texts.get(name) ?? []).map(encodeText); // prettier-ignore
    const records = isA || type === recordTypes.TXT ? data : [];
    const isKnown = hosts.has(name) || texts.has(name);
    const header = Buffer.from(query.subarray(0, headerBytes));
    // A final answer, which says that the name does not exist where that is so.
    header.writeUInt16BE(0x8580 | (isKnown ? 0 : 3), 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    const question = query.subarray(headerBytes, end);
    socket.send(Buffer.concat([header, question, ...records.map((one) => encodeRecord(type, one))]), port, address); // prettier-ignore
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    texts,
    hosts,
    async [Symbol.asyncDispose]() {
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}

/** Reads the only question of a query: labels with their lengths in front, the type and the class. */
function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString("latin1"));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function encodeAddress(address: string): Buffer {
  return Buffer.from(address.split(".").map(Number));
}

/** Encodes a text in parts of at most 255 bytes. */
function encodeText(text: string): Buffer {
  const parts = text.match(/.{1,255}/gs) ?? [""];
  return Buffer.concat(parts.flatMap((part) => [Buffer.of(part.length), Buffer.from(part, "latin1")])); // prettier-ignore
}

/** Encodes a record whose name is that of the question. */
function encodeRecord(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc000 | headerBytes, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
