import type { ChildProcess } from "node:child_process";
import type { RenderedPage } from "../page/rendered-page.ts";
import type { PageSettings } from "../export-settings.ts";
import type { MediaCopies, Site, SitePage } from "../../site/index.ts";
import {
  encodeNavigation,
  encodePages,
  createPageList,
  decodeNavigation,
} from "../source/site-bytes.ts";
import type { PageBytes } from "../source/site-bytes.ts";
import type { LoadedWords } from "../../markup/index.ts";
import type { FirstScript } from "../../theme/index.ts";
import type { ApiSubject } from "../../openapi/index.ts";
import { receiveBytes, sendBytes } from "../../sandbox/index.ts";

/** The data that all pages of one export share. It is sent to each child before the first page. */
export interface RenderSetup extends PageSettings {
  readonly site: Site;
  /** The theme's strings in every language of the site, because a child does not load any strings itself. */
  readonly words: LoadedWords;
  readonly firstScript: FirstScript;
  /** Whether the site's style sheets or its layout show images from other hosts. */
  readonly hasRemoteImages: boolean;
  /** Copies of the remote files that the layout shows on every page, such as the logo and navigation icons. */
  readonly mediaCopies?: MediaCopies | undefined;
}

/**
 * A setup as a message. The bytes of the pages and the navigation, which are most of the data, are sent through a pipe
 * (`sandbox/sandbox.ts`).
 */
export interface SentSetup extends Omit<RenderSetup, "site"> {
  readonly site: Omit<Site, "pages" | "navigation">;
  /** The end of each page, and the total number of bytes. */
  readonly pages: Pick<PageBytes, "ends"> & { readonly length: number };
  readonly navigation: { readonly length: number };
}

/** Sends a setup to a child that was started with the pipe, which receives it with `receiveSetup`. */
export function sendSetup(child: ChildProcess, { site, ...others }: RenderSetup): void {
  const { pages, navigation, ...shared } = site;
  const { bytes: pageBytes, ends } = encodePages(pages);
  const navigationBytes = encodeNavigation(navigation);
  const setup: SentSetup = {
    ...others,
    site: shared,
    pages: { ends, length: pageBytes.length },
    navigation: { length: navigationBytes.length },
  };
  send(child, { type: "setup", setup });
  for (const bytes of [pageBytes, navigationBytes]) sendBytes(child, bytes);
}

/** Receives a setup. Must be called once for each setup message, in the order in which they arrived. */
export function receiveSetup({ site, pages, navigation, ...others }: SentSetup): RenderSetup {
  const getPages = createPageList({ bytes: receiveBytes(pages.length), ends: pages.ends });
  return {
    ...others,
    site: {
      ...site,
      navigation: decodeNavigation(receiveBytes(navigation.length)),
      get pages() {
        return getPages() as readonly SitePage[];
      },
    },
  };
}

/** Sends a message. If the child has exited, the message is lost, and the child's `exit` event reports that. */
export function send(child: ChildProcess, message: ParentMessage): void {
  child.send(message, () => {});
}

export interface PageTask {
  readonly page: SitePage;
  /** The complete text of the page's file. */
  readonly source: string;
  /** The part of an API description that the page shows. */
  readonly subject?: ApiSubject;
  /** Copies of the remote files that the page itself shows. */
  readonly mediaCopies?: MediaCopies | undefined;
}

/**
 * Messages from parent to child. A child receives text only through messages and the bulk pipe, because it has no
 * access to the site's folder.
 */
export type ParentMessage =
  | { readonly type: "setup"; readonly setup: SentSetup }
  | { readonly type: "render"; readonly id: number; readonly task: PageTask }
  | ({ readonly type: "file"; readonly request: number } & FileAnswer);

/**
 * The text of a snippet, or undefined if it is missing; otherwise `refused` is the reason why it cannot be read, as a
 * sentence.
 */
export type FileAnswer = { readonly text: string | undefined } | { readonly refused: string };

/** Messages from child to parent. Results arrive in the order of the tasks. */
export type ChildMessage =
  | { readonly type: "ready" }
  | { readonly type: "rendered"; readonly id: number; readonly page: RenderedPage }
  | { readonly type: "failed"; readonly id: number; readonly reason: string }
  | { readonly type: "read"; readonly request: number; readonly path: string };
