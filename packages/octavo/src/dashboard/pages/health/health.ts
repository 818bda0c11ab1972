import type { GaugeReadings } from "../../../telemetry/index.ts";
import type { Addresses } from "../../addresses.ts";
import type { ModelFacts, RetentionFact, ShownSetting } from "../../operator.ts";
import { safeHtml } from "../../safe-html.ts";
import type { SafeHtml } from "../../safe-html.ts";
import { formatCount, renderRelativeTime } from "../../format.ts";
import { renderPageHead, renderStatusBadge } from "../parts.ts";
import {
  renderQueueFigures,
  renderJobFigures,
  renderNodeFigures,
  renderSpaceFigures,
} from "./figures.ts";
import { renderSettings } from "./settings.ts";

export interface HealthView {
  readonly gauges: GaugeReadings;
  /** Why this node refuses work; undefined if it does not. */
  readonly refusal: string | undefined;
  /** This node's version. */
  readonly version: string;
  readonly settings: readonly ShownSetting[];
  readonly models: ModelFacts;
  readonly retention: readonly RetentionFact[];
  readonly at: Date;
}

export function renderHealthPage(addresses: Addresses, view: HealthView): SafeHtml {
  const { gauges, refusal, version, at } = view;
  const badge =
    refusal === undefined ? renderStatusBadge("completed", "ready") : renderStatusBadge("failed");
  return safeHtml`${renderPageHead([], "Health", badge)}
    ${refusal !== undefined && safeHtml`<p class="notice danger">${refusal}</p>`}
    <p class="soft">
      Read ${renderRelativeTime(at)} by a node of version ${version}, from <code>/metrics</code> and
      <code>/readyz</code>. <a href="${addresses.health}">Refresh</a>
    </p>
    ${gauges.work ? workSections(addresses, gauges.work) : lostWork}
    ${renderSpaceFigures(gauges)} ${modelSection(view.models)} ${retentionSection(view.retention)}
    ${renderSettings(view.settings)}`;
}

const lostWork = safeHtml`<p class="notice danger">
  The database did not respond, so the state of queues, jobs and nodes is unknown.
</p>`;

function workSections(
  addresses: Addresses,
  work: NonNullable<GaugeReadings["work"]>,
): readonly SafeHtml[] {
  return [
    renderQueueFigures(work.queues),
    renderJobFigures(work.jobs),
    renderNodeFigures(work.nodes),
    deliverySection(addresses, work.deliveries),
  ];
}

type Deliveries = NonNullable<GaugeReadings["work"]>["deliveries"];

function deliverySection(addresses: Addresses, deliveries: Deliveries): SafeHtml {
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

function modelSection({ usual, allowed, providers }: ModelFacts): SafeHtml {
  return safeHtml`<section aria-labelledby="models">
    <h2 id="models">Models</h2>
    <dl class="facts small-facts">
      <div><dt>Used by default</dt><dd><code>${usual}</code></dd></div>
      <div>
        <dt>Projects may choose</dt>
        <dd>${allowed === null ? "any" : safeHtml`<code>${allowed}</code>`}</dd>
      </div>
      <div>
        <dt>Keys or addresses for</dt>
        <dd>${providers.length === 0 ? "no provider" : providers.join(", ")}</dd>
      </div>
    </dl>
  </section>`;
}

function retentionSection(retention: readonly RetentionFact[]): SafeHtml {
  return safeHtml`<section aria-labelledby="retention">
    <h2 id="retention">Retention</h2>
    <dl class="facts small-facts">
      ${retention.map(({ what, days }) => safeHtml`<div><dt>${what}</dt><dd>${formatCount(days, "day")}</dd></div>`)}
    </dl>
  </section>`;
}
