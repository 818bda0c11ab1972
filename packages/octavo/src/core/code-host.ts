/** The code hosts that projects can have: who takes their pull requests. `local` is the service itself. */
export const codeHostNames = ["github", "local"] as const;
export type CodeHostName = (typeof codeHostNames)[number];

/** A project's `repository` value for an empty one that the service hosts. */
export const hostedRepository = "local";

/** How the commits and pull requests of a repository are titled: `docs: fix the links`, or as a plain sentence. */
export const commitConventions = ["conventional", "plain"] as const;
export type CommitConvention = (typeof commitConventions)[number];

/** Whether pull requests of projects on this host are in the service itself. */
export function isOwnCodeHost(name: CodeHostName): boolean {
  return name === "local";
}

/** The code host of a repository on the server `host`, for projects that do not set one; a hosted one has no server. */
export function guessCodeHost(
  host: string | undefined,
  gitHubHosts: ReadonlySet<string>,
): CodeHostName {
  return host !== undefined && gitHubHosts.has(host) ? "github" : "local";
}

/** The clone address of a repository that the service hosts. */
export function hostedRepositoryUrl(baseUrl: string, projectId: string): string {
  return `${baseUrl}/git/${projectId}.git`;
}
