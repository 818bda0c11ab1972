import type { Project } from "../../projects/index.ts";
import type { Site, SiteDomain, SiteLink } from "../../publish/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { renderPageHead } from "./parts.ts";
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
}

/** Renders the settings of a site: its address, its readers and its domains. */
export function renderSiteSettings(addresses: Addresses, view: SiteSettingsView): SafeHtml {
  const { project, site, domains, links, siteHost } = view;
  return safeHtml`${renderSettingsNav(addresses, project, "site")} ${renderPageHead([], "Site")}
    ${renderSiteForm(addresses, view)}
    ${renderSiteLinks(addresses, { projectId: project.id, visibility: site.visibility, links })}
    ${renderSiteDomains(addresses, { projectId: project.id, site, domains, siteHost })}`;
}

function renderSiteForm(addresses: Addresses, { project, site }: SiteSettingsView): SafeHtml {
  const option = (value: Site["visibility"], text: string) =>
    safeHtml`<option value="${value}" ${site.visibility === value && safeHtml`selected`}>
      ${text}
    </option>`;
  return safeHtml`<section class="card" aria-labelledby="address">
    <h2 id="address">Address and readers</h2>
    <form class="inline" method="post" action="${addresses.site(project.id)}">
      <div>
        <label for="slug">Name in the address</label>
        <input id="slug" name="slug" value="${site.slug}" maxlength="40" autocomplete="off" />
      </div>
      <div class="narrow">
        <label for="visibility">Readers</label>
        <select id="visibility" name="visibility">
          ${option("public", "everybody")} ${option("members", "members of the organization")}
          ${option("password", "who knows the password")}
        </select>
      </div>
      <div>
        <label for="site-password">Password</label>
        <input
          id="site-password"
          name="password"
          type="password"
          maxlength="1000"
          autocomplete="new-password"
          placeholder="${site.visibility === "password" ? "unchanged" : "only for a closed site"}"
        />
      </div>
      <button type="submit">Save</button>
    </form>
  </section>
  <section class="card" aria-labelledby="previews">
    <h2 id="previews">Previews of branches</h2>
    <p>
      Each push to one of these branches makes a preview at an address of its own. A <code>*</code> stands for any
      characters.
    </p>
    <form class="inline" method="post" action="${addresses.site(project.id)}">
      <div>
        <label for="preview-branches">Branches</label>
        <input
          id="preview-branches"
          name="previewBranches"
          value="${site.previewBranches.join(", ")}"
          maxlength="5000"
          autocomplete="off"
          placeholder="none, such as docs/*, redesign"
        />
      </div>
      <button type="submit">Save</button>
    </form>
  </section>`;
}
