import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * A key is `octavo_`, 48 hexadecimal digits (192 random bits) and 8 of their CRC-32 with the prefix:
 * a scanner tells a real key from noise without asking anybody, and so does the service.
 */
const form = /^(octavo_[0-9a-f]{48})([0-9a-f]{8})$/;

export function generateKey(): string {
  const body = `octavo_${randomBytes(24).toString("hex")}`;
  return body + checksum(body);
}

/** Whether `text` has the form and the checksum of a key; says nothing of whether it is known. */
export function isWellFormedKey(text: string): boolean {
  const match = form.exec(text);
  return match?.[1] !== undefined && checksum(match[1]) === match[2];
}

/** What a list of keys shows of one: enough to tell it from the others. */
export function keyPrefix(key: string): string {
  return key.slice(0, "octavo_".length + 6);
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, "0");
}
