import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import {
  auditActions,
  type AuditAction,
  type AuditEvent,
  type AuditFilter,
} from "../../projects/index.ts";
import { createPageOptions } from "../page-rights.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";
import type { Addresses } from "../addresses.ts";
import { renderIcon, type IconName } from "../icons.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { renderRelativeTime } from "../format.ts";
import { renderEmptyNote, renderOlderLink, renderPageHead } from "../pages/parts.ts";
import { readBefore } from "./project-page.ts";

const pageSize = 50;
const dayMs = 24 * 60 * 60 * 1000;

const day = z.iso.date().optional().catch(undefined);
/** The filter as the form sends it. Unused fields are empty. */
const Filter = z.object({
  actor: z.string().trim().max(100).optional().catch(undefined),
  action: z.enum(auditActions).optional().catch(undefined),
  from: day,
  to: day,
});

export function addAuditPages(app: FastifyInstance, services: DashboardServices): void {
  const { audit, addresses, sendPage } = services;

  app.get("/audit", createPageOptions("audit.read"), async (request, reply) => {
    const form = Filter.parse(request.query);
    const page = { limit: pageSize, before: readBefore(request) };
    const reader = getSignedInUser(request);
    const { items, next } = await audit.list(reader, toFilter(form), page);
    await audit.recordReading(reader, "audit.read");
    return sendPage(request, reply, {
      title: "Audit log",
      section: "audit",
      main: renderAuditPage(addresses, { events: items, next, form }),
    });
  });

  app.get(
    "/audit/export",
    createPageOptions("audit.read"),
    async (request: FastifyRequest, reply) => {
      const reader = getSignedInUser(request);
      await audit.recordReading(reader, "audit.exported");
      const events = audit.iterateAll(reader, toFilter(Filter.parse(request.query)));
      return reply
        .type("application/x-ndjson")
        .header("content-disposition", 'attachment; filename="audit.jsonl"')
        .send(Readable.from(toLines(events)));
    },
  );
}

function toFilter({ actor, action, from, to }: z.output<typeof Filter>): AuditFilter {
  return {
    actor: actor === "" ? undefined : actor,
    action,
    since: from === undefined ? undefined : new Date(from),
    until: to === undefined ? undefined : new Date(Date.parse(to) + dayMs),
  };
}

async function* toLines(events: AsyncIterable<AuditEvent>): AsyncIterable<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}

interface AuditForm {
  readonly actor?: string | undefined;
  readonly action?: AuditAction | undefined;
  /** The first day, e.g. `2030-01-31`. `to` is the last day. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface AuditView {
  readonly events: readonly AuditEvent[];
  readonly next: string | null;
  readonly form: AuditForm;
}

function renderAuditPage(addresses: Addresses, { events, next, form }: AuditView): SafeHtml {
  const usedFields = Object.entries(form).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  const query = new URLSearchParams(usedFields as [string, string][]).toString();
  const suffix = query === "" ? "" : `?${query}`;
  return safeHtml`${renderPageHead(
    [],
    "Audit log",
    safeHtml`<a class="button" href="${addresses.audit}/export${suffix}">Export as JSON lines</a>`,
  )}
    ${renderFilterForm(addresses, form)}
    ${events.length === 0 && renderEmptyNote("No matching events.")}
    <ul class="rows">
      ${events.map((event) => renderEventRow(addresses, event))}
    </ul>
    ${renderOlderLink(`${addresses.audit}${suffix}`, next, "Older events")}`;
}

function renderFilterForm(addresses: Addresses, { actor, action, from, to }: AuditForm): SafeHtml {
  return safeHtml`<form class="inline card" method="get" action="${addresses.audit}">
    <div>
      <label for="action">What</label>
      <select id="action" name="action">
        <option value="">everything</option>
        ${auditActions.map(
          (one) =>
            safeHtml`<option value="${one}" ${one === action && "selected"}>${formatAction(one)}</option>`,
        )}
      </select>
    </div>
    <div>
      <label for="actor">Who (ID of a key or member)</label>
      <input id="actor" name="actor" value="${actor}" autocomplete="off" spellcheck="false" />
    </div>
    <div class="narrow">
      <label for="from">From</label>
      <input id="from" name="from" type="date" value="${from}" />
    </div>
    <div class="narrow">
      <label for="to">To</label>
      <input id="to" name="to" type="date" value="${to}" />
    </div>
    <button type="submit">Filter</button>
  </form>`;
}

function renderEventRow(addresses: Addresses, event: AuditEvent): SafeHtml {
  const { action, actor, target, details, at } = event;
  const shownDetails = Object.entries(details).filter(([, value]) => value !== null);
  const href = findTargetAddress(addresses, event);
  const targetName = target.name ?? safeHtml`<code>${target.id}</code>`;
  return safeHtml`<li class="row key">
    <div class="row-main">
      ${renderIcon(icons[action.split(".")[0] ?? ""] ?? "event")}
      <span class="row-title">${formatAction(action)}</span>
      <span>${href === undefined ? targetName : safeHtml`<a href="${href}">${targetName}</a>`}</span>
    </div>
    <span class="row-facts">
      <span
        >${
          actor
            ? safeHtml`<a href="${addresses.audit}?actor=${actor.id}">${actor.name}</a> (${actor.type})`
            : nameUnknownActor(action)
        }</span
      >
      <span>${renderRelativeTime(at)}</span>
      ${shownDetails.map(([name, value]) => safeHtml`<span>${name}: ${formatDetail(value)}</span>`)}
    </span>
  </li>`;
}

/** The icons of actions, keyed by the kind of their target. */
const icons: Readonly<Record<string, IconName>> = {
  agent_job: "agent",
  deployment: "site",
  domain: "site",
  export: "export",
  hook: "message",
  key: "key",
  member: "person",
  preview: "export",
  project: "project",
  pull_request: "pullRequest",
  repository: "project",
  session: "person",
  site: "site",
  site_link: "site",
  webhook: "message",
};

/** Returns the address of the page of an event's target, or undefined if the target has no page or was deleted. */
function findTargetAddress(
  addresses: Addresses,
  { action, target: { id }, projectId }: AuditEvent,
): string | undefined {
  const [kind = "", verb] = action.split(".");
  if (verb === "deleted" || verb === "removed") return undefined;
  const organizationPage = {
    key: addresses.keys,
    member: addresses.members,
    session: addresses.sessions,
    webhook: addresses.webhook(id),
  }[kind];
  if (organizationPage !== undefined || projectId === null) return organizationPage;
  return {
    agent_job: addresses.agentJob(projectId, id),
    deployment: addresses.deployment(projectId, id),
    export: addresses.export(projectId, id),
    preview: addresses.export(projectId, id),
    hook: addresses.hook(projectId),
    project: addresses.project(projectId),
    pull_request: addresses.pull(projectId, Number(id)),
    repository: addresses.deployments(projectId),
    review_note: addresses.reviewNotes(projectId),
    review_notes: addresses.reviewNotes(projectId),
    domain: addresses.site(projectId),
    site: addresses.site(projectId),
    site_link: addresses.site(projectId),
  }[kind];
}

/** Returns the name that is shown for an event without a known actor. */
function nameUnknownActor(action: AuditAction): string {
  return action === "session.refused" ? "unknown" : "the operator";
}

/** Formats an action, e.g. `agent_job.created` as `agent job created`. */
function formatAction(action: AuditAction): string {
  return action.replaceAll(/[._]/g, " ");
}

const maxTextLength = 120;

function formatDetail(value: unknown): string {
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength).toWellFormed()}…` : text;
}
