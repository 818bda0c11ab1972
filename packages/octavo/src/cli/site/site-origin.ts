import { findSourceLinks } from "../../core/index.ts";
import type { FolderHistory } from "../../git/index.ts";
import type { SiteOrigin } from "@octavo/site";
import type { CommandContext } from "../context.ts";

/**
 * Creates the origin of a site in a folder on this machine. Loads and runs Git only if a page shows information from
 * the repository, such as the date of its last change.
 */
export function createFolderOrigin({ env, terminal }: CommandContext, folder: string): SiteOrigin {
  let historyPromise: Promise<FolderHistory> | undefined;
  const reportedSentences = new Set<string>();
  const open = (): Promise<FolderHistory> => {
    historyPromise ??= import("../../git/index.ts").then(({ createFolderHistory }) =>
      createFolderHistory({ folder, searchPath: env["PATH"] }),
    );
    return historyPromise;
  };
  const report = (sentence: string): void => {
    if (reportedSentences.has(sentence)) return;
    reportedSentences.add(sentence);
    terminal.note(sentence);
  };
  return {
    async lastChanges(files, signal) {
      const history = await open();
      const days = await history.findLastChanges(files, signal);
      if (days.size < files.size && (await history.isShallow(signal))) {
        report(
          "Some pages have no date of last change because the repository is a shallow clone that does not contain " +
            "the change. Run `git fetch --unshallow` to get the full history.",
        );
      }
      return days;
    },
    async links(signal) {
      const history = await open();
      const origin = await history.findOrigin(signal);
      const links = origin && findSourceLinks({ ...origin, repository: origin.url });
      if (!links) {
        report(
          "Pages have no links to their source because the folder's repository has no remote `origin` on a known " +
            "code host, or no branch is checked out. Set the address with --edit-url.",
        );
      }
      return links;
    },
  };
}
