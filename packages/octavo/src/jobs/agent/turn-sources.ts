import type { TurnSource } from "../../agent/index.ts";
import type { Repository } from "../../git/index.ts";
import type { ReadableSource } from "../../projects/index.ts";
import type { TurnOptions, TurnWork } from "./turn-work.ts";

/**
 * Returns the project's sources as the agent receives them: the address, and a function that opens the source with its
 * credentials.
 */
export async function turnSources(
  options: Pick<TurnOptions, "codeHosts" | "readSources">,
  work: TurnWork,
): Promise<readonly TurnSource[]> {
  const sources = await options.readSources(work.project.id);
  return sources.map((source) => ({
    repository: source.repository,
    ref: source.ref,
    directory: source.directory,
    async open(commit, signal) {
      const { ref, directory } = source;
      const repository = await locateSource(options, work, { source, signal });
      const point = commit === undefined ? { ref: ref ?? undefined } : { commit };
      return await work.git.openSource({ repository, directory }, point, signal);
    },
  }));
}

/** Locates a source. If it has no credentials and is the project's own repository, uses the project's credentials. */
async function locateSource(
  { codeHosts }: Pick<TurnOptions, "codeHosts">,
  { project, host }: TurnWork,
  { source, signal }: { readonly source: ReadableSource; readonly signal: AbortSignal },
): Promise<Repository> {
  const { repository, credentials, codeHost } = source;
  if (repository === project.repository && !credentials) {
    return await host.readSource(project, signal);
  }
  return await codeHosts[codeHost].readSource({ id: project.id, repository, credentials }, signal);
}
