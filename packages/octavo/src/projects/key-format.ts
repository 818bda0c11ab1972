import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * A key is `octavo_`, 48 hexadecimal digits (192 random bits) and 8 digits of the CRC-32 of all before: secret
 * scanners and the service recognize a well-formed key without a lookup.
 */
const form = /^(octavo_[0-9a-f]{48})([0-9a-f]{8})$/;

export function generateKey(): string {
  const body = `octavo_${randomBytes(24).toString("hex")}`;
  return body + checksum(body);
}

/** Whether `text` has the form and the checksum of a key; does not check that the key exists. */
export function isWellFormedKey(text: string): boolean {
  const match = form.exec(text);
  return match?.[1] !== undefined && checksum(match[1]) === match[2];
}

/** The part of a key that lists show: enough to distinguish it from others. */
export function keyPrefix(key: string): string {
  return key.slice(0, "octavo_".length + 6);
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, "0");
}
