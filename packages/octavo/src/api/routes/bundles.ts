import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError, isOctavoError, sha256 } from "@octavo/site/core";
import type { ByteRange, Storage } from "../../storage/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { verifyBundleLink, type BundleLink } from "../bundle-link.ts";
import { checkPreconditions } from "../conditional.ts";
import { publicRoute } from "../route-rights.ts";

const linkPath = z.object({ file: z.string(), fileName: z.string() });
const linkQuery = z.object({ expires: z.string().optional(), signature: z.string().optional() });

/** Long enough to follow a redirect. A download that has begun continues after the link expires. */
const directLinkSeconds = 60;

/** Adds downloads through signed links. They require no key because the signature grants access. */
export function addBundleRoutes(api: Api, { storage, linkKey }: ApiServices): void {
  api.route({
    method: ["GET", "HEAD"],
    url: "/bundles/:file/:fileName",
    ...publicRoute,
    schema: { hide: true, params: linkPath },
    async handler(request, reply) {
      // A malformed query means that the link was altered, so the response is 403, not 400.
      const query = linkQuery.safeParse(request.query).data;
      const link = verifyBundleLink(linkKey, {
        ...request.params,
        expires: query?.expires,
        signature: query?.signature,
      });
      return sendBundle({ request, reply, storage }, link);
    },
  });
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly storage: Storage;
}

async function sendBundle({ request, reply, storage }: Exchange, link: BundleLink) {
  const file = await storage.stat(link.key);
  if (!file) throw bundleRemoved();
  const tag = `"${sha256(link.key)}"`;
  reply.headers({
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    "last-modified": file.modifiedAt.toUTCString(),
  });
  const answered = checkPreconditions(request, reply, tag);
  if (answered) return answered;
  if (storage.directLink && request.method === "GET") {
    const location = await storage.directLink(link.key, {
      fileName: link.fileName,
      contentType: getArchiveType(link),
      seconds: Math.min(directLinkSeconds, secondsUntil(link.expiresAtSeconds)),
    });
    return reply.header("cache-control", "no-store").redirect(location, 302);
  }
  const range = findRange(request, { tag, bytes: file.bytes });
  if (range === "unsatisfiable") {
    const error = `The Range starts beyond the end of the file, which has ${file.bytes} bytes.`;
    return reply.code(416).header("content-range", `bytes */${file.bytes}`).send({ error });
  }
  const part = range ?? { start: 0, end: file.bytes - 1 };
  if (range) {
    reply.code(206).header("content-range", `bytes ${part.start}-${part.end}/${file.bytes}`);
  }
  reply.headers({
    "content-length": part.end - part.start + 1,
    "content-type": getArchiveType(link),
    "content-disposition": `attachment; filename="${link.fileName}"`,
  });
  if (request.method === "HEAD") return reply.send();
  return reply.send(await open(storage, link.key, range));
}

function getArchiveType({ fileName }: BundleLink): string {
  return fileName.endsWith(".zip") ? "application/zip" : "application/gzip";
}

function secondsUntil(time: number): number {
  return Math.max(1, Math.floor(time - Date.now() / 1000));
}

/** Returns the requested range. With `If-Range`, the range applies only if the client has part of the same file. */
function findRange(
  { headers, method }: FastifyRequest,
  { tag, bytes }: { tag: string; bytes: number },
) {
  // RFC 9110, 14.2: `Range` applies only to GET.
  if (method !== "GET") return undefined;
  const condition = headers["if-range"];
  if (condition !== undefined && condition !== tag) return undefined;
  return parseRange(headers.range, bytes);
}

async function open(storage: Storage, key: string, range: ByteRange | undefined) {
  try {
    return await storage.read(key, range);
  } catch (error) {
    throw isOctavoError(error, "not_found") ? bundleRemoved() : error;
  }
}

function bundleRemoved(): OctavoError {
  return new OctavoError(
    "gone",
    "The bundle was removed after its retention time; start the export again.",
  );
}

/**
 * Returns the part of a file that a `Range` header requests (RFC 9110). Returns undefined for the whole file, including
 * when the header requests several parts or is malformed, as the RFC allows. Returns "unsatisfiable" if the response
 * should be 416.
 */
export function parseRange(
  header: string | undefined,
  bytes: number,
): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (!match || (first === "" && last === "")) return undefined;
  if (first === "") {
    const count = Math.min(Number(last), bytes);
    return count === 0 ? "unsatisfiable" : { start: bytes - count, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start < bytes ? { start, end } : "unsatisfiable";
}
