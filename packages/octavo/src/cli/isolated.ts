import type { RenderChildren } from "@octavo/site";
import { performSentTurn } from "./isolated-turn.ts";
import { renderSentSite } from "./render-site.ts";

type SentTurn = Parameters<typeof performSentTurn>[0];
type SentSite = Parameters<typeof renderSentSite>[0];
type Dashboard = Awaited<ReturnType<typeof dashboard>>;

/** The program of an isolated process: what it does when it is asked by name. All of it is for one owner. */
export function createOperations() {
  let children: Promise<RenderChildren> | undefined;
  /** They wait for what this process is asked next. */
  const ownChildren = () => (children ??= openChildren());
  return {
    performTurn: async (turn: SentTurn) => await performSentTurn(turn, await ownChildren()),
    findActiveContent: async (diff: string) =>
      (await import("../agent/index.ts")).findActiveContent(diff),
    renderSite: async (site: SentSite) => await renderSentSite(site, await ownChildren()),
    renderView: async (...view: Parameters<Dashboard["renderSentView"]>) =>
      (await dashboard()).renderSentView(...view),
    parseReport: async (content: string) =>
      (await import("../bundles/index.ts")).parseReport(content),
  };
}

async function openChildren(): Promise<RenderChildren> {
  return (await import("@octavo/site")).openRenderChildren();
}

/** Loaded when it is asked for: a process does few things. */
async function dashboard() {
  return await import("../dashboard/index.ts");
}
