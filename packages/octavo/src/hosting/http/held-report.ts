import { OctavoError } from "@octavo/site/core";
import { maxLineBytes } from "./push-commands.ts";

/** Of git's report on a push: 20,000 refs with long names and reasons. */
const maxReportBytes = 8 * 1024 * 1024;

/**
 * Splits git's response to a push: hands on what the client may see at once, progress and signs of life, and returns
 * the report, which says what was done.
 */
export async function* holdReport(
  body: AsyncIterable<Buffer>,
  hasSideBand: boolean,
): AsyncGenerator<Buffer, Buffer> {
  const held: Buffer[] = [];
  let [heldBytes, rest]: [number, Buffer] = [0, Buffer.alloc(0)];
  const hold = (bytes: Buffer): void => {
    heldBytes += bytes.length;
    if (heldBytes > maxReportBytes) {
      throw new OctavoError("too_large", "The report of the push is too large.");
    }
    held.push(bytes);
  };
  for await (const chunk of body) {
    if (!hasSideBand) {
      hold(chunk);
      continue;
    }
    rest = Buffer.concat([rest, chunk]);
    for (let size = packetSize(rest); size !== undefined; size = packetSize(rest)) {
      const packet = rest.subarray(0, size);
      rest = rest.subarray(size);
      const isReport = packet[4] === 1 && packet.length > 5;
      if (isReport) hold(packet.subarray(5));
      else if (packet.length > 4) yield packet;
    }
  }
  return Buffer.concat(held);
}

/** The lines of a report, with their line ends; empty if it is not one. */
export function parseReport(report: Buffer): readonly string[] {
  const lines: string[] = [];
  for (let rest = report; ;) {
    const size = packetSize(rest);
    if (size === undefined || size === 4) return lines;
    lines.push(rest.toString("utf8", 4, size));
    rest = rest.subarray(size);
  }
}

/** Undefined where the packet is not whole yet. A flush packet has four bytes. */
function packetSize(bytes: Buffer): number | undefined {
  if (bytes.length < 4) return undefined;
  const digits = bytes.toString("latin1", 0, 4);
  const size = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
  if (size === 0) return 4;
  if (size < 5 || size > maxLineBytes) {
    throw new OctavoError("internal", "Git's response to a push is not valid.");
  }
  return bytes.length < size ? undefined : size;
}
