import { performSentTurn } from "./isolated-turn.ts";
import { renderSentSite } from "./render-site.ts";

/** The program of an isolated process: what it does when it is asked by name. */
export const operations = {
  performTurn: performSentTurn,
  findActiveContent: async (diff: string) =>
    (await import("../agent/index.ts")).findActiveContent(diff),
  renderSite: renderSentSite,
  renderView: async (...view: Parameters<Dashboard["renderSentView"]>) =>
    (await dashboard()).renderSentView(...view),
  parseReport: async (content: string) => (await dashboard()).parseReport(content),
};

type Dashboard = Awaited<ReturnType<typeof dashboard>>;

/** Loaded when it is asked for: each process does one thing. */
async function dashboard() {
  return await import("../dashboard/index.ts");
}
