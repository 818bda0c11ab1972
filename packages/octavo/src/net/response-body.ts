import type { IncomingMessage } from "node:http";
import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { OctavoError } from "@octavo/site/core";

/** The encodings that `decodeParts` supports, for `accept-encoding`. */
export const knownEncodings = "gzip, br";

interface BodyLimits {
  /** The server's name in messages. */
  readonly label: string;
  readonly maxBytes: number;
  /** Called before waiting for a part, and when it has arrived. */
  readonly onWait: () => void;
  readonly onPart: () => void;
  /** Converts an error into the one for the reader. */
  readonly translate: (error: unknown) => unknown;
}

/**
 * Yields the parts of a response as they arrive. Throws `too_large` if it exceeds the limit. Leaving early closes the
 * connection. No time limit applies until the reader requests the next part.
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
 * Yields the decompressed parts of a response that may be compressed. The limit applies to both forms, so that a small
 * response cannot expand beyond it. Throws `unavailable` for an encoding that was not requested.
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
      `${limits.label} sent its response in an encoding that was not requested (${JSON.stringify(encoding.slice(0, 50))}).`,
    );
  }
  // The loop below reports every failure.
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
    `${label} sent more than ${maxBytes.toLocaleString("en")} bytes in one answer, so the rest was not read.`,
  );
}
