import type { PublicActor } from "../../core/index.ts";
import type { RefusedForm } from "../form.ts";
import { liveInterval } from "../layout.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml, HtmlValue } from "../safe-html.ts";
import type { Deployment, DeploymentStatus } from "../../jobs/index.ts";

/** Components that several pages share. */

/** Renders a page's breadcrumbs and title. */
export function renderPageHead(
  breadcrumbs: readonly (readonly [text: string, href: string])[],
  title: HtmlValue,
  sideContent?: HtmlValue,
): SafeHtml {
  const links = breadcrumbs.map(([text, href]) => safeHtml`<li><a href="${href}">${text}</a></li>`);
  return safeHtml`${
    links.length > 0 &&
    safeHtml`<nav class="way" aria-label="Breadcrumb">
        <ol>
          ${links}
        </ol>
      </nav>`
  }
    <div class="head">
      <h1>${title}</h1>
      ${sideContent}
    </div>`;
}

export const maxSearchLength = 200;

/** Renders a form that opens `action` with the search text. `hidden` contains its other fields. */
export function renderSearchForm(
  action: string,
  {
    search,
    placeholder,
    hidden,
  }: { readonly search: string; readonly placeholder: string; readonly hidden?: HtmlValue },
): SafeHtml {
  return safeHtml`<form class="inline search" method="get" action="${action}" role="search">
    <div>
      <label for="search">Search</label>
      <input
        id="search"
        name="search"
        type="search"
        value="${search}"
        maxlength="${maxSearchLength}"
        autocomplete="off"
        placeholder="${placeholder}"
      />
    </div>
    ${hidden}
    <button type="submit">Search</button>
  </form>`;
}

interface FieldOptions {
  readonly name: string;
  readonly label: string;
  readonly type?: "text" | "password" | "number" | "email" | "url" | "date";
  readonly value?: string | number | undefined;
  readonly placeholder?: string | undefined;
  readonly hint?: HtmlValue;
  /** The form that was refused last. Its reason is shown here if it concerns this field. */
  readonly refused?: RefusedForm | undefined;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
  /** Other attributes of the field. */
  readonly attributes?: SafeHtml;
  /** Whether the field takes up little of its row's width. */
  readonly isNarrow?: boolean;
}

/** Renders a labeled text field with the reason why its value was refused. A password is not shown again. */
export function renderField(options: FieldOptions): SafeHtml {
  const { name, label, type = "text", placeholder, hint, refused, maxLength } = options;
  const sentValue = type === "password" ? undefined : refused?.sentFields[name];
  return safeHtml`<div ${options.isNarrow && safeHtml`class="narrow"`}>
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${typeof sentValue === "string" ? sentValue : options.value}"
      placeholder="${placeholder}"
      autocomplete="${type === "password" ? "new-password" : "off"}"
      spellcheck="false"
      ${maxLength !== undefined && safeHtml`maxlength="${maxLength}"`}
      ${options.isRequired && safeHtml`required`}
      ${renderFieldAttributes(options)}
      ${options.attributes}
    />
    ${renderFieldRefusal(refused, options)}
    ${hint !== undefined && safeHtml`<p class="faint" id="${name}-hint">${hint}</p>`}
  </div>`;
}

/** Renders the attributes that refer to the hint and the refusal below a field. */
function renderFieldAttributes({ name, hint, refused }: FieldOptions): SafeHtml | false {
  const isRefused = refused?.field === name;
  const noteIds = [isRefused && `${name}-refusal`, hint !== undefined && `${name}-hint`];
  const ids = noteIds.filter((note) => note !== false).join(" ");
  return (
    ids !== "" && safeHtml`${isRefused && safeHtml`aria-invalid="true"`} aria-describedby="${ids}"`
  );
}

/** Renders the reason why a field's value was refused, if it was. Its ID is `<name>-refusal`. */
export function renderFieldRefusal(
  refused: RefusedForm | undefined,
  { name, label }: Pick<FieldOptions, "name" | "label">,
): SafeHtml | false {
  return (
    refused?.field === name &&
    safeHtml`<p class="field-refusal" id="${name}-refusal" role="alert">${refused.isMissingSubject && label}${refused.sentence}</p>`
  );
}

/** Renders a state as a colored badge. */
export function renderStatusBadge(state: string, text: string = state): SafeHtml {
  return safeHtml`<span class="badge badge-${state}">${text}</span>`;
}

/** Renders the state of a deployment. A deployment is `live` while readers see it. */
export function renderDeploymentBadge({
  status,
  isLive,
}: Pick<Deployment, "status" | "isLive">): SafeHtml {
  return renderStatusBadge(deploymentBadges[status], isLive ? "live" : status);
}

const deploymentBadges: Readonly<Record<DeploymentStatus, string>> = {
  queued: "queued",
  building: "running",
  ready: "completed",
  failed: "failed",
  superseded: "archived",
  removed: "archived",
};

/** Reports whether at least one of the deployments has not been built yet. */
export function hasUnfinishedDeployment({
  deployments,
}: {
  readonly deployments: readonly Deployment[];
}): boolean {
  return deployments.some(({ status }) => status === "queued" || status === "building");
}

/** Renders a pull request's state. Only an open pull request is shown as a draft. */
export function renderPullRequestBadge(state: string, isDraft: boolean): SafeHtml {
  return isDraft && state === "open" ? renderStatusBadge(state, "draft") : renderStatusBadge(state);
}

/** Renders text with a copy button. `label` names the text for screen readers. */
export function renderCopyableText(text: string, label: string): SafeHtml {
  return safeHtml`<span class="copied"><code data-copy="${label}">${text}</code></span>`;
}

/** Renders a part of a page that is reloaded at intervals if `isLive`. */
export function renderLiveRegion(address: string, isLive: boolean, content: HtmlValue): SafeHtml {
  const refreshAttributes =
    isLive &&
    safeHtml`hx-get="${address}" hx-select="#live" hx-trigger="every ${liveInterval}"
    hx-swap="outerMorph"`;
  return safeHtml`<div id="live" ${refreshAttributes}>${content}</div>`;
}

export function renderEmptyNote(text: HtmlValue): SafeHtml {
  return safeHtml`<p class="empty">${text}</p>`;
}

/** Returns, for example, ` by Ada`, or `false` if there is no actor. */
export function formatActor(actor: PublicActor | null): string | false {
  return actor !== null && ` by ${actor.name}`;
}

/** Renders a link to the next page of a list if there is one. */
export function renderOlderLink(
  href: string,
  next: string | number | null,
  text: string,
): SafeHtml | false {
  const separator = href.includes("?") ? "&" : "?";
  return (
    next !== null &&
    safeHtml`<p class="older"><a href="${href}${separator}before=${next}">${text}</a></p>`
  );
}

/** Renders a note that says what a job is waiting for, if it is waiting. */
export function renderWaitingNote({
  waitingFor,
}: {
  readonly waitingFor?: string;
}): SafeHtml | false {
  return (
    waitingFor !== undefined &&
    safeHtml`<p class="notice in-lines" role="status"><strong>Waiting:</strong> ${waitingFor} The job continues automatically.</p>`
  );
}
