import type { Limit } from "../results.ts";
import { median, quantile } from "../statistics.ts";
import type { Usage } from "../process-meter.ts";
import { table } from "../table.ts";
import type { EditedPage } from "./edited-page.ts";
import type { PageWeight } from "./page-weight.ts";
import type { Comparison } from "./pairs.ts";

const megabyte = 1e6;

/** All that was measured on one corpus. */
export interface SizeReport {
  /** Pages of the corpus. */
  readonly pages: number;
  readonly comparisons: readonly Comparison[];
  /** Peers that could not build it, and why. */
  readonly failures: readonly { readonly name: string; readonly reason: string }[];
  /** The size of our own site. */
  readonly bytes: number;
  readonly edited: EditedPage | undefined;
}

/** The share of `theirs` that `ours` is, for each pair. */
function ratios(
  { pairs }: Comparison,
  field: "cpuSeconds" | "wallSeconds" | "peakBytes",
): number[] {
  return pairs.map(({ ours, theirs }) => ours[field] / theirs[field]);
}

export function buildTable({ pages, comparisons, failures, bytes }: SizeReport): string {
  const ours = comparisons.flatMap(({ pairs }) => pairs.map(({ ours }) => ours));
  const rows = [
    buildRow("Octavo", ours, { bytes, pages }),
    ...comparisons.map(({ peer, pairs, site }) =>
      buildRow(
        peer.name,
        pairs.map(({ theirs }) => theirs),
        site,
      ),
    ),
    ...failures.map(({ name, reason }) => [name, "0", `failed: ${reason}`]),
  ];
  const head = ["generator", "pages", "runs", "CPU s", "wall s", "peak MB", "site MB", "KB a page"];
  return table(head, rows);
}

function buildRow(
  name: string,
  usages: readonly Usage[],
  { pages, bytes }: { readonly pages: number; readonly bytes: number },
): string[] {
  const middle = (field: "cpuSeconds" | "wallSeconds" | "peakBytes") =>
    median(usages.map((usage) => usage[field]));
  return [
    name,
    String(pages),
    String(usages.length),
    middle("cpuSeconds").toFixed(1),
    middle("wallSeconds").toFixed(1),
    (middle("peakBytes") / megabyte).toFixed(0),
    (bytes / megabyte).toFixed(1),
    (bytes / pages / 1_000).toFixed(1),
  ];
}

export function ratioTable({ pages, bytes, comparisons }: SizeReport): string {
  const rows = comparisons.map((comparison) => {
    const cpu = ratios(comparison, "cpuSeconds");
    const { peer, site } = comparison;
    return [
      peer.name,
      String(cpu.length),
      median(cpu).toFixed(3),
      `${Math.min(...cpu).toFixed(3)} to ${Math.max(...cpu).toFixed(3)}`,
      median(ratios(comparison, "wallSeconds")).toFixed(3),
      median(ratios(comparison, "peakBytes")).toFixed(2),
      (bytes / pages / (site.bytes / site.pages)).toFixed(3),
    ];
  });
  return table(["beside", "pairs", "CPU", "CPU of pairs", "wall", "memory", "size a page"], rows);
}

export function editedTable({ cold, folder, archive, zip }: EditedPage): string {
  const row = (name: string, usages: readonly Usage[]) => {
    const cpu = median(usages.map(({ cpuSeconds }) => cpuSeconds));
    const wall = median(usages.map(({ wallSeconds }) => wallSeconds));
    return [name, cpu.toFixed(2), wall.toFixed(2), (cpu / cold.cpuSeconds).toFixed(3)];
  };
  return table(
    ["export", "CPU s", "wall s", "CPU of the cold one"],
    [
      row("cold, into a folder", [cold]),
      row("again, into that folder", folder),
      row("again, as a .tar.gz", archive),
      row("again, as a .zip", zip),
    ],
  );
}

export function weightTable(weights: ReadonlyMap<string, readonly PageWeight[]>): string {
  const rows = [...weights].map(([name, pages]) => {
    const at = (share: number, weigh: (page: PageWeight) => number) =>
      (quantile(pages.map(weigh), share) / 1_000).toFixed(1);
    return [
      name,
      String(pages.length),
      at(0.5, ({ html }) => html),
      at(0.5, ({ css }) => css),
      at(0.5, ({ js }) => js),
      at(0.5, total),
      at(0.95, total),
    ];
  });
  const head = ["site", "pages", "HTML", "CSS", "JavaScript", "together", "95th percentile"];
  return table(head, rows);
}

export function total({ html, css, js }: PageWeight): number {
  return html + css + js;
}

/** The most CPU that an export may take, as a share of a peer's, by its name. */
const cpuLimits: Readonly<Record<string, { readonly small: number; readonly large: number }>> = {
  Hugo: { small: 1.6, large: 0.8 },
  Starlight: { small: 0.15, large: 0.15 },
  Docusaurus: { small: 0.1, large: 0.1 },
  VitePress: { small: 0.1, large: 0.1 },
};
/** From here on a site is large. */
const largePages = 3_000;
const editedLimits = { folder: 0.1, archive: 0.15, zip: 0.15 } as const;
const memoryLimit = 1.0e9;

export function sizeLimits(report: SizeReport): Limit[] {
  const { pages, comparisons, edited, bytes } = report;
  const isLarge = pages >= largePages;
  const limits: Limit[] = [];
  for (const comparison of comparisons) {
    const { name } = comparison.peer;
    const most = cpuLimits[name]?.[isLarge ? "large" : "small"];
    const cpu = median(ratios(comparison, "cpuSeconds"));
    if (most !== undefined)
      limits.push(ratioLimit(`CPU of a cold export of ${pages} pages, of ${name}'s`, cpu, most));
    if (name !== "Starlight") continue;
    const size = bytes / pages / (comparison.site.bytes / comparison.site.pages);
    limits.push(ratioLimit(`size a page, ${pages} pages, of Starlight's`, size, 1));
  }
  if (!isLarge) return limits;
  const peak = Math.max(
    ...comparisons.flatMap(({ pairs }) => pairs.map(({ ours }) => ours.peakBytes)),
  );
  if (comparisons.length > 0) {
    limits.push({
      name: `peak memory of an export of ${pages} pages, all its processes`,
      limit: "at most 1.0 GB",
      measured: `${(peak / 1e9).toFixed(2)} GB`,
      holds: peak <= memoryLimit,
    });
  }
  if (!edited) return limits;
  for (const kind of ["folder", "archive", "zip"] as const) {
    const cpu = median(edited[kind].map(({ cpuSeconds }) => cpuSeconds)) / edited.cold.cpuSeconds;
    const name = `CPU of an export again after one edited page of ${pages}, ${kind}, of a cold one's`;
    limits.push(ratioLimit(name, cpu, editedLimits[kind]));
  }
  return limits;
}

function ratioLimit(name: string, value: number, most: number): Limit {
  return { name, limit: `at most ${most}`, measured: value.toFixed(3), holds: value <= most };
}
