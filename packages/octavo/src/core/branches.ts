/** The default prefix of the service's branches. A project may set a different prefix. */
export const defaultBranchPrefix = "octavo/";

/**
 * The parts of the name of an agent job's branch: the prefix, the job, and the branch's number within the job, starting
 * at 1.
 */
interface AgentBranch {
  readonly prefix: string;
  readonly jobId: string;
  readonly number: number;
}

const agentBranchPattern = /^(.{0,200}?)agent-(aj_[0-9a-z]{26})(?:-([1-9]\d{0,8}))?$/;

const maxRefNameLength = 255;
/**
 * Matches parts that no branch or tag name can contain (git-check-ref-format), and text that git would parse as a
 * revision.
 */
// oxlint-disable-next-line no-control-regex -- it must match control characters
const forbiddenParts = /^[-/.]|[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/[/.]|\.lock(?:\/|$)|[/.]$/;

/** Formats a branch name. A job whose first branch was merged gets a second branch, and so on. */
export function formatAgentBranch({ prefix, jobId, number }: AgentBranch): string {
  return number === 1 ? `${prefix}agent-${jobId}` : `${prefix}agent-${jobId}-${number}`;
}

/** Parses the name of an agent job's branch. Returns undefined for other names. */
export function parseAgentBranch(name: string): AgentBranch | undefined {
  const [, prefix = "", jobId, number = "1"] = agentBranchPattern.exec(name) ?? [];
  return jobId === undefined ? undefined : { prefix, jobId, number: Number(number) };
}

/** Returns the name of the same job's branch with a different number. */
export function renumberAgentBranch(name: string, number: number): string {
  const branch = parseAgentBranch(name);
  if (branch) return formatAgentBranch({ ...branch, number });
  throw new Error(`${JSON.stringify(name)} is not the branch of an agent job.`);
}

/**
 * Reports whether a branch is the service's own, i.e. under `octavo/` or named for an agent job. No other branch name
 * ends in a job's ID.
 */
export function isOwnBranch(name: string): boolean {
  return name.startsWith(defaultBranchPrefix) || parseAgentBranch(name) !== undefined;
}

/** Reports whether `text` is a valid name of a branch, tag or commit that cannot be mistaken for an option. */
export function isRefName(text: string): boolean {
  const isUsable = text.length > 0 && text.length <= maxRefNameLength && text !== "@";
  return isUsable && !forbiddenParts.test(text);
}
