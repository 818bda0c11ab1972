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
 * Rejects if the files that the configuration names for a code host cannot be read. Call it before anything is opened.
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
  local: CodeHost,
): Promise<CodeHosts> {
  const used = roles.includes("worker") ? app : undefined;
  return {
    local,
    github: createGitHubCodeHost({
      allow,
      apiUrls,
      ...(used && { app: await readGitHubApp(used) }),
    }),
    gitea: createGiteaCodeHost({ allow, serverUrls: gitea.serverUrls }),
    gitlab: createGitLabCodeHost({ allow, serverUrls: gitlab.serverUrls }),
  };
}
