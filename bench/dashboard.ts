import type { Page } from "playwright-core";
import { launchChromium } from "../test/support/chromium.ts";
import { openDashboard } from "../test/support/running-dashboard.ts";
import type { RunningDashboard, Visitor } from "../test/support/running-dashboard.ts";
import { fillService } from "./dashboard/fill.ts";
import type { Filled } from "./dashboard/fill.ts";
import { cpuSecondsOf, cpuSecondsWithChildren } from "./process-meter.ts";
import { progress } from "./progress.ts";
import type { Limit, Section } from "./results.ts";
import { median } from "./statistics.ts";
import { table } from "./table.ts";

const filling = { projects: 500, jobs: 10_000, files: 500 } as const;
const limits = { cpuMs: 50, usableMs: 1_000 } as const;
const requests = 20;
const loads = 5;

interface Cost {
  readonly name: string;
  /** The average CPU time of the service and the processes that it starts for the page. */
  readonly cpuMs: number;
  /** The part of the CPU time that git processes use. */
  readonly gitMs: number;
  readonly bytes: number;
  /** From the click to a page whose scripts have run. */
  readonly usableMs: number;
}

/** Measures the service's CPU for each page of the dashboard, and how soon a browser can use it, with much to show. */
export async function benchDashboard(): Promise<Section> {
  await using dashboard = await openDashboard();
  progress("filling the service");
  const filled = await fillService(dashboard, filling);
  const pages = pagesOf(filled);
  const costs: Cost[] = [];
  const visitor = await dashboard.browse().signIn(filled.key);
  const server = new Map<string, Omit<Cost, "name" | "usableMs">>();
  for (const [name, path] of pages) {
    server.set(name, await measureServer(visitor, path));
    progress(`${name}: ${server.get(name)?.cpuMs.toFixed(1)} ms of CPU`);
  }
  await using browser = await launchChromium();
  const page = await openPage(dashboard, await browser.newPage(), filled.key);
  for (const [name, path] of pages) {
    const measured = server.get(name) ?? { cpuMs: NaN, gitMs: NaN, bytes: NaN };
    const usableMs = await measureBrowser(page, dashboard.url + path);
    costs.push({ name, ...measured, usableMs });
  }
  return {
    title: "Dashboard",
    limits: limitsOf(costs),
    body: [
      `${filling.projects} projects, ${filling.jobs} jobs and a pull request with ${filling.files} files. CPU is that of ` +
        `the service with its embedded database and of git, on average of ${requests} requests, and includes the client ` +
        `that asks; the browser's time is the median of ${loads} loads.`,
      table(
        ["page", "CPU ms", "of git", "KB", "usable after ms"],
        costs.map(({ name, cpuMs, gitMs, bytes, usableMs }) => [
          name,
          cpuMs.toFixed(1),
          gitMs.toFixed(1),
          (bytes / 1000).toFixed(0),
          usableMs.toFixed(0),
        ]),
      ),
    ].join("\n\n"),
  };
}

function pagesOf(filled: Filled): readonly (readonly [name: string, path: string])[] {
  const project = `/projects/${filled.projectId}`;
  const pull = `${project}/pulls/${filled.pullRequest}`;
  return [
    ["projects", "/projects"],
    ["projects, searched", "/projects?search=p49"],
    ["a project", project],
    ["its settings", `${project}/settings`],
    ["an export", `${project}/exports/${filled.exportId}`],
    ["agent jobs", `${project}/agent`],
    ["an agent job", `${project}/agent/${filled.agentJobId}`],
    ["pull requests", `${project}/pulls`],
    ["a pull request", pull],
    ["its changes", `${pull}/changes`],
    ["its preview", `${pull}/preview`],
    ["keys", "/keys"],
    ["members", "/members"],
    ["sessions", "/sessions"],
    ["audit log", "/audit"],
    ["webhooks", "/webhooks"],
    ["health", "/health"],
    ["search", "/search?search=docs"],
  ];
}

async function measureServer(visitor: Visitor, path: string) {
  const first = await visitor.get(path);
  if (first.status !== 200) throw new Error(`${path} answered ${first.status}: ${first.text}`);
  const { pid } = process;
  const [own, all] = [cpuSecondsOf(pid), cpuSecondsWithChildren(pid)];
  for (let count = 0; count < requests; count += 1) await visitor.get(path);
  const cpuMs = ((cpuSecondsWithChildren(pid) - all) * 1_000) / requests;
  const ownMs = ((cpuSecondsOf(pid) - own) * 1_000) / requests;
  return { cpuMs, gitMs: cpuMs - ownMs, bytes: Buffer.byteLength(first.text) };
}

async function openPage(dashboard: RunningDashboard, page: Page, key: string): Promise<Page> {
  await page.goto(dashboard.url);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Projects" }).waitFor();
  return page;
}

async function measureBrowser(page: Page, address: string): Promise<number> {
  const times: number[] = [];
  for (let load = 0; load < loads; load += 1) {
    await page.goto(address, { waitUntil: "domcontentloaded" });
    times.push(
      await page.evaluate<number>(
        "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd",
      ),
    );
  }
  return median(times);
}

function limitsOf(costs: readonly Cost[]): Limit[] {
  const cpu = costs.reduce((one, other) => (other.cpuMs > one.cpuMs ? other : one));
  const slow = costs.reduce((one, other) => (other.usableMs > one.usableMs ? other : one));
  return [
    {
      name: `a page of the dashboard: CPU of the service, the most (${cpu.name})`,
      limit: `under ${limits.cpuMs} ms`,
      measured: `${cpu.cpuMs.toFixed(1)} ms`,
      holds: cpu.cpuMs < limits.cpuMs,
    },
    {
      name: `a page of the dashboard: usable in a browser, the last (${slow.name})`,
      limit: `under ${limits.usableMs} ms`,
      measured: `${slow.usableMs.toFixed(0)} ms`,
      holds: slow.usableMs < limits.usableMs,
    },
  ];
}
