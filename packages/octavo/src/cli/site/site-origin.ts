import { findSourceLinks } from "../../core/index.ts";
import type { FolderHistory } from "../../git/index.ts";
import type { SiteOrigin } from "@octavo/site";
import type { CommandContext } from "../context.ts";

/**
 * Returns the origin of the files in a folder on this machine. Git is loaded and run only if a page shows information
 * from the repository.
 */
export function createFolderOrigin({ env, terminal }: CommandContext, folder: string): SiteOrigin {
  let opening: Promise<FolderHistory> | undefined;
  const reported = new Set<string>();
  const open = (): Promise<FolderHistory> => {
    opening ??= import("../../git/index.ts").then(({ createFolderHistory }) =>
      createFolderHistory({ folder, searchPath: env["PATH"] }),
    );
    return opening;
  };
  const report = (sentence: string): void => {
    if (reported.has(sentence)) return;
    reported.add(sentence);
    terminal.note(sentence);
  };
  return {
    async lastChanges(files, signal) {
      const history = await open();
      const days = await history.lastChanges(files, signal);
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
      const origin = await history.origin(signal);
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
