import type { FastifyInstance, FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { encodePathForMarkdown } from "../addresses.ts";
import { createSandboxHeaders } from "../../bundles/index.ts";
import type { BundleFile } from "../../bundles/index.ts";
import { createFramePolicy } from "../headers.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import type { DashboardServices } from "../services.ts";
import { publicPage } from "../page-rights.ts";

/**
 * Adds the previews of bundles. `/previews/` serves the dashboard page around a preview. `/preview/` serves the
 * preview's files, at the previews' own origin if there is one. The token in both addresses grants access, because
 * cookies are not sent for the files.
 */
export function addPreviewPages(app: FastifyInstance, services: DashboardServices): void {
  const { addresses, previewUrl, sendPage } = services;
  const ownHost = previewUrl === undefined ? undefined : new URL(previewUrl).host;

  // Serves nothing else at this origin, so that an origin with untrusted content never offers a sign-in.
  app.addHook("onRequest", async ({ host, url }) => {
    const isOfPreviews = host === ownHost;
    if (isOfPreviews && !url.startsWith("/preview/")) {
      throw new OctavoError("not_found", "Only previews are served at this address.");
    }
    if (ownHost !== undefined && !isOfPreviews && url.startsWith("/preview/")) {
      throw new OctavoError(
        "not_found",
        "Previews have their own address. Open the preview again in the dashboard.",
      );
    }
  });

  app.get("/previews/:token/*", publicPage, async (request, reply) => {
    const { token, path } = await findFile(services, request);
    const files = `/preview/${token}/${encodePathForMarkdown(path)}`;
    const address = previewUrl === undefined ? addresses.fromRoute(files) : `${previewUrl}${files}`;
    reply.headers({
      "content-security-policy": createFramePolicy(previewUrl ?? "'self'"),
      // The address contains the token, so no referrer may be sent.
      "referrer-policy": "no-referrer",
    });
    return sendPage(request, reply, {
      title: "Preview",
      main: renderPreviewFrame(address),
      isFull: true,
    });
  });

  app.get("/preview/:token/*", publicPage, async (request, reply) => {
    const { file } = await findFile(services, request);
    const files = previewUrl ?? `${request.protocol}://${request.host}`;
    const frame = previewUrl === undefined ? files : new URL(services.baseUrl()).origin;
    return reply
      .headers({
        ...createSandboxHeaders({ files, frame }),
        // The address contains the token, so no other host may receive it as a referrer.
        "referrer-policy": "no-referrer",
        "cache-control": "private, max-age=60",
        "content-length": file.bytes,
      })
      .type(file.contentType)
      .send(file.open());
  });
}

interface PreviewedFile {
  readonly token: string;
  readonly path: string;
  readonly file: BundleFile;
}

/** Finds the previewed file. The token is valid only as long as its session. */
async function findFile(
  { previewPasses, unpackedBundles, sessions, staticExports }: DashboardServices,
  { params }: FastifyRequest,
): Promise<PreviewedFile> {
  const { token, "*": path } = params as { readonly token: string; readonly "*": string };
  const pass = previewPasses.read(token);
  const holder = pass && (await sessions.findById(pass.sessionId));
  if (!pass || !holder) {
    throw new OctavoError("forbidden", "This preview has expired. Open it again in the dashboard.");
  }
  const bundle = await staticExports.bundle(holder, pass.jobId);
  return { token, path, file: await unpackedBundles.find(bundle, path) };
}

/** Renders a frame that shows the site as in its bundle. The content of the frame cannot access the page around it. */
function renderPreviewFrame(address: string): SafeHtml {
  return safeHtml`<h1 class="unseen">Preview</h1>
    <iframe class="preview" title="The previewed site" sandbox="allow-scripts" src="${address}"></iframe>`;
}
