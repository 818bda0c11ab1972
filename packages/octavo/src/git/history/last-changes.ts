import { StringDecoder } from "node:string_decoder";
import { cleanRelativePath, isOctavoError } from "@octavo/site/core";
import { isFullCommit } from "../mirror/ref.ts";
import type { Mirror } from "../repository.ts";
import { readShallowCommits } from "./history-reader.ts";
import { readGit } from "../program/tools.ts";
import type { GitCaller, GitLimits } from "../program/tools.ts";

export interface LastChangesQuery {
  /** The full hash of a commit in the repository; later commits are ignored. */
  readonly commit: string;
  /** The path in the repository; `.` is its root. */
  readonly directory: string;
  /** Paths relative to `directory`. */
  readonly files: ReadonlySet<string>;
  readonly signal?: AbortSignal | undefined;
}

/** Days of commits, such as `2026-11-20`, in the committer's time zone, by path relative to the requested directory. */
export type LastChanges = ReadonlyMap<string, string>;

/**
 * Arguments that prevent the repository's own configuration from running commands and from changing the list. A merge
 * lists only content that differs from both sides. Content outside the directory is not read.
 */
const logArguments = [
  "-c",
  "log.showRoot=true",
  "-c",
  "log.follow=false",
  "--literal-pathspecs",
  "log",
  "-z",
  "--name-only",
  "--no-renames",
  "--no-relative",
  "-O/dev/null",
  "--diff-merges=combined",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--no-show-signature",
  "--no-notes",
  "--no-decorate",
  "--no-mailmap",
  "--ignore-submodules=all",
  // Paths in a tree never begin with a slash, so committed content cannot imitate this line.
  "--format=/%H %cs",
];

/**
 * Finds the day of the last commit that changed each of the files, in one pass over the history. The pass ends when all
 * days are known. The result omits files that no commit changed, files whose last change a shallow clone does not
 * contain, and files whose last change is older than the limits let git read. Throws `internal` if there is no
 * repository, and `cancelled`.
 */
export async function findLastChanges(
  tools: GitCaller & { readonly limits: Pick<GitLimits, "historyMs"> },
  mirror: Mirror,
  { commit, directory, files, signal }: LastChangesQuery,
): Promise<LastChanges> {
  const folder = cleanRelativePath(directory);
  if (folder === undefined || !isFullCommit(commit) || files.size === 0) return new Map();
  const reader = createLogReader(folder === "" ? "" : `${folder}/`, {
    files,
    shallow: await readShallowCommits(tools, mirror, signal),
  });
  const { outputBytes, historyMs } = tools.limits;
  const limitedTools = { ...tools, limits: { outputBytes, commandMs: historyMs } };
  const pathspecs = folder === "" ? [] : [folder];
  try {
    await readGit(limitedTools, mirror, [...logArguments, commit, "--", ...pathspecs], {
      // A partial clone must not request missing objects from its server.
      environment: { GIT_NO_LAZY_FETCH: "1" },
      signal,
      onOutput: reader.read,
    });
  } catch (error) {
    if (isOctavoError(error, "cancelled")) throw error;
    // Every day is known, a limit was reached, or older history is corrupt. The results so far are valid.
  }
  return reader.days;
}

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

interface LogReader {
  readonly days: LastChanges;
  /** Reads a chunk. Returns false when everything that can be known has been found. */
  readonly read: (chunk: Buffer) => boolean;
}

/** Parses the output for `logArguments`: for each commit, newest first, a line and the names of the changed files. */
function createLogReader(
  prefix: string,
  {
    files,
    shallow,
  }: { readonly files: ReadonlySet<string>; readonly shallow: ReadonlySet<string> },
): LogReader {
  const days = new Map<string, string>();
  /** Files whose last commit was found, with or without a valid day. */
  const seenFiles = new Set<string>();
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let day: string | undefined;
  let isFirstName = false;

  function takeField(field: string): void {
    const [, commit = "", commitDay = ""] = /^\/([0-9a-f]+) (.*)$/.exec(field) ?? [];
    if (commit !== "") {
      // A commit can contain any time, even a year with five digits.
      day = shallow.has(commit) || !dayPattern.test(commitDay) ? undefined : commitDay;
      isFirstName = true;
      return;
    }
    // The commit's line ends before the first name. The first name of a merge follows an empty
    // line.
    const name = isFirstName ? field.replace(/^\n/, "") : field;
    isFirstName = false;
    if (!name.startsWith(prefix)) return;
    const file = name.slice(prefix.length);
    if (!files.has(file) || seenFiles.has(file)) return;
    seenFiles.add(file);
    if (day !== undefined) days.set(file, day);
  }
  return {
    days,
    read(chunk) {
      const fields = decoder.write(chunk).split("\0");
      fields[0] = rest + (fields[0] ?? "");
      rest = fields.pop() ?? "";
      for (const field of fields) takeField(field);
      return seenFiles.size < files.size;
    },
  };
}
