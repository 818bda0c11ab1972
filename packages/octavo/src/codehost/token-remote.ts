import type { RemoteRepository } from "../git/index.ts";
import { toRemoteRepository } from "../hosting/index.ts";
import type { CodeHostProject } from "./code-host.ts";

/** Returns the repository with the project's credentials. A token opens it at its https address only. */
export function findTokenRemote(project: CodeHostProject, webUrl: string): RemoteRepository {
  const { repository, credentials } = project;
  const isWeb = /^https?:/.test(repository);
  if (isWeb || credentials?.password === undefined) return toRemoteRepository(project);
  return { url: `${webUrl}.git`, credentials };
}
