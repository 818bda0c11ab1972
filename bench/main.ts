/**
 * `npm run bench` measures everything and writes `bench/RESULTS.md`; `npm run bench -- <part> [words]` does
 * one part and replaces what it said there, or shows what the words choose of it:
 *
 *     agent [part]      what agents do: links [site] [seeds], prompts, replays, and with --model <provider/model>
 *                       tasks [words] and questions [site]
 *     export [site]     each site below the folder in OCTAVO_SITES, cold and again
 *     peers [words]     beside other generators, see `compare.ts`
 *     huge [copies]     a site of 52,479 pages, cold and after one edited page
 *     api               the service: status reads, time to running, start
 *     lighthouse [site] what Lighthouse says of pages of each site, or of the `dashboard`
 *     dashboard         what pages of a large organization cost the service and a browser
 *     cancel            how soon a canceled agent job leaves its model alone
 *     idle              what idle nodes cost the PostgreSQL that they share
 *     fair              how long one organization's job waits behind 10,000 of another's
 *     difference [dir]  pictures of the marked pages of real changes, for people to judge, in a folder
 *     dev               how soon a preview shows what was saved
 *     publish           what readers of published sites cost a node, beside sirv and bare node:http, and how soon
 *                       pushes and rollbacks reach them
 *     reviews           how soon a code host shows the status of a push to a pull request, and where the time goes
 *
 * CPU seconds are those of all processes. Other work on the machine moves wall times, so compare CPU, and
 * ratios within one run.
 */
import { join } from "node:path";
import { benchAgent } from "./agent/main.ts";
import { benchApi } from "./api.ts";
import { benchCancel } from "./cancel.ts";
import { benchPeers } from "./compare.ts";
import { benchDashboard } from "./dashboard.ts";
import { benchDifference } from "./difference.ts";
import { benchDev } from "./dev.ts";
import { benchExports } from "./export.ts";
import { benchFair } from "./fair.ts";
import { benchHuge } from "./huge.ts";
import { benchIdle } from "./idle.ts";
import { benchLighthouse } from "./lighthouse.ts";
import { progress } from "./progress.ts";
import { benchPublish } from "./publish.ts";
import { benchReviews } from "./reviews.ts";
import { writeResults } from "./results.ts";
import type { Section } from "./results.ts";

const results = join(import.meta.dirname, "RESULTS.md");

type Part = (words: readonly string[]) => AsyncIterable<Section>;
const parts: ReadonlyMap<string, Part> = new Map<string, Part>([
  ["agent", (words) => benchAgent(process.env["OCTAVO_SITES"], words)],
  ["api", () => one(benchApi())],
  ["cancel", () => one(benchCancel())],
  ["dashboard", () => one(benchDashboard())],
  ["dev", () => one(benchDev())],
  ["difference", ([folder]) => one(benchDifference(process.env["OCTAVO_HISTORY"], folder))],
  ["export", ([site]) => one(benchExports(sitesFolder(), site))],
  ["fair", () => one(benchFair())],
  ["huge", ([copies]) => one(benchHuge(sitesFolder(), copies))],
  ["idle", () => one(benchIdle())],
  ["lighthouse", ([site]) => one(benchLighthouse(site))],
  ["publish", () => one(benchPublish())],
  ["reviews", () => one(benchReviews())],
  ["peers", (words) => benchPeers(sitesFolder(), words)],
]);

// What runs in a group of its own is ended when the program exits, and not by the terminal.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => process.exit(1));
}

const [name, ...words] = process.argv.slice(2);
const chosen = name === undefined ? [...parts.keys()] : [name];
for (const name of chosen) {
  const part = parts.get(name);
  if (!part) throw new Error(`There is no part ${name}, but ${[...parts.keys()].join(", ")}.`);
  for await (const section of part(words)) {
    process.stdout.write(`\n## ${section.title}\n\n${section.body}\n`);
    if (section.isPartial) continue;
    await writeResults(results, section);
    progress(`${section.title}: written to ${results}`);
  }
}

async function* one(section: Promise<Section>): AsyncIterable<Section> {
  yield section;
}

function sitesFolder(): string {
  const folder = process.env["OCTAVO_SITES"];
  if (folder !== undefined) return folder;
  throw new Error("Set OCTAVO_SITES to a folder that holds documentation sites.");
}
