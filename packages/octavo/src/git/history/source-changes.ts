import { quietDiff, readNameStatus } from "../work/compare.ts";
import type { CommitRange, GitFileChange } from "../work/compare.ts";
import { checkSourcePath, isUsableName, refuseManyFiles } from "./source-files.ts";
import type { SourceContext } from "./source-files.ts";
import { readStart } from "../program/stream-git.ts";

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

export interface SourceLogQuery {
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

export type SourceRange = CommitRange & {
  /** If set, only this file or folder is included. */
  readonly path?: string | undefined;
};

export interface SourceChanges {
  readonly files: readonly GitFileChange[];
  /** False if the list is incomplete. */
  readonly isWhole: boolean;
}

export interface SourcePatch {
  readonly text: string;
  /** False if only the beginning of the diff is included. */
  readonly isWhole: boolean;
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
export async function readSourceLog(
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

export async function listSourceChanges(
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

export async function readSourcePatch(
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

export async function readSourceTags(
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
