import type { RenderedPage } from "../rendered-page.ts";
import type { MediaCopies, RemoteMediaMode, Site, SitePage } from "../../site/index.ts";
import type { ApiSubject } from "../../openapi/index.ts";

/** What every page of one export has in common; sent to each child before the first of them. */
export interface RenderSetup {
  readonly site: Site;
  readonly baseUrl?: string;
  readonly generator: string;
  /** Pages are wanted for what is wrong with them, not to be shown: `html`, `markdown` and `terms` come empty. */
  readonly isForCheck: boolean;
  readonly remoteMedia: RemoteMediaMode;
  /** Of what the layout shows on every page: logo, icons of the navigation. */
  readonly mediaCopies?: MediaCopies | undefined;
}

export interface PageTask {
  readonly page: SitePage;
  /** The whole text of the page's file. */
  readonly source: string;
  /** What the page shows of an API's description. */
  readonly subject?: ApiSubject;
  /** Of what the page shows from other hosts. */
  readonly mediaCopies?: MediaCopies | undefined;
}

/** Parent to child. Text comes in by messages only: a child has no access to the site's folder. */
export type ParentMessage =
  | { readonly type: "setup"; readonly setup: RenderSetup }
  | { readonly type: "render"; readonly id: number; readonly task: PageTask }
  | { readonly type: "file"; readonly request: number; readonly text: string | undefined };

/** Child to parent. Results come in the order of the tasks. */
export type ChildMessage =
  | { readonly type: "ready" }
  | { readonly type: "rendered"; readonly id: number; readonly page: RenderedPage }
  | { readonly type: "failed"; readonly id: number; readonly reason: string }
  | { readonly type: "read"; readonly request: number; readonly path: string };
