import { maxLinkDays, maxLinkNoteLength, type Site, type SiteLink } from "../../publish/index.ts";
import type { Addresses } from "../addresses.ts";
import { renderDay, renderRelativeTime } from "../format.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { formatActor, renderCopyableText } from "./parts.ts";

export interface SiteLinksView {
  readonly projectId: string;
  readonly visibility: Site["visibility"];
  readonly links: readonly SiteLink[];
}

/** Renders the links that open a closed site, which only those see who may change the site. */
export function renderSiteLinks(
  addresses: Addresses,
  { projectId, visibility, links }: SiteLinksView,
): SafeHtml | false {
  if (visibility === "public" && links.length === 0) return false;
  return safeHtml`<h2>Links to share</h2>
    ${
      links.length > 0 &&
      safeHtml`<ul class="rows">
        ${links.map((link) => renderLink(addresses.revokeSiteLink(projectId, link.id), link))}
      </ul>`
    }
    <form class="inline" method="post" action="${addresses.siteLinks(projectId)}">
      <div>
        <label for="link-note">For</label>
        <input id="link-note" name="note" maxlength="${maxLinkNoteLength}" autocomplete="off" required />
      </div>
      <div class="narrow">
        <label for="link-days">Days</label>
        <input id="link-days" name="days" type="number" min="1" max="${maxLinkDays}" value="7" required />
      </div>
      <button type="submit">Create link</button>
    </form>`;
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
