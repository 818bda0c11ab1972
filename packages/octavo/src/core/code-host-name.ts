/** The code hosts that projects can have: who takes their pull requests. `local` is the service itself. */
export const codeHostNames = ["github", "local"] as const;
export type CodeHostName = (typeof codeHostNames)[number];

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
