import type { SiteOrigin, SourceLinks } from "@octavo/site";
import { isOwnBranch, findSourceLinks } from "../core/index.ts";
import type { CodeHostName } from "../core/index.ts";
import type { CheckoutSource, Git } from "../git/index.ts";
import type { CheckOut } from "../jobs/index.ts";
import type { CodeHosts } from "./code-hosts.ts";
import type { NodeParts } from "./node-parts.ts";

/** Creates the port through which export jobs check out the files of a commit. */
export function createCheckout({ records, git, log }: NodeParts, codeHosts: CodeHosts): CheckOut {
  return async ({ project, ref, commit, targetDir, signal }) => {
    const { id, repository: address, directory, codeHost } = project;
    const host = codeHosts[codeHost];
    const credentials = await records.projects.readCredentials(id);
    const read = { id, repository: address, credentials };
    // The service's own branches are in the repository that it pushes to, which may be a copy.
    const repository =
      ref !== null && isOwnBranch(ref)
        ? await host.pushTarget(read, signal)
        : await host.readSource(read, signal);
    const point = commit === null ? { ref: ref ?? undefined } : { commit };
    const source = { repository, directory };
    const checkout = await git.checkout(source, point, targetDir, signal);
    const origin = checkoutOrigin(git, {
      ...source,
      ref: ref ?? undefined,
      codeHost,
      commit: checkout.commit,
      onFailure: (err) =>
        log.warn({ err, projectId: id }, "The origin of a site's files could not be determined"),
    });
    return { ...checkout, origin };
  };
}

interface CheckedOutSite extends CheckoutSource {
  /** The requested ref; undefined for the remote's HEAD. */
  readonly ref: string | undefined;
  /** The commit that was checked out. */
  readonly commit: string;
  /** The code host for the project's pull requests. */
  readonly codeHost: CodeHostName;
  /** Called with the error when a query fails. */
  readonly onFailure: (error: unknown) => void;
}

/** Creates the origin of a checkout's files. It queries the copy that the checkout was made from. */
function checkoutOrigin(git: Git, checkout: CheckedOutSite): SiteOrigin {
  const { repository, directory, commit, onFailure } = checkout;
  return {
    async lastChanges(files, signal) {
      const query = { commit, files, signal };
      try {
        return await git.lastChanges({ repository, directory }, query);
      } catch (error) {
        signal?.throwIfAborted();
        onFailure(error);
        return new Map();
      }
    },
    async links(signal) {
      try {
        return await resolveSourceLinks(git, checkout);
      } catch (error) {
        signal?.throwIfAborted();
        onFailure(error);
        return undefined;
      }
    },
  };
}

/**
 * Returns links to the files on the code host. A repository that the service hosts does not have pages on which people
 * edit its files.
 */
async function resolveSourceLinks(
  git: Git,
  { repository, directory, ref, codeHost }: CheckedOutSite,
): Promise<SourceLinks | undefined> {
  if ("path" in repository) return undefined;
  const branch = await git.findBranch(repository, ref);
  if (branch === undefined) return undefined;
  return findSourceLinks({ repository: repository.url, branch, directory, codeHost });
}
