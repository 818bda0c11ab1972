import type { RenderChildren } from "@octavo/site";
import type { ReportOperations, UploadOperations } from "../bundles/index.ts";
import type { ViewOperations } from "../dashboard/index.ts";
import type { DifferenceOperations } from "../difference/index.ts";
import { performSentTurn } from "./isolated-turn.ts";
import type { TurnOperations } from "./isolated-turn.ts";
import { renderSentSite } from "./render-site.ts";
import type { RenderOperations } from "./render-site.ts";

/** All operations that the service runs in separate processes. */
export interface IsolatedOperations
  extends
    DifferenceOperations,
    RenderOperations,
    ReportOperations,
    TurnOperations,
    UploadOperations,
    ViewOperations {}

/**
 * Creates the operations of an isolated process, all of whose work is for one owner. Each folder is loaded when it is
 * first needed.
 */
export function createOperations(): IsolatedOperations {
  let renderChildren: Promise<RenderChildren> | undefined;
  /** Render children stay open between operations of this process. */
  const getRenderChildren = () =>
    (renderChildren ??= import("@octavo/site").then((site) => site.openRenderChildren()));
  return {
    buildDifference: async (request) =>
      (await import("../difference/index.ts")).buildDifference(request),
    performTurn: async (turn) => await performSentTurn(turn, await getRenderChildren()),
    findActiveContent: async (diff) => (await import("../agent/index.ts")).findActiveContent(diff),
    prepareRendering: async () => (await getRenderChildren()).prepare({ isAsleep: false }),
    renderSite: async (site) => await renderSentSite(site, await getRenderChildren()),
    renderView: async (name, basePath, view) =>
      (await import("../dashboard/index.ts")).renderViewInProcess(name, basePath, view),
    repackUpload: async (archive) => (await import("../bundles/index.ts")).repackUpload(archive),
    parseReport: async (content) => (await import("../bundles/index.ts")).parseReport(content),
  };
}
