import { errorCodes } from "fastify";
import type { FastifyReply, FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import type { Api } from "./api.ts";
import { findArchiveFormat } from "./archive-body.ts";

/**
 * Accepts only JSON bodies in UTF-8. Treats an empty body as a missing one, because clients set `Content-Type` on every
 * POST, even without a body.
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

/** A `preParsing` hook that refuses a body whose declared length is too large before its type is checked. */
export async function refuseDeclaredSize(request: FastifyRequest): Promise<void> {
  const declared = Number(request.headers["content-length"] ?? 0);
  const { bodyLimit, config } = request.routeOptions;
  const limit = findArchiveFormat(request) === undefined ? bodyLimit : (config.maxArchiveBytes ?? bodyLimit); // prettier-ignore
  if (declared > limit) {
    throw new OctavoError("too_large", `The body is larger than ${limit} bytes.`);
  }
}

/** A `preParsing` hook that refuses compressed bodies, because bodies are parsed as they arrive. */
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

/** A `preValidation` hook for calls without a body. It accepts a missing body or an empty object. */
export async function expectNoBody(request: FastifyRequest): Promise<void> {
  const { body } = request;
  if (body === undefined || body === null) return;
  if (typeof body !== "object" || Array.isArray(body)) {
    throw new OctavoError("invalid_input", "This call takes no body.");
  }
  const names = Object.keys(body).slice(0, 10);
  if (names.length === 0) return;
  const shown = names.map((name) => JSON.stringify(name.slice(0, 100).toWellFormed())).join(", ");
  throw new OctavoError("invalid_input", `This call takes no body; remove ${shown}.`);
}
