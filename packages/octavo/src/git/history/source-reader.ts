import { OctavoError } from "@octavo/site/core";
import { parseAllowList } from "../../core/index.ts";
import { findTree } from "../mirror/find-tree.ts";
import { resolveRef } from "../mirror/ref.ts";
import type { Commit, Mirror } from "../repository.ts";
import {
  listSourceChanges,
  readSourceLog,
  readSourcePatch,
  readSourceTags,
} from "./source-changes.ts";
import type {
  SourceChanges,
  SourceCommit,
  SourceLogQuery,
  SourcePatch,
  SourceRange,
} from "./source-changes.ts";
import { listSourceFiles, readSourceText, scanSourceTexts } from "./source-files.ts";
import type { SourceFile, SourceListing, VisitText } from "./source-files.ts";
import { ownProcesses } from "../program/processes.ts";
import type { GitTools } from "../program/tools.ts";

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
    readText: (commit, path, signal) => readSourceText(place, { commit, path }, signal),
    scan: (files, visit, signal) => scanSourceTexts(place, { files, visit, signal }),
    log: (query, signal) => readSourceLog(place, query, signal),
    changes: (range, signal) => listSourceChanges(place, range, signal),
    patch: (range, maxBytes, signal) => readSourcePatch(place, { ...range, maxBytes }, signal),
    tags: (signal) => readSourceTags(place, signal),
  };
}
