/** Fails if a commit since this rule was added has a subject that Git's own tools would truncate. */
import { execFileSync } from "node:child_process";
import { basename } from "node:path";

/** The length that makes `git log --oneline` fit in 80 columns. */
const maxLength = 72;

function runGit(...args: string[]): readonly string[] {
  const output = execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" });
  return output.split("\n").filter((line) => line !== "");
}

const own = basename(import.meta.filename);
const [since] = runGit("log", "--diff-filter=A", "--format=%H", "--", own);
// `since` is undefined in a copy without history, and if this rule has not been committed yet.
const commits = since === undefined ? [] : runGit("log", "--format=%h %s", `${since}..HEAD`);
const long = commits.filter((line) => line.slice(line.indexOf(" ") + 1).length > maxLength);
for (const line of long) {
  process.stderr.write(`Shorten this subject to ${maxLength} characters: ${line}\n`);
}
process.exitCode = long.length === 0 ? 0 : 1;
