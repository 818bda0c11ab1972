import type { RenderedPage } from "../page/rendered-page.ts";
import type { PageSettings } from "../export-settings.ts";
import type { MediaCopies, Site, SitePage } from "../../site/index.ts";
import {
  bytesOfNavigation,
  bytesOfPages,
  createPageList,
  navigationOf,
} from "../source/site-bytes.ts";
import type { PageBytes } from "../source/site-bytes.ts";
import type { LoadedWords } from "../../markup/index.ts";
import type { ApiSubject } from "../../openapi/index.ts";

/** What all pages of one export share; sent to each child before the first page. */
export interface RenderSetup extends PageSettings {
  readonly site: Site;
  /** In every language of the site: a child loads none itself. */
  readonly words: LoadedWords;
  /** The site's style sheets or its layout show pictures from other hosts. */
  readonly hasRemotePictures: boolean;
  /** Copies of files on other hosts that the layout shows on every page: logo, icons of the navigation. */
  readonly mediaCopies?: MediaCopies | undefined;
}

/** A setup as a message: pages and navigation are most of it. */
export interface SentSetup extends Omit<RenderSetup, "site"> {
  readonly site: Omit<Site, "pages" | "navigation">;
  readonly pages: PageBytes;
  readonly navigation: Uint8Array;
}

export function toSentSetup({ site, ...others }: RenderSetup): SentSetup {
  const { pages, navigation, ...shared } = site;
  const bytes = { pages: bytesOfPages(pages), navigation: bytesOfNavigation(navigation) };
  return { ...others, site: shared, ...bytes };
}

export function fromSentSetup({ site, pages, navigation, ...others }: SentSetup): RenderSetup {
  const list = createPageList(pages);
  return {
    ...others,
    site: {
      ...site,
      navigation: navigationOf(navigation),
      get pages() {
        return list() as readonly SitePage[];
      },
    },
  };
}

export interface PageTask {
  readonly page: SitePage;
  /** The whole text of the page's file. */
  readonly source: string;
  /** What the page shows of an API's description. */
  readonly subject?: ApiSubject;
  /** Copies of files on other hosts that the page itself shows. */
  readonly mediaCopies?: MediaCopies | undefined;
}

/** Parent to child. Text comes in by messages only: a child has no access to the site's folder. */
export type ParentMessage =
  | { readonly type: "setup"; readonly setup: SentSetup }
  | { readonly type: "render"; readonly id: number; readonly task: PageTask }
  | { readonly type: "file"; readonly request: number; readonly text: string | undefined };

/** Child to parent. Results come in the order of the tasks. */
export type ChildMessage =
  | { readonly type: "ready" }
  | { readonly type: "rendered"; readonly id: number; readonly page: RenderedPage }
  | { readonly type: "failed"; readonly id: number; readonly reason: string }
  | { readonly type: "read"; readonly request: number; readonly path: string };
