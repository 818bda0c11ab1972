import type { IncomingMessage } from "node:http";
import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { OctavoError } from "@octavo/site/core";

/** What `decode` understands, as `accept-encoding` says it. */
export const knownEncodings = "gzip, br";

interface BodyLimits {
  /** For messages. */
  readonly label: string;
  readonly maxBytes: number;
  /** Called before a part is waited for, and when it came. */
  readonly onWait: () => void;
  readonly onPart: () => void;
  /** What a failure is for whoever reads. */
  readonly translate: (error: unknown) => unknown;
}

/**
 * The parts of a response as they come. Throws `too_large` for more bytes than it may have. Leaving it early closes
 * the connection; nothing is timed while nobody asks for the next part.
 */
export async function* readParts(
  incoming: IncomingMessage,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  limits.onWait();
  try {
    for await (const part of incoming as AsyncIterable<Buffer>) {
      limits.onPart();
      bytes += part.length;
      if (bytes > limits.maxBytes) throw tooLarge(limits);
      yield part;
      limits.onWait();
    }
  } catch (error) {
    throw limits.translate(error);
  } finally {
    limits.onPart();
  }
}

/**
 * The same for a response that may be compressed: its parts decompressed. Both forms are held to the limit, so a
 * small response cannot grow beyond it. Throws `unavailable` for an encoding that was not asked for.
 */
export async function* decodeParts(
  incoming: IncomingMessage,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const encoding = (incoming.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const parts = readParts(incoming, limits);
  if (encoding === "identity" || encoding === "") {
    yield* parts;
    return;
  }
  const decoder = createDecoder(encoding);
  if (!decoder) {
    incoming.destroy();
    throw new OctavoError(
      "unavailable",
      `${limits.label} sends its response in an encoding that was not asked for (${JSON.stringify(encoding.slice(0, 50))}).`,
    );
  }
  // The loop below meets every failure.
  pipeline(Readable.from(parts), decoder, () => undefined);
  let bytes = 0;
  for await (const part of decoder as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > limits.maxBytes) throw tooLarge(limits);
    yield part;
  }
}

function createDecoder(encoding: string) {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  return encoding === "br" ? createBrotliDecompress() : undefined;
}

function tooLarge({ label, maxBytes }: BodyLimits): OctavoError {
  return new OctavoError(
    "too_large",
    `${label} sent more than ${maxBytes.toLocaleString("en")} bytes in one answer, so it was not read further.`,
  );
}
