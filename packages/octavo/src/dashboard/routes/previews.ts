import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { extname } from "node:path";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { OctavoError, isOctavoError, realPathInside } from "@octavo/site/core";
import type { DashboardServices } from "../services.ts";
import { hiddenFromApiDocs } from "../hidden.ts";

/**
 * Untrusted content gets its own opaque origin: it cannot reach the dashboard's cookies, storage or pages. It may
 * run scripts and must not be framed.
 */
const previewPolicy = "sandbox allow-scripts; frame-ancestors 'none'";

const types: Readonly<Record<string, string>> = {
  ".avif": "image/avif",
  ".css": "text/css; charset=utf-8",
  ".gif": "image/gif",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".mp4": "video/mp4",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webm": "video/webm",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
  ".xml": "application/xml; charset=utf-8",
};

/** The files of previewed bundles. The token in the address grants access, because cookies are not sent here. */
export function addPreviewPages(app: FastifyInstance, services: DashboardServices): void {
  app.get("/preview/:token/*", hiddenFromApiDocs, async (request, reply) => {
    const folder = await openFolder(services, request);
    const { "*": path } = request.params as { readonly "*": string };
    const file = await findFile(folder, path);
    return reply
      .headers({
        "content-security-policy": previewPolicy,
        // The page has an opaque origin, so its own files are cross-origin.
        "cross-origin-resource-policy": "cross-origin",
        "access-control-allow-origin": "*",
        // Browsers refuse a sandboxed page with another opener policy.
        "cross-origin-opener-policy": "unsafe-none",
        // The address contains the token: no other host may receive it.
        "referrer-policy": "no-referrer",
        "cache-control": "private, max-age=60",
        "content-length": file.bytes,
      })
      .type(types[extname(file.path).toLowerCase()] ?? "application/octet-stream")
      .send(createReadStream(file.path));
  });
}

/** The token is valid only as long as its key. */
async function openFolder(
  { previews, keys, staticExports }: DashboardServices,
  request: FastifyRequest,
): Promise<string> {
  const { token } = request.params as { readonly token: string };
  const pass = previews.read(token);
  const holder = pass && (await keys.findHolder(pass.keyId));
  if (!pass || !holder) {
    throw new OctavoError("forbidden", "This preview has expired; open it again in the dashboard.");
  }
  return await previews.open(await staticExports.bundle(holder, pass.jobId));
}

async function findFile(folder: string, path: string) {
  const wanted = path === "" || path.endsWith("/") ? `${path}index.html` : path;
  try {
    const found = await realPathInside(folder, wanted);
    const { size, isFile } = await statOf(found);
    if (isFile) return { path: found, bytes: size };
  } catch (error) {
    if (!isOctavoError(error)) throw error;
  }
  throw new OctavoError("not_found", "The bundle has no such file.");
}

async function statOf(path: string): Promise<{ readonly size: number; readonly isFile: boolean }> {
  const found = await stat(path);
  return { size: found.size, isFile: found.isFile() };
}
