import { createHmac } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError, isOctavoError, sha256, hashParts } from "@octavo/site/core";
import type { ByteRange, Storage } from "../../storage/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { checkPreconditions } from "../conditional.ts";
import { publicRoute } from "../route-rights.ts";
import { isSameSecret } from "../../core/index.ts";
import type { StoredBundle } from "../../jobs/index.ts";

interface LinkOptions {
  /** The key that signs links, derived from the operator's secret for this purpose only. */
  readonly linkKey: Buffer;
  readonly bundleLinkSeconds: number;
  /** Returns the service's external address. Links are never built from a request's Host header. */
  readonly baseUrl: () => string;
}

/** A verified link. */
interface BundleLink {
  /** The file's storage key, which contains the hash of the file's bytes. */
  readonly key: string;
  readonly fileName: string;
  readonly expiresAtSeconds: number;
}

/** Returns a signed link to a bundle, and the time at which it expires. */
export function signBundleLink(
  { linkKey, bundleLinkSeconds, baseUrl }: LinkOptions,
  bundle: Pick<StoredBundle, "key" | "domain" | "version" | "format">,
): { readonly bundleUrl: string; readonly expiresAt: string } {
  const fileName = formatBundleFileName(bundle);
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + bundleLinkSeconds;
  const file = Buffer.from(bundle.key).toString("base64url");
  const expires = String(expiresAtSeconds);
  const query = `expires=${expires}&signature=${computeSignature(linkKey, { file, fileName, expires })}`;
  return {
    bundleUrl: `${baseUrl()}/bundles/${file}/${fileName}?${query}`,
    expiresAt: new Date(expiresAtSeconds * 1000).toISOString(),
  };
}

/** The signed parts of a link, encoded as in the link, so that no other encoding of the same values is valid. */
interface SignedParts {
  readonly file: string;
  readonly fileName: string;
  readonly expires: string;
}

interface LinkParts {
  readonly file: string;
  readonly fileName: string;
  readonly expires: string | undefined;
  readonly signature: string | undefined;
}

/** Throws `forbidden` for a link that the service did not sign or that has expired. */
function verifyBundleLink(linkKey: Buffer, link: LinkParts): BundleLink {
  const { file, fileName, expires = "" } = link;
  const expected = computeSignature(linkKey, { file, fileName, expires });
  if (!isSameSecret(link.signature ?? "", expected)) {
    throw new OctavoError(
      "forbidden",
      "This link's signature is not valid. The link was altered, or a different service created it. Copy the " +
        "whole link again.",
    );
  }
  const expiresAtSeconds = Number(expires);
  if (expiresAtSeconds * 1000 <= Date.now()) {
    throw new OctavoError(
      "forbidden",
      "This link has expired; get a new one with POST /v1/static-export/jobs/{jobId}/bundle.",
    );
  }
  return { key: Buffer.from(file, "base64url").toString(), fileName, expiresAtSeconds };
}

function computeSignature(linkKey: Buffer, { file, fileName, expires }: SignedParts): string {
  const message = hashParts([file, fileName, expires]);
  return createHmac("sha256", linkKey).update(message).digest("base64url");
}

/**
 * Returns a file name such as `docs.example.com-v2.1.tar.gz`, which needs no quoting in a path, a header or a shell.
 */
function formatBundleFileName(bundle: Pick<StoredBundle, "domain" | "version" | "format">): string {
  const name = `${bundle.domain}-${bundle.version}`
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .slice(0, 150);
  return `${name}.${bundle.format}`;
}

const linkPath = z.object({ file: z.string(), fileName: z.string() });
const linkQuery = z.object({ expires: z.string().optional(), signature: z.string().optional() });

/** The validity of a link to the object storage. A download that has begun continues after the link expires. */
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
  if (!file) throw createBundleRemovedError();
  const tag = `"${sha256(link.key)}"`;
  reply.headers({
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    "last-modified": file.modifiedAt.toUTCString(),
  });
  const conditionalReply = checkPreconditions(request, reply, tag);
  if (conditionalReply) return conditionalReply;
  if (storage.directLink && request.method === "GET") {
    const location = await storage.directLink(link.key, {
      fileName: link.fileName,
      contentType: getArchiveType(link),
      seconds: Math.min(directLinkSeconds, countSecondsUntil(link.expiresAtSeconds)),
    });
    return reply.header("cache-control", "no-store").redirect(location, 302);
  }
  const range = findRange(request, { tag, bytes: file.bytes });
  if (range === "unsatisfiable") {
    const error = `The Range starts beyond the end of the file, which has ${file.bytes} bytes.`;
    return reply.code(416).header("content-range", `bytes */${file.bytes}`).send({ error });
  }
  const servedRange = range ?? { start: 0, end: file.bytes - 1 };
  if (range) {
    reply
      .code(206)
      .header("content-range", `bytes ${servedRange.start}-${servedRange.end}/${file.bytes}`);
  }
  reply.headers({
    "content-length": servedRange.end - servedRange.start + 1,
    "content-type": getArchiveType(link),
    "content-disposition": `attachment; filename="${link.fileName}"`,
  });
  if (request.method === "HEAD") return reply.send();
  return reply.send(await openBundle(storage, link.key, range));
}

function getArchiveType({ fileName }: BundleLink): string {
  return fileName.endsWith(".zip") ? "application/zip" : "application/gzip";
}

function countSecondsUntil(timeSeconds: number): number {
  return Math.max(1, Math.floor(timeSeconds - Date.now() / 1000));
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

async function openBundle(storage: Storage, key: string, range: ByteRange | undefined) {
  try {
    return await storage.read(key, range);
  } catch (error) {
    throw isOctavoError(error, "not_found") ? createBundleRemovedError() : error;
  }
}

function createBundleRemovedError(): OctavoError {
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
  fileBytes: number,
): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (!match || (first === "" && last === "")) return undefined;
  if (first === "") {
    const count = Math.min(Number(last), fileBytes);
    return count === 0 ? "unsatisfiable" : { start: fileBytes - count, end: fileBytes - 1 };
  }
  const start = Number(first);
  const end = last === "" ? fileBytes - 1 : Math.min(Number(last), fileBytes - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start < fileBytes ? { start, end } : "unsatisfiable";
}
