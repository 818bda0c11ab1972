import type { RenderedPage } from "../export/index.ts";
import type { SitePage } from "../site/index.ts";

/** What is checked of a page that was rendered. */
export interface CheckedPage {
  readonly page: SitePage;
  readonly rendered: Pick<RenderedPage, "anchors" | "references" | "problems">;
  /** Its references are known to have no problem, and are not looked at. */
  readonly hasSoundLinks?: boolean;
}
