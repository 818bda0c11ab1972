import type { GaugeReadings, JobCount, NodeCount, QueueState } from "../../../telemetry/index.ts";
import { safeHtml } from "../../safe-html.ts";
import type { HtmlValue, SafeHtml } from "../../safe-html.ts";
import { formatRoundDuration, formatFileSize, formatCount } from "../../format.ts";
import { renderEmptyNote } from "../parts.ts";

interface FigureTable {
  readonly id: string;
  readonly title: string;
  /** The cells of the first column are row headings. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly HtmlValue[])[];
  readonly empty: string;
}

function figureTable({ id, title, columns, rows, empty }: FigureTable): SafeHtml {
  const head = columns.map((name) => safeHtml`<th scope="col">${name}</th>`);
  const body = rows.map(
    ([name, ...cells]) =>
      safeHtml`<tr><th scope="row">${name}</th>${cells.map((cell) => safeHtml`<td>${cell}</td>`)}</tr>`,
  );
  return safeHtml`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${
      rows.length === 0
        ? renderEmptyNote(empty)
        : safeHtml`<table class="figures"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`
    }
  </section>`;
}

const queueTitles: Readonly<Record<string, string>> = {
  "static-export": "Exports and previews",
  agent: "Agent jobs",
  webhook: "Webhook messages",
};

export function renderQueueFigures(queues: readonly QueueState[]): SafeHtml {
  return figureTable({
    id: "queues",
    title: "Queues",
    columns: ["Queue", "Waiting", "Running", "Longest wait"],
    rows: queues.map(({ queue, waiting, running, oldestSeconds }) => [
      queueTitles[queue] ?? queue,
      waiting,
      running,
      oldestSeconds > 0 ? formatRoundDuration(oldestSeconds) : "–",
    ]),
    empty: "No queues.",
  });
}

const kindTitles: Readonly<Record<JobCount["kind"], string>> = {
  static_export: "Exports",
  preview: "Previews",
  agent: "Agent jobs",
};

export function renderJobFigures(jobs: readonly JobCount[]): SafeHtml {
  return figureTable({
    id: "jobs",
    title: "Jobs",
    columns: ["Kind", "Status", "Jobs", "Blocked"],
    rows: jobs
      .toSorted((one, other) => one.kind.localeCompare(other.kind) || other.count - one.count)
      .map(({ kind, status, count, blocked }) => [kindTitles[kind], status, count, blocked]),
    empty: "No jobs are stored.",
  });
}

export function renderNodeFigures(nodes: readonly NodeCount[]): SafeHtml {
  const versions = new Set(nodes.map(({ version }) => version));
  return safeHtml`${figureTable({
    id: "nodes",
    title: "Nodes",
    columns: ["Version", "Roles", "Alive"],
    rows: nodes.map(({ version, roles, count }) => [version, roles.replace(",", ", "), count]),
    empty: "No node has reported that it is alive.",
  })}
  ${
    versions.size > 1 &&
    safeHtml`<p class="notice">Nodes run different versions. Update the older ones.</p>`
  }`;
}

/** Renders the storage used by the whole service and the free space of this node. */
export function renderSpaceFigures({ work, disks, connections }: GaugeReadings): SafeHtml {
  const stored = (work?.stored ?? []).map(
    ({ kind, bytes }) => [kind === "bundles" ? "Bundles" : "Hosted repositories", bytes] as const,
  );
  const free = disks.map(({ folder, freeBytes }) => [`Free for ${folder}`, freeBytes] as const);
  const facts = [...stored, ...free].map(
    ([name, bytes]) => safeHtml`<div><dt>${name}</dt><dd>${formatFileSize(bytes)}</dd></div>`,
  );
  return safeHtml`<section aria-labelledby="space">
    <h2 id="space">Storage, disks and database</h2>
    <dl class="facts small-facts">
      ${facts}
      ${
        connections &&
        safeHtml`<div>
          <dt>Connections to PostgreSQL</dt>
          <dd>
            ${connections.inUse} of ${connections.max} in use,
            ${formatCount(connections.waiting, "request waits", "requests wait")}
          </dd>
        </div>`
      }
    </dl>
  </section>`;
}
