import type { ReviewProblem } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Site, SiteDomain, SiteLink } from "../../publish/index.ts";
import type { Addresses } from "../addresses.ts";
import type { RefusedForm } from "../form.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { renderField, renderPageHead } from "./parts.ts";
import { renderSettingsNav } from "./project-frame.ts";
import { renderSiteDomains } from "./site-domains.ts";
import { renderSiteLinks } from "./site-links.ts";

export interface SiteSettingsView {
  readonly project: Pick<Project, "id">;
  readonly site: Site;
  readonly domains: readonly SiteDomain[];
  /** The links that open the site. */
  readonly links: readonly SiteLink[];
  /** The host below the domain of sites, to which a record of a domain can lead. */
  readonly siteHost: string;
  /** The failures of the last attempts to review pull requests. */
  readonly reviewProblems: readonly ReviewProblem[];
  /** The form that was sent last, if it was not accepted. */
  readonly refused: RefusedForm | undefined;
}

/** Renders the settings of a site: its address, its readers and its domains. */
export function renderSiteSettings(addresses: Addresses, view: SiteSettingsView): SafeHtml {
  const { project, site } = view;
  return safeHtml`${renderSettingsNav(addresses, project, "site")} ${renderPageHead([], "Site")}
    ${renderSiteForm(addresses, view)}
    ${renderSiteLinks(addresses, { ...view, projectId: project.id, visibility: site.visibility })}
    ${renderSiteDomains(addresses, { ...view, projectId: project.id })}`;
}

function renderSiteForm(
  addresses: Addresses,
  { project, site, reviewProblems, refused }: SiteSettingsView,
): SafeHtml {
  const chosen = refused?.sent["visibility"] ?? site.visibility;
  const option = (value: Site["visibility"], text: string) =>
    safeHtml`<option value="${value}" ${chosen === value && safeHtml`selected`}>
      ${text}
    </option>`;
  const previewOption = (value: Site["previewPullRequests"], text: string) =>
    safeHtml`<option value="${value}" ${site.previewPullRequests === value && safeHtml`selected`}>
      ${text}
    </option>`;
  return safeHtml`<section class="card" aria-labelledby="address">
    <h2 id="address">Address and readers</h2>
    <form class="inline" method="post" action="${addresses.site(project.id)}">
      ${renderField({ name: "slug", label: "Name in the address", value: site.slug, maxLength: 40, refused })}
      <div class="narrow">
        <label for="visibility">Readers</label>
        <select id="visibility" name="visibility">
          ${option("public", "everybody")} ${option("members", "members of the organization")}
          ${option("password", "who knows the password")}
        </select>
      </div>
      ${renderField({ name: "password", label: "Password", type: "password", placeholder: site.visibility === "password" ? "unchanged" : "only for a closed site", maxLength: 1_000, refused })}
      <button class="primary" type="submit">Save</button>
    </form>
  </section>
  <section class="card" aria-labelledby="previews">
    <h2 id="previews">Previews</h2>
    <p>
      Each open pull request has a preview at an address of its own, which the code host shows with a comment on what
      changed. So does each push to one of these branches. A <code>*</code> stands for any characters.
    </p>
    ${reviewProblems.map(
      ({ number, reason }) =>
        safeHtml`<p class="notice danger">
          ${number === null ? "The open pull requests could not be listed" : `The code host could not be told of the preview of pull request ${number}`}: ${reason}
          The service tries again.
        </p>`,
    )}
    <form class="inline" method="post" action="${addresses.site(project.id)}">
      ${renderField({ name: "previewBranches", label: "Branches", value: site.previewBranches.join(", "), placeholder: "none, such as docs/*, redesign", maxLength: 5_000, refused })}
      <div class="narrow">
        <label for="preview-pull-requests">Pull requests</label>
        <select id="preview-pull-requests" name="previewPullRequests">
          ${previewOption("all", "of everybody")}
          ${previewOption("members", "of people who may write")} ${previewOption("none", "none")}
        </select>
      </div>
      <button class="primary" type="submit">Save</button>
    </form>
  </section>`;
}
