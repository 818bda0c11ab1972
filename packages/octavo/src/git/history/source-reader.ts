import { OctavoError } from "@octavo/site/core";
import { parseAllowList } from "../../core/index.ts";
import { findTree, resolveRef } from "../mirror/ref.ts";
import type { Commit, Mirror } from "../repository.ts";
import {
  listSourceFiles,
  readSourceText,
  scanSourceTexts,
  checkSourcePath,
  isUsableName,
  refuseManyFiles,
} from "./source-files.ts";
import type { SourceFile, SourceListing, VisitText, SourceContext } from "./source-files.ts";
import { ownProcesses } from "../program/processes.ts";
import type { GitTools } from "../program/tools.ts";
import { quietDiff, readNameStatus } from "../work/compare.ts";
import type { CommitRange, GitFileChange } from "../work/compare.ts";
import { readStart } from "../program/tools.ts";

/** A commit without its author. */
export interface SourceCommit {
  readonly commit: string;
  /** The day of the commit, such as `2026-11-20`. */
  readonly date: string;
  readonly subject: string;
  /** The message after its first line. */
  readonly body: string;
  readonly tags: readonly string[];
}

interface SourceLogQuery {
  /**
   * Full commit hashes. Lists the commits in `to` that are not in `from`. If `from` is omitted, lists all commits in
   * `to`.
   */
  readonly from?: string | undefined;
  readonly to: string;
  /** If set, only commits that change this file or folder are listed. */
  readonly path?: string | undefined;
  readonly limit: number;
}

type SourceRange = CommitRange & {
  /** If set, only this file or folder is included. */
  readonly path?: string | undefined;
};

interface SourceChanges {
  readonly files: readonly GitFileChange[];
  /** False if the list is incomplete. */
  readonly isWhole: boolean;
}

interface SourcePatch {
  readonly text: string;
  /** False if only the beginning of the diff is included. */
  readonly isWhole: boolean;
}

/**
 * Reads one directory of a repository at a commit, and its history, from the copy on this machine. Nothing is fetched,
 * checked out or written. Paths are relative to the repository's root and must be in the directory.
 *
 * The repository is untrusted: symbolic links are not followed, submodules are not entered, and filters, drivers and
 * LFS do not run; the size and number of files and the time are bounded. All methods throw `OctavoError`:
 * `ref_not_found`, `not_found` (no such file), `invalid_input` (not text, or not in the directory), `too_large`,
 * `cancelled`.
 */
export interface SourceReader {
  /** Used to read the same directory in another process, with `reopenSourceReader`. */
  readonly place: SourcePosition;
  /** The commit that is read by default. It does not change. */
  readonly at: Commit;
  /** The directory that was passed when the reader was opened, normalized; `.` for the root. */
  readonly directory: string;
  /** Resolves a branch, a tag, or a prefix of a commit hash in the copy. */
  resolve(ref: string): Promise<Commit>;
  /** Lists the files at a full commit hash, by path, including files that are not text. */
  files(commit: string, signal?: AbortSignal): Promise<SourceListing>;
  /** Returns a file's complete text at a full commit hash. */
  readText(commit: string, path: string, signal?: AbortSignal): Promise<string>;
  /**
   * Passes the texts of `files` to `visit`, in order. Returns false if `visit` stopped the scan or if some files are
   * too large.
   */
  scan(files: readonly SourceFile[], visit: VisitText, signal?: AbortSignal): Promise<boolean>;
  /** Returns commits, newest first. */
  log(query: SourceLogQuery, signal?: AbortSignal): Promise<readonly SourceCommit[]>;
  /** Returns the files that differ between two full commit hashes. */
  changes(range: SourceRange, signal?: AbortSignal): Promise<SourceChanges>;
  /** Returns the unified diff between two full commit hashes, or the beginning of a long one. */
  patch(range: SourceRange, maxBytes: number, signal?: AbortSignal): Promise<SourcePatch>;
  /** Returns the names of the newest tags, newest first. */
  tags(signal?: AbortSignal): Promise<readonly string[]>;
}

/** A reader in a form that can be sent to another process: its location and commit, and the way to call git. */
export interface SourcePosition {
  readonly tools: Pick<GitTools, "home" | "cacheDir" | "limits">;
  readonly mirror: Mirror;
  readonly at: Commit;
  readonly directory: string;
}

/** Opens a position in another process. Nothing is fetched, so no hosts are allowed. */
export async function reopenSourceReader(position: SourcePosition): Promise<SourceReader> {
  const { mirror, at, directory } = position;
  const tools: GitTools = {
    ...position.tools,
    processes: ownProcesses,
    allow: parseAllowList(""),
    log: () => undefined,
  };
  return await openSourceReader(tools, { mirror, at }, directory);
}

/** The time limit of one call to git. People wait for the result while a model reads. */
const commandMs = 60_000;

/** Opens a reader. Throws `not_found` if the repository does not contain the directory at the commit. */
export async function openSourceReader(
  shared: GitTools,
  { mirror, at }: { readonly mirror: Mirror; readonly at: Commit },
  directory: string,
): Promise<SourceReader> {
  const limits = { ...shared.limits, commandMs: Math.min(commandMs, shared.limits.commandMs) };
  const tools = { ...shared, limits };
  const place = { tools, mirror, directory };
  if ((await findTree(tools, mirror, { commit: at.commit, directory })) === undefined) {
    throw new OctavoError(
      "not_found",
      `There is no folder ${JSON.stringify(directory)} in the repository at ${at.ref} (${at.commit.slice(0, 12)}).`,
    );
  }
  const { home, cacheDir } = shared;
  return {
    place: {
      tools: { home, cacheDir, limits: shared.limits },
      mirror: { path: mirror.path },
      at,
      directory,
    },
    at,
    directory,
    resolve: (ref) => resolveRef(tools, mirror, ref),
    files: (commit, signal) => listSourceFiles(place, commit, signal),
    readText: (commit, path, signal) => readSourceText(place, commit, path, signal),
    scan: (files, visit, signal) => scanSourceTexts(place, files, visit, signal),
    log: (query, signal) => readSourceLog(place, query, signal),
    changes: (range, signal) => listSourceChanges(place, range, signal),
    patch: (range, maxBytes, signal) => readSourcePatch(place, { ...range, maxBytes }, signal),
    tags: (signal) => readSourceTags(place, signal),
  };
}

const maxLogBytes = 4 * 1024 * 1024;
const maxListBytes = 8 * 1024 * 1024;
const maxTags = 40;
const fields = "%H%x1f%cs%x1f%D%x1f%s%x1f%b";
const tagMark = "tag: ";
/**
 * Detects only renames with unchanged content: the cost of comparing all other files is the product of their numbers.
 * Files larger than 1 MB are only named, like binary files.
 */
const boundedDiff = ["-c", "core.bigFileThreshold=1m", "diff", ...quietDiff, "--find-renames=100%"];

/** Reads the log. Omits a record that git did not finish writing. */
async function readSourceLog(
  place: SourceContext,
  { from, to, path, limit }: SourceLogQuery,
  signal: AbortSignal | undefined,
): Promise<readonly SourceCommit[]> {
  const args = [
    "log",
    "-z",
    "--no-show-signature",
    "--no-notes",
    "--no-mailmap",
    "--decorate-refs=refs/tags/*",
    `--max-count=${limit}`,
    `--format=${fields}`,
    from === undefined ? to : `${from}..${to}`,
    "--",
    ...pathArguments(place, path),
  ];
  const { tools, mirror } = place;
  const { bytes, isWhole } = await readStart(tools, mirror, args, {
    signal,
    maxBytes: maxLogBytes,
  });
  const records = bytes.toString().split("\0");
  return (isWhole ? records : records.slice(0, -1)).flatMap((record) => readCommit(record) ?? []);
}

function readCommit(record: string): SourceCommit | undefined {
  const [commit = "", date = "", refs = "", subject = "", ...body] = record.split("\u001f");
  if (body.length === 0) return undefined;
  const tags = refs.split(", ").filter((ref) => ref.startsWith(tagMark));
  return {
    commit: commit.trim(),
    date,
    subject,
    body: body.join(" ").trim(),
    tags: tags.map((tag) => tag.slice(tagMark.length)),
  };
}

async function listSourceChanges(
  place: SourceContext,
  { from, to, path }: SourceRange,
  signal: AbortSignal | undefined,
): Promise<SourceChanges> {
  const paths = pathArguments(place, path);
  for (const commit of [from, to]) await refuseManyFiles(place, commit, { paths, signal });
  const args = [...boundedDiff, "--name-status", "-z", from, to, "--", ...paths];
  const { tools, mirror } = place;
  const { bytes, isWhole } = await readStart(tools, mirror, args, {
    signal,
    maxBytes: maxListBytes,
  });
  const text = bytes.toString();
  const end = text.lastIndexOf("\0") + 1;
  const files = readNameStatus(text.slice(0, end));
  return { files: files.filter(({ path, from = "" }) => isUsableName(path + from)), isWhole };
}

async function readSourcePatch(
  place: SourceContext,
  { from, to, path, maxBytes }: SourceRange & { readonly maxBytes: number },
  signal: AbortSignal | undefined,
): Promise<SourcePatch> {
  const paths = pathArguments(place, path);
  for (const commit of [from, to]) await refuseManyFiles(place, commit, { paths, signal });
  const prefixes = ["--src-prefix=a/", "--dst-prefix=b/"];
  const args = [...boundedDiff, "--unified=3", ...prefixes, from, to, "--", ...paths];
  const { tools, mirror } = place;
  const { bytes, isWhole } = await readStart(tools, mirror, args, { signal, maxBytes });
  const text = bytes.toString();
  return { text: isWhole ? text : text.slice(0, text.lastIndexOf("\n") + 1), isWhole };
}

async function readSourceTags(
  { tools, mirror }: SourceContext,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const args = ["for-each-ref", "--sort=-creatordate", `--count=${maxTags}`];
  const names = [...args, "--format=%(refname:lstrip=2)", "refs/tags"];
  const { bytes } = await readStart(tools, mirror, names, { signal, maxBytes: maxListBytes });
  return bytes
    .toString()
    .split("\n")
    .filter((name) => name !== "");
}

function pathArguments(place: SourceContext, path: string | undefined): string[] {
  if (path !== undefined) checkSourcePath(place, path);
  const wanted = path ?? place.directory;
  return wanted === "." ? [] : [wanted];
}
