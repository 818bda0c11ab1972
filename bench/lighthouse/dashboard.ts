import { openBrowser } from "../../test/support/cookie-browser.ts";
import { openDashboard, waitFor } from "../../test/support/running-dashboard.ts";
import type { RunningDashboard } from "../../test/support/running-dashboard.ts";
import { progress } from "../progress.ts";
import type { Section } from "../results.ts";
import { table } from "../table.ts";
import type { Lighthouse } from "./lighthouse.ts";

const minScore = 100;

/** Measures the accessibility of the dashboard's pages with Lighthouse, as a user with all rights. */
export async function benchDashboardAccessibility(lighthouse: Lighthouse): Promise<Section> {
  await using dashboard = await openDashboard();
  const { cookie, paths } = await openPages(dashboard);
  const rows: { readonly name: string; readonly score: number; readonly faults: string }[] = [];
  for (const [name, path] of paths) {
    const look = { only: "accessibility", ...(name !== "sign-in" && { cookie }) } as const;
    const { scores, failures } = await lighthouse(dashboard.url + path, look);
    const faults = failures.map(({ audit, element = "" }) => `${audit} ${element}`).join(", ");
    rows.push({ name, score: scores.accessibility, faults });
    progress(`${name}: ${scores.accessibility} ${faults}`);
  }
  const lowest = Math.min(...rows.map(({ score }) => score));
  return {
    title: "Accessibility of the dashboard",
    limits: [
      {
        name: "Lighthouse: accessibility of the dashboard, the lowest of all pages",
        limit: `at least ${minScore}`,
        measured: String(lowest),
        holds: lowest >= minScore,
      },
    ],
    body: table(
      ["page", "accessibility"],
      rows.map(({ name, score }) => [name, String(score)]),
    ),
  };
}

/** A service with one item of every kind, and the session of a user who may see all of them. */
async function openPages(dashboard: RunningDashboard): Promise<{
  readonly cookie: string;
  readonly paths: readonly (readonly [name: string, path: string])[];
}> {
  const { id, key } = await dashboard.openOrganization();
  const hosted = await dashboard.addProject(id);
  const browser = openBrowser();
  await browser.post(`${dashboard.url}/signin`, { key });
  const visitor = await dashboard.browse().signIn(key);
  const project = `/projects/${hosted.project.id}`;
  const follow = async (path: string, form: Readonly<Record<string, string>> = {}) => {
    const address = (await visitor.post(path, form)).headers.get("location") ?? "";
    await waitFor(visitor, address, ({ text }) => /badge-completed/.test(text));
    return address;
  };
  const exported = await follow(`${project}/exports`);
  const prompt = 'Rename the term "Words" to "Sentences"';
  const agentJob = await follow(`${project}/agent`, { prompt });
  const receiver = { url: "https://example.com/hooks", events: "agent.failed" };
  const made = await visitor.post("/webhooks", receiver);
  const [webhook = ""] = /\/webhooks\/wh_\w+/.exec(made.text) ?? [];
  const pull = `${project}/pulls/1`;
  return {
    cookie: `octavo=${browser.cookie(dashboard.url, "octavo")}`,
    paths: [
      ["sign-in", "/signin"],
      ["projects", "/projects"],
      ["add a project", "/projects/new"],
      ["a project", project],
      ["its settings", `${project}/settings`],
      ["its sources", `${project}/sources`],
      ["an export", exported],
      ["agent jobs", `${project}/agent`],
      ["an agent job", agentJob],
      ["pull requests", `${project}/pulls`],
      ["a pull request", pull],
      ["its changes", `${pull}/changes`],
      ["its preview", `${pull}/preview`],
      ["keys", "/keys"],
      ["members", "/members"],
      ["sessions", "/sessions"],
      ["audit log", "/audit"],
      ["webhooks", "/webhooks"],
      ["a webhook", webhook],
      ["health", "/health"],
      ["search", "/search"],
    ],
  };
}
