import type { IncomingMessage } from "node:http";
import { errorCodes } from "fastify";
import type { FastifyReply, FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import type { Api } from "./api.ts";

/**
 * Accepts only JSON bodies in UTF-8. Treats an empty body like a missing body, because some clients set `Content-Type`
 * on every POST, even without a body.
 */
export function acceptJsonBodies(app: Api): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (_request: FastifyRequest, bytes: Buffer) => parseJson(bytes),
  );
  // The body is read before its type is refused. A body without a declared length may be too large, and that error is
  // reported first.
  app.addContentTypeParser("*", { parseAs: "buffer" }, async ({ headers }: FastifyRequest) => {
    throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(headers["content-type"]);
  });
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new OctavoError("invalid_input", "The body is not valid JSON in UTF-8.", {
      cause,
    });
  }
}

/** Refuses a body whose declared length is too large before its type is checked. Runs as a `preParsing` hook. */
export async function refuseDeclaredSize(request: FastifyRequest): Promise<void> {
  const declaredBytes = Number(request.headers["content-length"] ?? 0);
  const { bodyLimit, config } = request.routeOptions;
  const maxBytes = findArchiveFormat(request) === undefined ? bodyLimit : (config.maxArchiveBytes ?? bodyLimit); // prettier-ignore
  if (declaredBytes > maxBytes) {
    throw new OctavoError("too_large", `The body is larger than ${maxBytes} bytes.`);
  }
}

/** Refuses compressed bodies, which the parsers would not decompress. Runs as a `preParsing` hook. */
export async function refuseContentCoding(
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const coding = headers["content-encoding"];
  if (coding === undefined || coding.toLowerCase() === "identity") return undefined;
  const error =
    "The body is compressed, which is not supported. Send it uncompressed, without Content-Encoding.";
  return await reply.code(415).header("accept-encoding", "identity").send({ error });
}

/** Refuses a body, except an empty object, on a route that accepts no body. Runs as a `preValidation` hook. */
export async function expectNoBody(request: FastifyRequest): Promise<void> {
  const { body } = request;
  if (body === undefined || body === null) return;
  if (typeof body !== "object" || Array.isArray(body)) {
    throw new OctavoError("invalid_input", "This call takes no body.");
  }
  const names = Object.keys(body).slice(0, 10);
  if (names.length === 0) return;
  const shownNames = names
    .map((name) => JSON.stringify(name.slice(0, 100).toWellFormed()))
    .join(", ");
  throw new OctavoError("invalid_input", `This call takes no body; remove ${shownNames}.`);
}

/** The archive in a request's body. */
export interface ArchiveBody {
  readonly format: "tar.gz" | "zip";
  /** The content, which can be read only once. */
  readonly content: IncomingMessage;
  /** The hash of the content, once it has been read. */
  sha256?: string;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The archive in the body, on routes that accept archives; undefined if the body is JSON. */
    archive: ArchiveBody | undefined;
  }
  interface FastifyContextConfig {
    /** The maximum size of an archive, on routes that accept archives. */
    maxArchiveBytes?: number;
  }
}

/** The archive formats, keyed by media type. */
export const archiveTypes = {
  "application/zip": "zip",
  "application/gzip": "tar.gz",
} as const satisfies Readonly<Record<string, ArchiveBody["format"]>>;

/** Returns the archive format that a request declares. */
function findArchiveFormat({
  headers,
}: Pick<FastifyRequest, "headers">): ArchiveBody["format"] | undefined {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return Object.entries(archiveTypes).find(([mediaType]) => mediaType === type)?.[1];
}

/** Accepts archives in addition to JSON. The handler reads the archive; earlier checks see `{}` as the body. */
export function acceptArchives(api: Api): void {
  api.decorateRequest("archive", undefined);
  api.addContentTypeParser(
    Object.keys(archiveTypes),
    async (request: FastifyRequest, content: IncomingMessage) => {
      const format = findArchiveFormat(request);
      request.archive = format && { format, content };
      return {};
    },
  );
}
