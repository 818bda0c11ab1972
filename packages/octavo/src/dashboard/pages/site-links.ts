import { maxLinkDays, maxLinkNoteLength, type Site, type SiteLink } from "../../publish/index.ts";
import type { Addresses } from "../addresses.ts";
import { renderDay, renderRelativeTime } from "../format.ts";
import type { RefusedForm } from "../form.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { formatActor, renderCopyableText, renderField } from "./parts.ts";

export interface SiteLinksView {
  readonly projectId: string;
  readonly visibility: Site["visibility"];
  readonly links: readonly SiteLink[];
  readonly refused: RefusedForm | undefined;
}

/** Renders the links that open a closed site, which only those see who may change the site. */
export function renderSiteLinks(
  addresses: Addresses,
  { projectId, visibility, links, refused }: SiteLinksView,
): SafeHtml | false {
  if (visibility === "public" && links.length === 0) return false;
  return safeHtml`<section class="card" aria-labelledby="links">
    <h2 id="links">Links to share</h2>
    ${
      links.length > 0 &&
      safeHtml`<ul class="rows">
        ${links.map((link) => renderLink(addresses.revokeSiteLink(projectId, link.id), link))}
      </ul>`
    }
    <form class="inline" method="post" action="${addresses.siteLinks(projectId)}">
      ${renderField({ name: "note", label: "For", maxLength: maxLinkNoteLength, isRequired: true, refused })}
      ${renderField({ name: "days", label: "Days", type: "number", value: 7, isRequired: true, isNarrow: true, attributes: safeHtml`min="1" max="${maxLinkDays}"`, refused })}
      <button type="submit">Create link</button>
    </form>
  </section>`;
}

function renderLink(
  revokeAddress: string,
  { note, url, expiresAt, createdAt, createdBy }: SiteLink,
): SafeHtml {
  return safeHtml`<li class="row">
    <span class="row-main"><span class="row-title">${note}</span></span>
    <span class="row-facts">
      <span>created ${renderRelativeTime(createdAt)}${formatActor(createdBy)}</span>
      <span>expires on ${renderDay(expiresAt)}</span>
      <form method="post" action="${revokeAddress}">
        <button type="submit">Revoke</button>
      </form>
    </span>
    <p>${renderCopyableText(url, "the link")}</p>
  </li>`;
}
