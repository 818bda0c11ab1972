/** With which the service's branches begin, unless a project says otherwise. */
export const defaultBranchPrefix = "octavo/";

/** A branch of an agent job: its prefix, the job, and which of the job's branches it is, counted from 1. */
interface AgentBranch {
  readonly prefix: string;
  readonly jobId: string;
  readonly number: number;
}

const pattern = /^(.{0,200}?)agent-(aj_[0-9a-z]{26})(?:-([1-9]\d{0,8}))?$/;

const maxLength = 255;
/** What no branch or tag name can contain (git-check-ref-format), and what git would read as a revision expression. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const forbiddenParts = /^[-/.]|[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/[/.]|\.lock(?:\/|$)|[/.]$/;

/** A job whose first branch was merged gets a second one, and so on. */
export function agentBranchName({ prefix, jobId, number }: AgentBranch): string {
  return number === 1 ? `${prefix}agent-${jobId}` : `${prefix}agent-${jobId}-${number}`;
}

/** From a branch's name alone; undefined for other branches. */
export function parseAgentBranch(name: string): AgentBranch | undefined {
  const [, prefix = "", jobId, number = "1"] = pattern.exec(name) ?? [];
  return jobId === undefined ? undefined : { prefix, jobId, number: Number(number) };
}

/** Another branch of the same job. */
export function siblingBranch(name: string, number: number): string {
  const branch = parseAgentBranch(name);
  if (branch) return agentBranchName({ ...branch, number });
  throw new Error(`${JSON.stringify(name)} is no branch of an agent job.`);
}

/**
 * Whether a branch is the service's own: below `octavo/`, or named for an agent job. Nobody else's branch has the
 * ID of a job at its end.
 */
export function isOwnBranch(name: string): boolean {
  return name.startsWith(defaultBranchPrefix) || parseAgentBranch(name) !== undefined;
}

/** Whether `text` can name a branch, a tag or a commit, and cannot be read as an option. */
export function isRefName(text: string): boolean {
  const isUsable = text.length > 0 && text.length <= maxLength && text !== "@";
  return isUsable && !forbiddenParts.test(text);
}
