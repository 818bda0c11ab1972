/**
 * The code hosts on which a project's pull requests can be opened. `gitea` includes Forgejo, which has the same API;
 * `local` is the service itself.
 */
export const codeHostNames = ["github", "gitlab", "gitea", "local"] as const;
export type CodeHostName = (typeof codeHostNames)[number];

/** A project's `repository` value that requests an empty repository hosted by the service. */
export const hostedRepository = "local";

/** The styles of the titles of commits and pull requests: `docs: fix the links`, or a plain sentence. */
export const commitConventions = ["conventional", "plain"] as const;
export type CommitConvention = (typeof commitConventions)[number];

/** Reports whether the service itself stores the pull requests of projects on this code host. */
export function isOwnCodeHost(name: CodeHostName): name is "local" {
  return name === "local";
}

/** The code hosts of known servers, by host name. */
export type KnownHosts = ReadonlyMap<string, CodeHostName>;

/**
 * Returns the code host for a repository on the server `host`, for projects that do not set a code host. For a hosted
 * repository, there is no server.
 */
export function guessCodeHost(host: string | undefined, knownHosts: KnownHosts): CodeHostName {
  return (host === undefined ? undefined : knownHosts.get(host)) ?? "local";
}

/** Returns the clone URL of a repository that the service hosts. */
export function getHostedRepositoryUrl(baseUrl: string, projectId: string): string {
  return `${baseUrl}/git/${projectId}.git`;
}
