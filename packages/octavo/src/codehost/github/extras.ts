import { isOctavoError } from "@octavo/site/core";
import type { CodeHostProject, PullRequestExtras } from "../code-host.ts";
import type { Call, Connections } from "./connections.ts";

export const extrasSupport = { supportsLabels: true, supportsReviewers: true } as const;

interface Wanted {
  readonly number: number;
  readonly extras: PullRequestExtras;
  readonly signal: AbortSignal | undefined;
}

/**
 * Implements `CodeHost.addExtras`. Reviewers are requested one by one, because GitHub refuses the whole list if it
 * rejects one name.
 */
export async function addGitHubExtras(
  connections: Connections,
  project: CodeHostProject,
  { number, extras: { labels, reviewers }, signal }: Wanted,
): Promise<readonly string[]> {
  const refusals: string[] = [];
  const attempt = async (what: string, work: (call: Call) => Promise<unknown>): Promise<void> => {
    try {
      await connections.call(project, signal, work);
    } catch (error) {
      const isRefusal = isOctavoError(error, "invalid_input") || isOctavoError(error, "forbidden");
      if (!isRefusal && !isOctavoError(error, "not_found")) throw error;
      refusals.push(`${what}: ${error.message}`);
    }
  };
  if (labels.length > 0) {
    await attempt(`The labels ${labels.join(", ")} were not added`, ({ client, common }) =>
      client.octokit.rest.issues.addLabels({
        ...common,
        issue_number: number,
        labels: [...labels],
      }),
    );
  }
  for (const name of reviewers) {
    await attempt(`${name} was not asked for a review`, ({ client, common }) =>
      client.octokit.rest.pulls.requestReviewers({
        ...common,
        pull_number: number,
        ...reviewerField(name),
      }),
    );
  }
  return refusals;
}

/** Teams are requested by their own name: they belong to the repository's organization. */
function reviewerField(name: string) {
  const slash = name.indexOf("/");
  return slash < 0 ? { reviewers: [name] } : { team_reviewers: [name.slice(slash + 1)] };
}
