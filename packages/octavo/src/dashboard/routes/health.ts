import { formatCount } from "../../core/index.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import type { OperatorView } from "../operator.ts";
import { createPageOptions } from "../page-rights.ts";
import type { DashboardServices } from "../services.ts";
import type { GaugeReadings, JobCount, NodeCount, QueueState } from "../../telemetry/index.ts";
import { getSignedInUser } from "../session/sessions.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml, type HtmlValue, type SafeHtml } from "../safe-html.ts";
import { formatFileSize, formatRoundedDuration, renderRelativeTime } from "../format.ts";
import { renderEmptyNote, renderPageHead, renderStatusBadge } from "../pages/parts.ts";

export function addHealthPages(app: FastifyInstance, services: DashboardServices): void {
  const { operator, addresses, sendPage, toErrorResponse } = services;
  const options = { ...createPageOptions("service.read"), preHandler: requireOperator };

  app.get("/health", options, async (request, reply) => {
    const [gauges, refusal] = await Promise.all([
      operator.readGauges(),
      operator.checkReady().then(
        () => undefined,
        (error: unknown) => toErrorResponse(error).body.error,
      ),
    ]);
    const { version, settings, models, retention } = operator;
    const view = { gauges, refusal, version, settings, models, retention, at: new Date() };
    return sendPage(request, reply, {
      title: "Health",
      section: "health",
      main: renderHealthPage(addresses, view),
    });
  });
}

/**
 * A `preHandler` hook that runs after the check of the right. The additional check is necessary because an owner of
 * another organization does not run the service.
 */
async function requireOperator(request: FastifyRequest): Promise<void> {
  if (request.isOperator) return;
  const { organizationName, projectId } = getSignedInUser(request);
  const subject = projectId === null ? organizationName : "A key that is limited to one project";
  throw new OctavoError(
    "forbidden",
    `${subject} cannot see the health of this service. Only the organization that was created at the first start can.`,
  );
}

interface HealthView extends Pick<OperatorView, "version" | "settings" | "models" | "retention"> {
  readonly gauges: GaugeReadings;
  /** The reason why this node refuses work; undefined if it accepts work. */
  readonly refusal: string | undefined;
  readonly at: Date;
}

function renderHealthPage(addresses: Addresses, view: HealthView): SafeHtml {
  const { gauges, refusal, version, at } = view;
  const badge =
    refusal === undefined ? renderStatusBadge("completed", "ready") : renderStatusBadge("failed");
  return safeHtml`${renderPageHead([], "Health", badge)}
    ${refusal !== undefined && safeHtml`<p class="notice danger">${refusal}</p>`}
    ${gauges.work && renderNumbers(gauges.work)}
    <p class="soft">
      Read ${renderRelativeTime(at)} by a node of version ${version}, from <code>/metrics</code> and
      <code>/readyz</code>. <a href="${addresses.health}">Refresh</a>
    </p>
    ${gauges.work ? renderWorkSections(addresses, gauges.work) : missingWorkNotice}
    ${renderSpaceFigures(gauges)} ${renderModelSection(view.models)} ${renderRetentionSection(view.retention)}
    ${renderSettings(view.settings)}`;
}

const missingWorkNotice = safeHtml`<p class="notice danger">
  The database did not respond, so the state of queues, jobs and nodes is unknown.
</p>`;

/** Renders the numbers that show at a glance whether work is getting done. */
function renderNumbers({ queues, jobs }: NonNullable<GaugeReadings["work"]>): SafeHtml {
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
  const running = queues.reduce((sum, queue) => sum + queue.running, 0);
  const longest = Math.max(0, ...queues.map(({ oldestSeconds }) => oldestSeconds));
  const failed = jobs.filter(({ status }) => status === "failed");
  const failures = failed.reduce((sum, { count }) => sum + count, 0);
  return safeHtml`<dl class="numbers">
    <div><dt>Waiting</dt><dd>${waiting}</dd></div>
    <div><dt>Running</dt><dd>${running}</dd></div>
    <div><dt>Longest wait</dt><dd>${longest > 0 ? formatRoundedDuration(longest) : "–"}</dd></div>
    <div ${failures > 0 && safeHtml`class="bad"`}><dt>Stored jobs that failed</dt><dd>${failures}</dd></div>
  </dl>`;
}

function renderWorkSections(
  addresses: Addresses,
  work: NonNullable<GaugeReadings["work"]>,
): readonly SafeHtml[] {
  return [
    renderQueueFigures(work.queues),
    renderJobFigures(work.jobs),
    renderNodeFigures(work.nodes),
    renderDeliverySection(addresses, work.deliveries),
  ];
}

type Deliveries = NonNullable<GaugeReadings["work"]>["deliveries"];

function renderDeliverySection(addresses: Addresses, deliveries: Deliveries): SafeHtml {
  const failed = deliveries.find(({ state }) => state === "failed")?.count ?? 0;
  return safeHtml`<section aria-labelledby="deliveries">
    <h2 id="deliveries">Webhook messages</h2>
    <dl class="facts small-facts">
      ${deliveries.map(({ state, count }) => safeHtml`<div><dt>${state}</dt><dd>${formatCount(count, "message")}</dd></div>`)}
    </dl>
    ${
      failed > 0 &&
      safeHtml`<p class="soft">
        The <a href="${addresses.webhooks}">Webhooks</a> page of each organization shows the
        receivers' responses. Failed messages can be sent again there.
      </p>`
    }
  </section>`;
}

function renderModelSection({
  defaultModel,
  allowed,
  providers,
}: OperatorView["models"]): SafeHtml {
  return safeHtml`<section aria-labelledby="models">
    <h2 id="models">Models</h2>
    <dl class="facts small-facts">
      <div><dt>Used by default</dt><dd><code>${defaultModel}</code></dd></div>
      <div>
        <dt>Projects may choose</dt>
        <dd>${allowed === null ? "any" : safeHtml`<code>${allowed}</code>`}</dd>
      </div>
      <div>
        <dt>Configured providers</dt>
        <dd>${providers.length === 0 ? "none" : providers.join(", ")}</dd>
      </div>
    </dl>
  </section>`;
}

function renderRetentionSection(retention: OperatorView["retention"]): SafeHtml {
  return safeHtml`<section aria-labelledby="retention">
    <h2 id="retention">Retention</h2>
    <dl class="facts small-facts">
      ${retention.map(({ dataKind, days }) => safeHtml`<div><dt>${dataKind}</dt><dd>${formatCount(days, "day")}</dd></div>`)}
    </dl>
  </section>`;
}

interface FigureTable {
  readonly id: string;
  readonly title: string;
  /** The headings of the columns. The cells of the first column are row headings. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly HtmlValue[])[];
  readonly empty: string;
}

function renderFigureTable({ id, title, columns, rows, empty }: FigureTable): SafeHtml {
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
  deployment: "Deployments",
  webhook: "Webhook messages",
};

function renderQueueFigures(queues: readonly QueueState[]): SafeHtml {
  return renderFigureTable({
    id: "queues",
    title: "Queues",
    columns: ["Queue", "Waiting", "Running", "Longest wait"],
    rows: queues.map(({ queue, waiting, running, oldestSeconds }) => [
      queueTitles[queue] ?? queue,
      waiting,
      running,
      oldestSeconds > 0 ? formatRoundedDuration(oldestSeconds) : "–",
    ]),
    empty: "No queues.",
  });
}

const kindTitles: Readonly<Partial<Record<string, string>>> = {
  static_export: "Exports",
  preview: "Previews of agent jobs",
  agent: "Agent jobs",
  deployment_production: "Deployments",
  deployment_version: "Deployments of versions",
  deployment_preview: "Deployed previews",
  deployment_upload: "Published folders",
};

function renderJobFigures(jobs: readonly JobCount[]): SafeHtml {
  return renderFigureTable({
    id: "jobs",
    title: "Jobs",
    columns: ["Kind", "Status", "Jobs", "Blocked"],
    rows: jobs
      .toSorted((one, other) => one.kind.localeCompare(other.kind) || other.count - one.count)
      .map(({ kind, status, count, blocked }) => [
        kindTitles[kind] ?? kind,
        status,
        count,
        blocked,
      ]),
    empty: "No jobs are stored.",
  });
}

function renderNodeFigures(nodes: readonly NodeCount[]): SafeHtml {
  const versions = new Set(nodes.map(({ version }) => version));
  return safeHtml`${renderFigureTable({
    id: "nodes",
    title: "Nodes",
    columns: ["Version", "Roles", "Alive"],
    rows: nodes.map(({ version, roles, count }) => [version, roles.replaceAll(",", ", "), count]),
    empty: "No node has sent a heartbeat.",
  })}
  ${
    versions.size > 1 &&
    safeHtml`<p class="notice">Nodes run different versions. Update the older ones.</p>`
  }`;
}

/** Renders the storage that the whole service uses and the free space of this node. */
function renderSpaceFigures({ work, disks, connections }: GaugeReadings): SafeHtml {
  const storedFacts = (work?.stored ?? []).map(
    ({ kind, bytes }) => [kind === "bundles" ? "Bundles" : "Hosted repositories", bytes] as const,
  );
  const diskFacts = disks.map(
    ({ folder, freeBytes }) => [`Free for ${folder}`, freeBytes] as const,
  );
  const facts = [...storedFacts, ...diskFacts].map(
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

/** Renders the settings that the operator set and, collapsed, the settings with default values. */
function renderSettings(settings: OperatorView["settings"]): SafeHtml {
  const customSettings = settings.filter(({ setBy }) => setBy !== null);
  const defaultSettings = settings.filter(({ setBy }) => setBy === null);
  return safeHtml`<section aria-labelledby="settings">
    <h2 id="settings">Settings of this node</h2>
    ${customSettings.length === 0 ? safeHtml`<p class="soft">All settings have their default values.</p>` : renderSettingList(customSettings)}
    <details>
      <summary>${defaultSettings.length} settings have their default values</summary>
      ${renderSettingList(defaultSettings)}
    </details>
  </section>`;
}

function renderSettingList(settings: OperatorView["settings"]): SafeHtml {
  return safeHtml`<dl class="setting-list">
    ${settings.map(
      (setting) =>
        safeHtml`<div><dt><code>${setting.name}</code></dt><dd>${renderSettingValue(setting)}</dd></div>`,
    )}
  </dl>`;
}

function renderSettingValue({
  name,
  value,
  isSecret,
  setBy,
}: OperatorView["settings"][number]): SafeHtml {
  if (isSecret && setBy !== null) return safeHtml`<span class="faint">set, not shown</span>`;
  if (value === null) return safeHtml`<span class="faint">not set</span>`;
  const isSetByFlag = setBy !== null && setBy !== name;
  return safeHtml`<code>${value}</code> ${isSetByFlag && safeHtml`<span class="faint">by ${setBy}</span>`}`;
}
