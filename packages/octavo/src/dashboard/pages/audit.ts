import { auditActions } from "../../projects/index.ts";
import type { AuditAction, AuditEvent } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { renderRelativeTime } from "../format.ts";
import { renderEmptyNote, renderOlderLink, renderPageHead } from "./parts.ts";

export interface AuditForm {
  readonly actor?: string | undefined;
  readonly action?: AuditAction | undefined;
  /** The first and last day, as `2030-01-31`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface AuditView {
  readonly events: readonly AuditEvent[];
  readonly next: string | null;
  readonly form: AuditForm;
}

export function renderAuditPage(addresses: Addresses, { events, next, form }: AuditView): SafeHtml {
  const given = Object.entries(form).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given as [string, string][]).toString();
  const suffix = query === "" ? "" : `?${query}`;
  return safeHtml`${renderPageHead(
    [],
    "Audit log",
    safeHtml`<a class="button" href="${addresses.audit}/export${suffix}">Export as JSON lines</a>`,
  )}
    ${filterForm(addresses, form)}
    ${events.length === 0 && renderEmptyNote("No matching events.")}
    <ul class="rows">
      ${events.map((event) => eventRow(addresses, event))}
    </ul>
    ${renderOlderLink(`${addresses.audit}${suffix}`, next, "Older events")}`;
}

function filterForm(addresses: Addresses, { actor, action, from, to }: AuditForm): SafeHtml {
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

function eventRow(addresses: Addresses, event: AuditEvent): SafeHtml {
  const { action, actor, target, details, at } = event;
  const about = Object.entries(details).filter(([, value]) => value !== null);
  return safeHtml`<li class="row key">
    <div class="row-main">
      <span class="row-title">${formatAction(action)}</span>
      <span>${target.name ?? safeHtml`<code>${target.id}</code>`}</span>
    </div>
    <span class="row-facts">
      <span
        >${
          actor
            ? safeHtml`<a href="${addresses.audit}?actor=${actor.id}">${actor.name}</a> (${actor.type})`
            : nobody(action)
        }</span
      >
      <span>${renderRelativeTime(at)}</span>
      ${about.map(([name, value]) => safeHtml`<span>${name}: ${formatDetail(value)}</span>`)}
    </span>
  </li>`;
}

/** Returns the name shown for an event without a known actor. */
function nobody(action: AuditAction): string {
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
