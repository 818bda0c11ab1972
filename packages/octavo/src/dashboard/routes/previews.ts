import { text } from "node:stream/consumers";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { encodePathForMarkdown, type Addresses } from "../addresses.ts";
import { requireRight, getContentType } from "../../core/index.ts";
import { createSandboxHeaders } from "../../bundles/index.ts";
import type { BundleFile, StoredArchive } from "../../bundles/index.ts";
import type { StaticExportJob, ExportCaller } from "../../jobs/index.ts";
import type { Project, SignedInUser } from "../../projects/index.ts";
import { formatShortCommit, renderRelativeTime } from "../format.ts";
import { createFramePolicy } from "../headers.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import type { DashboardServices } from "../services.ts";
import { createPageOptions, publicPageOptions } from "../page-rights.ts";
import type { PreviewAccess } from "../session/preview-passes.ts";
import { getSignedInUser } from "../session/sessions.ts";
import {
  addDifferenceBar,
  readDifferenceAsset,
  type DifferenceView,
  type OpenDifference,
} from "../../difference/index.ts";

type Framing = "in a frame" | "as a page" | "unknown";

/**
 * Adds the page around a preview. Its address contains no secret: whoever opens it sees the preview with their own
 * rights.
 */
export function addPreviewPages(app: FastifyInstance, services: DashboardServices): void {
  const { addresses, previewUrl, previewTokens, projects, sendPage, staticExports } = services;

  app.get("/previews/:jobId/*", createPageOptions("exports.read"), async (request, reply) => {
    const { jobId, "*": path } = request.params as Readonly<Record<"jobId" | "*", string>>;
    const user = getSignedInUser(request);
    const layout = readLayout(request.query);
    // Changes are also shown for deleted pages, whose files do not exist.
    if (layout === undefined) await findFile(services, { user, jobId, path });
    const { job, projectId } = await staticExports.get(user, jobId);
    const project = await projects.get(user, projectId);
    const token = previewTokens.sign({ sessionId: user.sessionId, jobId });
    const files = `/preview/${token}/${encodePathForMarkdown(path)}${formatLayout(layout)}`;
    const address = previewUrl === undefined ? addresses.fromRoute(files) : `${previewUrl}${files}`;
    reply.headers({
      "content-security-policy": createFramePolicy(previewUrl ?? "'self'"),
      "referrer-policy": "no-referrer",
    });
    return sendPage(request, reply, {
      title: `Preview · ${project.name}`,
      projectId,
      main: safeHtml`${renderPreviewBar(addresses, project, job)}
        ${renderPreviewFrame(address, getFraming(request) !== "unknown")}`,
      isFull: true,
    });
  });
}

/**
 * Adds the files of previews, at the previews' own origin if there is one. The token in their addresses grants access,
 * because browsers send no cookies for the files. Outside its frame, a page could leak the token to another address, so
 * it is shown only in a frame; elsewhere, the browser is redirected to the page around it.
 */
export function addPreviewFiles(app: FastifyInstance, services: DashboardServices): void {
  const { addresses, previewUrl, previewTokens } = services;
  const previewHost = previewUrl === undefined ? undefined : new URL(previewUrl).host;

  // Serves nothing else at this origin, so that an origin with untrusted content never offers a sign-in.
  app.addHook("onRequest", async ({ host, url }) => {
    const isPreviewHost = host === previewHost;
    if (isPreviewHost && !url.startsWith("/preview/")) {
      throw new OctavoError("not_found", "Only previews are served at this address.");
    }
    if (previewHost !== undefined && !isPreviewHost && url.startsWith("/preview/")) {
      throw new OctavoError(
        "not_found",
        "Previews have their own address. Open the preview again in the dashboard.",
      );
    }
  });

  app.get("/preview/:token/*", publicPageOptions, async (request, reply) => {
    const { token, "*": path } = request.params as Readonly<Record<"token" | "*", string>>;
    const access = previewTokens.read(token);
    // A response for a frame must not be reused for a top-level page.
    reply.headers({ vary: "sec-fetch-dest", "referrer-policy": "no-referrer" });
    const framing = getFraming(request);
    const layout = readLayout(request.query);
    if (access && framing === "as a page") {
      const page = addresses.bundlePreview(access.jobId, path) + formatLayout(layout);
      const framePageAddress =
        previewHost === undefined ? page : new URL(page, services.baseUrl()).href;
      return reply.header("cache-control", "no-store").redirect(framePageAddress, 303);
    }
    const user = await findHolder(services, access);
    const files = previewUrl ?? `${request.protocol}://${request.host}`;
    const frame = previewUrl === undefined ? files : new URL(services.baseUrl()).origin;
    const setHeaders = (contentType: string) =>
      reply
        .headers({
          ...createSandboxHeaders({ files, frame, hasScripts: framing === "in a frame" }),
          // A page must not outlive its session, even when the user navigates back to it.
          "cache-control": contentType.startsWith("text/html") ? "no-store" : "private, max-age=60",
        })
        .type(contentType);
    const wantedFile = { user, jobId: access?.jobId ?? "", path };
    if (isComparisonRequest(path, layout)) {
      const { contentType, content } = await readComparedFile(services, wantedFile, {
        path,
        layout,
      });
      return setHeaders(contentType).send(content);
    }
    const file = await findFile(services, wantedFile);
    return setHeaders(file.contentType).header("content-length", file.bytes).send(file.open());
  });
}

/**
 * Reports how the browser will show the response. The result is unknown unless the browser sends this information, as
 * browsers do over https and on localhost.
 */
function getFraming({ headers }: FastifyRequest): Framing {
  const destination = headers["sec-fetch-dest"];
  if (destination === "iframe" || destination === "frame") return "in a frame";
  return destination === "document" ? "as a page" : "unknown";
}

function formatLayout(layout: ReturnType<typeof readLayout>): string {
  if (layout === undefined) return "";
  return layout === "sides" ? "?diff=sides" : "?diff";
}

/** Finds the user for whom a token was created, with the current rights of their session. */
async function findHolder(
  { sessions }: DashboardServices,
  access: PreviewAccess | undefined,
): Promise<SignedInUser> {
  const user = access && (await sessions.findById(access.sessionId));
  if (!user) {
    throw new OctavoError(
      "forbidden",
      "This preview has expired. Reload the page, or open the preview again in the dashboard.",
    );
  }
  requireRight(user, "exports.read");
  return user;
}

interface WantedFile {
  readonly user: SignedInUser;
  readonly jobId: string;
  readonly path: string;
}

async function findFile(
  { unpackedBundles, staticExports }: DashboardServices,
  { user, jobId, path }: WantedFile,
): Promise<BundleFile> {
  return await unpackedBundles.find(await staticExports.getBundle(user, jobId), path);
}

/** Renders the project and the commit that a preview shows, and a link back to its export. */
function renderPreviewBar(
  addresses: Addresses,
  { id, name }: Project,
  { jobId, ref, commit, createdAt }: StaticExportJob,
): SafeHtml {
  return safeHtml`<div class="preview-bar">
    <a href="${addresses.project(id)}">${name}</a>
    <span>
      ${ref !== null && safeHtml`<code>${ref}</code>`}
      ${commit !== null && safeHtml`<code title="${commit}">${formatShortCommit(commit)}</code>`}
    </span>
    <span class="faint">exported ${renderRelativeTime(createdAt)}</span>
    <a href="${addresses.export(id, jobId)}">Back to the export</a>
  </div>`;
}

/** Renders a frame that shows the site as in its bundle. The content of the frame cannot access the page around it. */
function renderPreviewFrame(address: string, hasScripts: boolean): SafeHtml {
  const note = safeHtml`<p class="notice">
    The site's scripts run only if the dashboard is opened over https or on localhost.
  </p>`;
  return safeHtml`<h1 class="unseen">Preview</h1>
    ${!hasScripts && note}
    <iframe class="preview" title="The previewed site" sandbox="allow-scripts" src="${address}"></iframe>`;
}

/** An export, and the bundle with which it is compared. */
interface ComparedExport {
  readonly before: StoredArchive;
  readonly after: StoredArchive;
  /** The name of the bundle with which the export is compared, for use in a sentence. */
  readonly base: string;
}

interface OwnedExport {
  readonly user: ExportCaller;
  readonly jobId: string;
}

/**
 * Finds the bundle with which an export is compared, by the same rule as for previews of deployments. Returns undefined
 * if there is no such bundle, and for exports that are not zip archives.
 */
export async function findComparedExport(
  { deployments, staticExports }: DashboardServices,
  { user, jobId }: OwnedExport,
): Promise<ComparedExport | undefined> {
  const after = await staticExports.getBundle(user, jobId);
  if (after.format !== "zip") return undefined;
  const { job, projectId } = await staticExports.get(user, jobId);
  const base = await deployments.findPreviewBase({ projectId, ref: job.ref, commit: job.commit });
  return base && { before: base.archive, after, base: base.name };
}

/** A file of a preview that shows changes. */
interface ComparedFile {
  readonly contentType: string;
  readonly content: string | Buffer;
}

const differenceFolder = "_octavo/difference/";

/** Reports whether a request for a preview's file asks for its changes, or for a file that pages with changes load. */
function isComparisonRequest(path: string, layout: DifferenceView["layout"] | undefined): boolean {
  return layout !== undefined || path.startsWith(differenceFolder);
}

/** Returns the layout in which a request asks for changes. */
function readLayout(query: unknown): DifferenceView["layout"] | undefined {
  const { diff } = (query ?? {}) as { readonly diff?: unknown };
  if (diff === undefined) return undefined;
  return diff === "sides" ? "sides" : "inline";
}

/**
 * Reads a page with its changes marked, or a file that such pages load. Throws `not_found` if the page or file does not
 * exist.
 */
async function readComparedFile(
  services: DashboardServices,
  owner: OwnedExport,
  {
    path,
    layout,
  }: { readonly path: string; readonly layout: DifferenceView["layout"] | undefined },
): Promise<ComparedFile> {
  const contentType = getContentType(path === "" || path.endsWith("/") ? "index.html" : path);
  const asset = await readDifferenceAsset(path.slice(differenceFolder.length));
  if (path.startsWith(differenceFolder) && asset !== undefined)
    return { contentType, content: asset };
  const compared = await findComparedExport(services, owner);
  if (!compared) throw createMissingFileError();
  const difference = await services.differences.open(compared.before, compared.after);
  if (layout === undefined) return { contentType, content: await readFormerFile(difference, path) };
  const file = path === "" || path.endsWith("/") ? `${path}index.html` : path;
  const markedPage = await readMarkedPage(difference, file);
  const shownPage = markedPage ?? (await readUnmarkedPage(services, compared.after, file));
  const root = "../".repeat(file.split("/").length - 1);
  const page = addDifferenceBar(shownPage, {
    difference: difference.list,
    file,
    layout,
    baseName: compared.base,
    assetsUrl: root + differenceFolder,
    getAddress: (other) => root + other.split("/").map(encodeURIComponent).join("/"),
  });
  return { contentType: "text/html; charset=utf-8", content: page };
}

async function readMarkedPage(
  { bundle }: OpenDifference,
  file: string,
): Promise<string | undefined> {
  const entry = bundle.entries.get(file);
  return entry && (await bundle.readWhole(entry)).toString();
}

async function readUnmarkedPage(
  { unpackedBundles }: DashboardServices,
  bundle: StoredArchive,
  file: string,
): Promise<string> {
  const bundleFile = await unpackedBundles.find(bundle, file);
  if (!bundleFile.contentType.startsWith("text/html")) throw createMissingFileError();
  return await text(bundleFile.open());
}

async function readFormerFile({ bundle }: OpenDifference, path: string): Promise<Buffer> {
  const entry = path.startsWith(`${differenceFolder}files/`) ? bundle.entries.get(path) : undefined;
  if (!entry) throw createMissingFileError();
  return await bundle.readWhole(entry);
}

function createMissingFileError(): OctavoError {
  return new OctavoError("not_found", "This file does not exist in the preview.");
}
