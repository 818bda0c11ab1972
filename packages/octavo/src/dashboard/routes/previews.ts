import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { extname } from "node:path";
import type { FastifyInstance } from "fastify";
import { OctavoError, isOctavoError, realPathInside } from "@octavo/site/core";
import { encodePathForMarkdown } from "../addresses.ts";
import { policyWithFrame } from "../headers.ts";
import { previewFrame } from "../pages/preview-frame.ts";
import type { DashboardServices } from "../services.ts";
import { pageForEveryone } from "../page-rights.ts";

/**
 * Untrusted content gets an opaque origin of its own: it cannot reach the dashboard's cookies, storage or pages. It may
 * run scripts, but neither they nor what they write into the page can send anything: they connect to nothing, submit
 * nothing and load from this origin alone. The page around it holds where they can lead its frame.
 */
function previewPolicy(origin: string, frameOrigin: string): string {
  return [
    "sandbox allow-scripts",
    `default-src ${origin} 'unsafe-inline' data: blob:`,
    ...["connect-src", "form-action", "frame-src", "object-src", "base-uri"].map(
      (name) => `${name} 'none'`,
    ),
    `frame-ancestors ${frameOrigin}`,
  ].join("; ");
}

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

/**
 * Previews of bundles: `/previews/` has the page of the dashboard around one, `/preview/` its files, at the origin of
 * previews if there is one. The token in both addresses grants access, because cookies are not sent to the files.
 */
export function addPreviewPages(app: FastifyInstance, services: DashboardServices): void {
  const { addresses, previewUrl, sendPage } = services;
  const ownHost = previewUrl === undefined ? undefined : new URL(previewUrl).host;

  // Nobody signs in at the origin of what strangers wrote.
  app.addHook("onRequest", async ({ host, url }) => {
    const isOfPreviews = host === ownHost;
    if (isOfPreviews && !url.startsWith("/preview/")) {
      throw new OctavoError("not_found", "There are only previews at this address.");
    }
    if (ownHost !== undefined && !isOfPreviews && url.startsWith("/preview/")) {
      throw new OctavoError(
        "not_found",
        "Previews are at an address of their own; open it again in the dashboard.",
      );
    }
  });

  app.get("/previews/:token/*", pageForEveryone, async (request, reply) => {
    const { token, "*": path } = request.params as { readonly token: string; readonly "*": string };
    await findFile(await openFolder(services, token), path);
    const files = `/preview/${token}/${encodePathForMarkdown(path)}`;
    const address = previewUrl === undefined ? addresses.fromRoute(files) : `${previewUrl}${files}`;
    reply.headers({
      "content-security-policy": policyWithFrame(previewUrl ?? "'self'"),
      // The address contains the token.
      "referrer-policy": "no-referrer",
    });
    return sendPage(request, reply, {
      title: "Preview",
      main: previewFrame(address),
      isFull: true,
    });
  });

  app.get("/preview/:token/*", pageForEveryone, async (request, reply) => {
    const { token, "*": path } = request.params as { readonly token: string; readonly "*": string };
    const folder = await openFolder(services, token);
    const file = await findFile(folder, path);
    const origin = previewUrl ?? `${request.protocol}://${request.host}`;
    const frameOrigin = previewUrl === undefined ? origin : new URL(services.baseUrl()).origin;
    return reply
      .headers({
        "content-security-policy": previewPolicy(origin, frameOrigin),
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

/** The token is valid only as long as its session. */
async function openFolder(
  { previews, sessions, staticExports }: DashboardServices,
  token: string,
): Promise<string> {
  const pass = previews.read(token);
  const holder = pass && (await sessions.findById(pass.sessionId));
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
