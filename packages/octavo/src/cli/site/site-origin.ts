import { OctavoError } from "@octavo/site/core";
import { sourceLinks } from "../../core/index.ts";
import type { FolderHistory } from "../../git/index.ts";
import type { SiteOrigin } from "@octavo/site";
import type { CommandContext } from "../context.ts";

/** Where the files of a folder on this machine come from. Git is loaded and run only when a page shows something of it. */
export function folderOrigin({ env, terminal }: CommandContext, folder: string): SiteOrigin {
  let opening: Promise<FolderHistory> | undefined;
  const told = new Set<string>();
  const open = (): Promise<FolderHistory> => {
    opening ??= import("../../git/index.ts").then(({ createFolderHistory }) =>
      createFolderHistory({ folder, searchPath: env["PATH"] }),
    );
    return opening;
  };
  const tell = (sentence: string): void => {
    if (told.has(sentence)) return;
    told.add(sentence);
    terminal.note(sentence);
  };
  return {
    async lastChanges(files, signal) {
      const history = await open();
      const days = await history.lastChanges(files, signal);
      if (days.size < files.size && (await history.isShallow(signal))) {
        tell(
          "Some pages have no date of their last change: the repository is a shallow clone, which does not hold their last changes. `git fetch --unshallow` brings them.",
        );
      }
      return days;
    },
    async links(signal) {
      const history = await open();
      const origin = await history.origin(signal);
      const links = origin && sourceLinks({ ...origin, repository: origin.url });
      if (!links) {
        tell(
          "Pages have no links to their source: the folder's repository has no remote `origin` on a code host whose addresses are known, or is on no branch. --edit-url gives the address.",
        );
      }
      return links;
    },
  };
}

/** The value of `--edit-url`. Throws `invalid_input` for what is no address with a place for the path. */
export function readEditUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isAddress =
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (isAddress && text.includes("{path}") && !/[\s\p{Cc}]/u.test(text)) return text;
  throw new OctavoError(
    "invalid_input",
    "--edit-url takes an http or https address with {path} where the file's path belongs, e.g. https://git.example.com/docs/edit/main/{path}.",
  );
}
