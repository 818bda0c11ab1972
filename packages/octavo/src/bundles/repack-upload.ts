import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  OctavoError,
  cleanRelativePath,
  isOctavoError,
  isSystemError,
  parseRedirectRules,
  resolveInside,
} from "@octavo/site/core";
import { countReportedProblems, reportPath } from "./report.ts";
import type { StoredArchive } from "./archive.ts";

/** An uploaded archive on this machine. */
export interface UploadedArchive {
  readonly file: string;
  readonly format: StoredArchive["format"];
  readonly bytes: number;
  /** An empty folder for the unpacked files. */
  readonly folder: string;
  /** The path at which the bundle is written, as a zip archive. */
  readonly outFile: string;
}

/** An uploaded site. */
export interface UploadedSite {
  readonly pages: number;
  /**
   * The numbers of problems in the site's report; null if the site was made by another program, which writes no report.
   */
  readonly problems: { readonly errors: number; readonly warnings: number } | null;
  /** Sentences for the log about content that is not used. */
  readonly notes: readonly string[];
}

/** The operations of uploads that run in a separate process. */
export interface UploadOperations {
  repackUpload(archive: UploadedArchive): Promise<UploadedSite>;
}

const maxUploadFiles = 200_000;
const maxUploadedBytes = 2 * 1024 * 1024 * 1024;
/** The maximum number of characters of a path that a message shows. */
const maxShownPathLength = 200;

/**
 * Repacks the files of an uploaded archive the way an export packs its files, so that equal files produce equal bytes.
 * Throws `invalid_input` if the archive is corrupt, contains anything other than files and folders, contains a path
 * twice or a path that leads out of it, or has no start page, and `too_large` if it has too many files or its files are
 * too large.
 */
export async function repackUpload(archive: UploadedArchive): Promise<UploadedSite> {
  const paths = await unpackArchive(archive);
  if (!paths.has("index.html")) throw createStartPageError(paths);
  const { folder, outFile } = archive;
  const files = [...paths].map((path) => ({ path, source: resolveInside(folder, path) }));
  const { packFiles } = await import("@octavo/site");
  await packFiles(files, "zip", outFile);
  const pages = [...paths].filter((path) => path.endsWith(".html") && path !== "404.html").length;
  const problems = paths.has(reportPath)
    ? await countReportedProblems(resolveInside(folder, reportPath))
    : null;
  const notes = paths.has(redirectsPath) ? await listIgnoredRedirects(folder) : [];
  return { pages, problems, notes };
}

const redirectsPath = "_redirects";
/** The number of ignored redirects that the log lists one by one. */
const maxListedRedirects = 20;

async function listIgnoredRedirects(folder: string): Promise<readonly string[]> {
  const text = await readFile(resolveInside(folder, redirectsPath), "utf8");
  const { ignored, ignoredCount } = parseRedirectRules(text);
  const listedRedirects = ignored.slice(0, maxListedRedirects);
  const unlistedCount = ignoredCount - listedRedirects.length;
  return [
    ...listedRedirects.map(
      ({ line, reason }) => `Line ${line} of ${redirectsPath} is ignored: ${reason}`,
    ),
    ...(unlistedCount > 0 ? [`Further ignored lines of ${redirectsPath}: ${unlistedCount}.`] : []),
  ];
}

async function unpackArchive({
  file,
  format,
  bytes,
  folder,
}: UploadedArchive): Promise<Set<string>> {
  // The module is loaded here, because most isolated work reads no archive.
  const { readAllEntries } = await import("./archive.ts");
  const read = async (_: string, range: object = {}) => createReadStream(file, range);
  const paths = new Set<string>();
  let entries = 0;
  let remainingBytes = maxUploadedBytes;
  try {
    for await (const entry of readAllEntries({ read }, { key: file, format, bytes })) {
      entries += 1;
      if (entries > maxUploadFiles) throw createTooLargeError();
      if (entry.type === "folder") continue;
      const path = checkEntry(entry, paths);
      paths.add(path);
      const target = resolveInside(folder, path);
      await mkdir(dirname(target), { recursive: true });
      const meter = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          remainingBytes -= chunk.length;
          done(remainingBytes < 0 ? createTooLargeError() : null, chunk);
        },
      });
      await pipeline(await entry.open(), meter, createWriteStream(target, { flags: "wx" }));
    }
  } catch (error) {
    throw explainUnpacking(error);
  }
  return paths;
}

function checkEntry(
  { path: named, type }: { readonly path: string; readonly type: string },
  paths: ReadonlySet<string>,
): string {
  const path = cleanRelativePath(named);
  if (path === undefined || path === "" || !path.isWellFormed()) {
    throw createPathError(named, "points outside the archive");
  }
  if (type !== "file") throw createPathError(named, "is a link or a device; pack the file itself");
  if (paths.has(path)) throw createPathError(named, "occurs twice");
  return path;
}

function createPathError(path: string, reason: string): OctavoError {
  const shownPath = JSON.stringify(path.slice(0, maxShownPathLength).toWellFormed());
  return new OctavoError("invalid_input", `The archive's entry ${shownPath} ${reason}.`);
}

function createTooLargeError(): OctavoError {
  return new OctavoError(
    "too_large",
    `The archive has more than ${maxUploadFiles.toLocaleString("en")} entries, or more than ` +
      `${maxUploadedBytes / 1024 ** 3} GB of files.`,
  );
}

/** Converts an unpacking error to one that explains what is wrong with the archive. */
function explainUnpacking(error: unknown): unknown {
  if (isOctavoError(error)) return error;
  if (isSystemError(error, "EEXIST", "ENOTDIR", "EISDIR", "ENAMETOOLONG", "EILSEQ")) {
    return new OctavoError(
      "invalid_input",
      "The archive contains a path that is too long, or that is both a file and a folder.",
      { cause: error },
    );
  }
  if (error instanceof Error && "syscall" in error) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new OctavoError(
    "invalid_input",
    `The archive cannot be read: ${reason.slice(0, maxShownPathLength).toWellFormed().replace(/\.$/, "")}. Send a zip or a tar.gz.`,
    { cause: error },
  );
}

function createStartPageError(paths: ReadonlySet<string>): OctavoError {
  const nested = [...paths].find((path) => /^[^/]+\/index\.html$/.test(path));
  const advice =
    nested === undefined
      ? "Send the files of a site, as a site generator or octavo export writes them."
      : `Pack the contents of the folder ${JSON.stringify(dirname(nested).slice(0, maxShownPathLength))}, not the folder itself.`;
  return new OctavoError("invalid_input", `The archive has no index.html at its root. ${advice}`);
}
