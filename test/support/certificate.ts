import { createSign, generateKeyPairSync } from "node:crypto";

/** Both as PEM. */
export interface Certificate {
  readonly key: string;
  readonly certificate: string;
}

const ecdsaWithSha256 = "1.2.840.10045.4.3.2";
const commonName = "2.5.4.3";
const subjectAlternativeName = "2.5.29.17";
const basicConstraints = "2.5.29.19";

/**
 * A certificate for 127.0.0.1, and for hosts of these names, that signs itself, for servers of tests; whoever connects is told to trust it.
 * Node makes keys and signatures, but no certificates: the few fields (RFC 5280) are written here.
 */
export function makeCertificate(names: readonly string[] = []): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const algorithm = sequence(objectId(ecdsaWithSha256));
  const name = sequence(set(sequence(objectId(commonName), utf8("Octavo's tests"))));
  const content = sequence(
    explicit(0, integer(2)),
    integer(1),
    algorithm,
    name,
    sequence(utcTime("250101000000Z"), utcTime("491231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    explicit(
      3,
      sequence(extension(basicConstraints, sequence(yes)), extension(...alternatives(names))),
    ),
  );
  const signature = createSign("sha256").update(content).sign(privateKey);
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificate: pem(sequence(content, algorithm, bits(signature))),
  };
}

function alternatives(names: readonly string[]): [id: string, value: Buffer] {
  const hosts = names.map((name) => element(0x82, Buffer.from(name, "ascii")));
  return [subjectAlternativeName, sequence(element(0x87, Buffer.of(127, 0, 0, 1)), ...hosts)];
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), element(0x04, value));
}

/** Tag, length and content, as DER has them (X.690); contents here are shorter than 64 KB. */
function element(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const yes = element(0x01, Buffer.of(0xff));
const sequence = (...parts: Buffer[]): Buffer => element(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]): Buffer => element(0x31, Buffer.concat(parts));
const explicit = (tag: number, part: Buffer): Buffer => element(0xa0 + tag, part);
const integer = (value: number): Buffer => element(0x02, Buffer.of(value));
const bits = (value: Buffer): Buffer => element(0x03, Buffer.concat([Buffer.of(0), value]));
const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text));
const utcTime = (text: string): Buffer => element(0x17, Buffer.from(text));

function objectId(id: string): Buffer {
  const [first = 0, second = 0, ...rest] = id.split(".").map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** Seven bits a byte; all but the last have the eighth set. */
function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
