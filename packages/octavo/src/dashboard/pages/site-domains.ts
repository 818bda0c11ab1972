import type { Site, SiteDomain } from "../../publish/index.ts";
import type { Addresses } from "../addresses.ts";
import { renderRelativeTime } from "../format.ts";
import type { RefusedForm } from "../form.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { renderCopyableText, renderField, renderStatusBadge } from "./parts.ts";

export interface SiteDomainsView {
  readonly projectId: string;
  readonly site: Site;
  readonly domains: readonly SiteDomain[];
  /** The host below the domain of sites to which a record of the domain can lead. */
  readonly siteHost: string;
  readonly refused: RefusedForm | undefined;
}

/** Renders the domains of a site, with what to enter at the DNS provider and whether it was found. */
export function renderSiteDomains(addresses: Addresses, view: SiteDomainsView): SafeHtml {
  const { projectId, domains, refused } = view;
  return safeHtml`<section class="card" aria-labelledby="domains">
    <h2 id="domains">Domains</h2>
    ${
      domains.length > 0 &&
      safeHtml`<ul class="rows">
        ${domains.map((domain) => renderDomain(addresses, view, domain))}
      </ul>`
    }
    <form class="inline" method="post" action="${addresses.siteDomains(projectId)}">
      ${renderField({ name: "domain", label: "Domain of your own", placeholder: "docs.example.com", maxLength: 300, isRequired: true, refused })}
      <button type="submit">Add</button>
    </form>
  </section>`;
}

function renderDomain(
  addresses: Addresses,
  { projectId, site, siteHost }: SiteDomainsView,
  domain: SiteDomain,
): SafeHtml {
  const { name, isCanonical, provenAt, provenBy } = domain;
  const badge = provenAt
    ? renderStatusBadge("completed", "proven")
    : renderStatusBadge("queued", "not proven");
  const by = provenBy === "operator" ? "by the operator" : "by its DNS record";
  return safeHtml`<li class="row">
    <span class="row-main">${badge} <span class="row-title">${name}</span></span>
    <span class="row-facts">
      ${isCanonical && safeHtml`<span>the site's address</span>`}
      ${provenAt !== null && safeHtml`<span>${by} ${renderRelativeTime(provenAt)}</span>`}
      ${provenAt !== null && renderCanonicalForm(addresses.site(projectId), name, isCanonical)}
      <form method="post" action="${addresses.removeSiteDomain(projectId, name)}">
        <button type="submit">Remove</button>
      </form>
    </span>
    ${provenAt === null && renderProof(addresses.checkSiteDomain(projectId, name), { domain, siteHost })}
    ${
      isCanonical &&
      safeHtml`<p class="soft">The site's other hosts redirect to ${site.url.replace(/^https?:\/\//, "")}.</p>`
    }
  </li>`;
}

function renderCanonicalForm(address: string, name: string, isCanonical: boolean): SafeHtml {
  return safeHtml`<form method="post" action="${address}">
    <input type="hidden" name="canonicalDomain" value="${isCanonical ? "" : name}" />
    <button type="submit">${isCanonical ? "Stop redirecting" : "Make it the site's address"}</button>
  </form>`;
}

interface ProofView {
  readonly domain: SiteDomain;
  readonly siteHost: string;
}

/** Renders the records that a person enters at the DNS provider. */
function renderProof(
  checkAddress: string,
  { domain: { name, record, checkedAt, problem }, siteHost }: ProofView,
): SafeHtml {
  return safeHtml`<div class="notice">
    <p>Enter these records at the DNS provider of ${name}:</p>
    <dl class="facts">
      <div>
        <dt>${record.type}</dt>
        <dd>${renderCopyableText(record.name, "the record's name")}</dd>
        <dd>${renderCopyableText(record.value, "the record's value")}</dd>
      </div>
      <div>
        <dt>CNAME</dt>
        <dd>${renderCopyableText(name, "the domain")}</dd>
        <dd>${renderCopyableText(siteHost, "the site's host")}</dd>
      </div>
    </dl>
    <p class="soft">
      The first one proves that the domain is yours. The second one leads readers to this service; where
      the provider does not accept it, enter the service's addresses as A and AAAA records.
    </p>
    ${
      problem !== null &&
      checkedAt !== null &&
      safeHtml`<p>${problem} Checked ${renderRelativeTime(checkedAt)}.</p>`
    }
    <form method="post" action="${checkAddress}">
      <button class="primary" type="submit">Check</button>
    </form>
  </div>`;
}
