import { text } from "node:stream/consumers";
import type { ExportCaller } from "../../jobs/index.ts";
import type { StoredArchive } from "../../bundles/index.ts";
import { OctavoError } from "@octavo/site/core";
import { getContentType } from "../../core/index.ts";
import {
  addDifferenceBar,
  readDifferenceAsset,
  type DifferenceView,
  type OpenDifference,
} from "../../difference/index.ts";
import type { DashboardServices } from "../services.ts";

/** An export, and the bundle with which it is compared. */
export interface ComparedExport {
  readonly before: StoredArchive;
  readonly after: StoredArchive;
  /** Names the bundle with which it is compared, in a sentence. */
  readonly base: string;
}

interface HeldExport {
  readonly holder: ExportCaller;
  readonly jobId: string;
}

/**
 * Finds what an export is compared with, by the same rule as the previews of deployments. Returns undefined if there is
 * nothing, and for exports that are not zip archives.
 */
export async function findComparedExport(
  { deployments, staticExports }: DashboardServices,
  { holder, jobId }: HeldExport,
): Promise<ComparedExport | undefined> {
  const after = await staticExports.bundle(holder, jobId);
  if (after.format !== "zip") return undefined;
  const { job, projectId } = await staticExports.get(holder, jobId);
  const base = await deployments.findPreviewBase({ projectId, ref: job.ref, commit: job.commit });
  return base && { before: base.archive, after, base: base.name };
}

/** A file of a preview that shows changes. */
export interface ComparedFile {
  readonly contentType: string;
  readonly content: string | Buffer;
}

const folder = "_octavo/difference/";

/** Reports whether a request for a file of a preview is for its changes, or for a file that pages with changes load. */
export function isOfComparison(
  path: string,
  layout: DifferenceView["layout"] | undefined,
): boolean {
  return layout !== undefined || path.startsWith(folder);
}

/** Reads how a request wants to see changes. */
export function readLayout(query: unknown): DifferenceView["layout"] | undefined {
  const { diff } = (query ?? {}) as { readonly diff?: unknown };
  if (diff === undefined) return undefined;
  return diff === "sides" ? "sides" : "inline";
}

/** Reads a page with its changes marked, or a file that such pages load. Throws `not_found` if there is none. */
export async function readComparedFile(
  services: DashboardServices,
  owner: HeldExport,
  {
    path,
    layout,
  }: { readonly path: string; readonly layout: DifferenceView["layout"] | undefined },
): Promise<ComparedFile> {
  const contentType = getContentType(path === "" || path.endsWith("/") ? "index.html" : path);
  const asset = await readDifferenceAsset(path.slice(folder.length));
  if (path.startsWith(folder) && asset !== undefined) return { contentType, content: asset };
  const compared = await findComparedExport(services, owner);
  if (!compared) throw createMissingError();
  const difference = await services.differences.open(compared.before, compared.after);
  if (layout === undefined) return { contentType, content: await readFormerFile(difference, path) };
  const file = path === "" || path.endsWith("/") ? `${path}index.html` : path;
  const marked = await readMarked(difference, file);
  const own = marked ?? (await readOwn(services, compared.after, file));
  const root = "../".repeat(file.split("/").length - 1);
  const page = addDifferenceBar(own, {
    difference: difference.list,
    file,
    layout,
    base: compared.base,
    assets: root + folder,
    getAddress: (other) => root + other.split("/").map(encodeURIComponent).join("/"),
  });
  return { contentType: "text/html; charset=utf-8", content: page };
}

async function readMarked({ marked }: OpenDifference, file: string): Promise<string | undefined> {
  const entry = marked.entries.get(file);
  return entry && (await marked.readWhole(entry)).toString();
}

async function readOwn(
  { unpackedBundles }: DashboardServices,
  bundle: StoredArchive,
  file: string,
): Promise<string> {
  const found = await unpackedBundles.find(bundle, file);
  if (!found.contentType.startsWith("text/html")) throw createMissingError();
  return await text(found.open());
}

async function readFormerFile({ marked }: OpenDifference, path: string): Promise<Buffer> {
  const entry = path.startsWith(`${folder}files/`) ? marked.entries.get(path) : undefined;
  if (!entry) throw createMissingError();
  return await marked.readWhole(entry);
}

function createMissingError(): OctavoError {
  return new OctavoError("not_found", "The preview has no such file to compare.");
}
