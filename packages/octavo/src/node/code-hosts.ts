import {
  createGitHubCodeHost,
  createGitLabCodeHost,
  createGiteaCodeHost,
} from "../codehost/index.ts";
import type { CodeHost } from "../codehost/index.ts";
import { readGitHubApp } from "../config/index.ts";
import type { Config } from "../config/index.ts";
import type { CodeHostName } from "../core/index.ts";

/** The adapters for the code hosts that a project can use. */
export type CodeHosts = Readonly<Record<CodeHostName, CodeHost>>;

/**
 * Rejects if this node needs the configured GitHub App and its files cannot be read. Call it before opening anything.
 */
export async function checkCodeHosts({ roles, github: { app } }: Config): Promise<void> {
  if (app && roles.includes("worker")) await readGitHubApp(app);
}

/**
 * Opens the code hosts without contacting them. Only a worker uses the GitHub App, whose key may be missing elsewhere.
 * Rejects as `readGitHubApp` does.
 */
export async function openCodeHosts(
  { allow, roles, github: { apiUrls, app }, gitea, gitlab }: Config,
  localHost: CodeHost,
): Promise<CodeHosts> {
  const workerApp = roles.includes("worker") ? app : undefined;
  return {
    local: localHost,
    github: createGitHubCodeHost({
      allow,
      apiUrls,
      ...(workerApp && { app: await readGitHubApp(workerApp) }),
    }),
    gitea: createGiteaCodeHost({ allow, serverUrls: gitea.serverUrls }),
    gitlab: createGitLabCodeHost({ allow, serverUrls: gitlab.serverUrls }),
  };
}
