/** The code hosts that projects can have: who takes their pull requests. */
export const codeHostNames = ["github", "local"] as const;
export type CodeHostName = (typeof codeHostNames)[number];

/** Whether pull requests of projects on this host are in the service itself. */
export function isOwnCodeHost(name: CodeHostName): boolean {
  return name === "local";
}
