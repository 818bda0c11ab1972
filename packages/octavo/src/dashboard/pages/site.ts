import { formatCount } from "../../core/index.ts";
import type { Deployment, DeploymentStatus } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Site, SiteDomain, SiteLink } from "../../publish/index.ts";
import type { Addresses } from "../addresses.ts";
import { formatShortCommit, renderRelativeTime } from "../format.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { formatActor, renderEmptyNote, renderStatusBadge } from "./parts.ts";
import { renderSiteDomains } from "./site-domains.ts";
import { renderSiteLinks } from "./site-links.ts";

/** The published site of a project, as its page shows it. */
export interface PublishedSiteView {
  readonly project: Pick<Project, "id" | "ref">;
  readonly site: Site;
  readonly domains: readonly SiteDomain[];
  /** The links that open the site; empty for people who may not change it. */
  readonly links: readonly SiteLink[];
  /** The deployment that readers see. */
  readonly live: Deployment | undefined;
  /** The newest deployments. */
  readonly deployments: readonly Deployment[];
  readonly toOrigin: (label: string) => string;
  /** Whether the service hosts the repository, and so knows of pushes by itself. */
  readonly isHosted: boolean;
  readonly canRun: boolean;
  readonly canChange: boolean;
}

export function isDeploying({ deployments }: Pick<PublishedSiteView, "deployments">): boolean {
  return deployments.some(({ status }) => status === "queued" || status === "building");
}

/** Renders what readers of a project's site see, with what led to it and what can be done. */
export function renderSiteSection(addresses: Addresses, view: PublishedSiteView): SafeHtml {
  const { project, site, live, deployments, canRun, canChange } = view;
  return safeHtml`<section class="site" aria-labelledby="site">
    <h2 id="site">Site</h2>
    ${live ? renderLive(view, live) : renderNothingLive(view)}
    ${!site.isAutomatic && renderPaused(addresses, view)}
    ${
      canRun &&
      !isDeploying(view) &&
      safeHtml`<form method="post" action="${addresses.deployments(project.id)}">
        <button type="submit">${live ? "Deploy again" : "Publish"}</button>
      </form>`
    }
    ${
      deployments.length > 0 &&
      safeHtml`<h3>Deployments</h3>
        <ul class="rows">
          ${deployments.map((deployment) => renderDeployment(addresses, view, deployment))}
        </ul>`
    }
    ${renderSiteDomains(addresses, {
      projectId: project.id,
      site,
      domains: view.domains,
      siteHost: new URL(view.toOrigin(site.slug)).hostname,
      canChange,
    })}
    ${canChange && safeHtml`<p><a href="${addresses.siteVersions(project.id)}">Versions</a></p>`}
    ${
      canChange &&
      renderSiteLinks(addresses, {
        projectId: project.id,
        visibility: site.visibility,
        links: view.links,
      })
    }
    ${
      !view.isHosted &&
      safeHtml`<p><a href="${addresses.hook(project.id)}">Publish pushes as soon as they arrive</a></p>`
    }
    ${canChange && renderSiteForm(addresses, view)}
  </section>`;
}

function renderLive({ site }: PublishedSiteView, live: Deployment): SafeHtml {
  const { commit, subject, author, publishedAt, publishedBy, problems, pages } = live;
  const count = problems === null ? 0 : problems.errors + problems.warnings;
  return safeHtml`<p class="live-site">
      <a href="${site.url}/">${site.url.replace(/^https?:\/\//, "")}</a>
    </p>
    <p class="soft">
      ${subject ?? "An uploaded folder"}${commit !== null && safeHtml` <code>${formatShortCommit(commit)}</code>`}${
        author !== null && ` by ${author}`
      }${publishedAt !== null && safeHtml`, live since ${renderRelativeTime(publishedAt)}`}${formatActor(publishedBy)},
      ${formatCount(pages, "page")}, ${count === 0 ? "no problems" : formatCount(count, "problem")}
    </p>`;
}

function renderNothingLive({ site, deployments, canRun }: PublishedSiteView): SafeHtml {
  const isComing = isDeploying({ deployments });
  if (isComing) {
    return renderEmptyNote(`The first deployment is being built. It will be at ${site.url}/`);
  }
  return renderEmptyNote(
    canRun
      ? `Nothing is published yet. Publish the site, and readers find it at ${site.url}/`
      : "Nothing is published yet.",
  );
}

/** Renders the note that a site does not follow its branch, with the button that ends it. */
function renderPaused(
  addresses: Addresses,
  { project, live, canChange }: PublishedSiteView,
): SafeHtml {
  return safeHtml`<div class="notice">
    <p>
      ${live ? "The site stays as it is: pushes are not published." : "Pushes are not published."}
    </p>
    ${
      canChange &&
      safeHtml`<form method="post" action="${addresses.site(project.id)}">
        <input type="hidden" name="isAutomatic" value="on" />
        <button type="submit">${live ? "Publish pushes again" : "Publish pushes"}</button>
      </form>`
    }
  </div>`;
}

/** Renders the state of a deployment. A deployment is `live` while readers see it. */
export function renderDeploymentBadge({
  status,
  isLive,
}: Pick<Deployment, "status" | "isLive">): SafeHtml {
  return renderStatusBadge(badges[status], isLive ? "live" : status);
}

const badges: Readonly<Record<DeploymentStatus, string>> = {
  queued: "queued",
  building: "running",
  ready: "completed",
  failed: "failed",
  superseded: "archived",
  removed: "archived",
};

function renderDeployment(
  addresses: Addresses,
  { project, toOrigin, canRun }: PublishedSiteView,
  deployment: Deployment,
): SafeHtml {
  const { id, status, kind, ref, commit, subject, label, isLive, createdAt, error } = deployment;
  const branch = kind === "upload" ? "An uploaded folder" : (ref ?? project.ref ?? "The default branch"); // prettier-ignore
  const title = subject ?? branch;
  const canPublish = canRun && !isLive && status === "ready" && kind !== "preview";
  return safeHtml`<li class="row" id="${id}">
    <span class="row-main">
      ${renderDeploymentBadge(deployment)}
      <span class="row-title"><a href="${addresses.deployment(project.id, id)}">${title}</a></span>
    </span>
    <span class="row-facts">
      ${kind !== "production" && safeHtml`<span>${kind}${kind === "version" && ` ${ref}`}</span>`}
      ${commit !== null && safeHtml`<code>${formatShortCommit(commit)}</code>`}
      <span>${renderRelativeTime(createdAt)}</span>
      ${label !== null && safeHtml`<a href="${toOrigin(label)}/">Open</a>`}
      ${
        canPublish &&
        safeHtml`<form method="post" action="${addresses.publishDeployment(project.id, id)}">
          <button type="submit">Publish</button>
        </form>`
      }
    </span>
    ${error !== undefined && safeHtml`<p class="soft">${error}</p>`}
  </li>`;
}

function renderSiteForm(addresses: Addresses, { project, site }: PublishedSiteView): SafeHtml {
  const option = (value: Site["visibility"], text: string) =>
    safeHtml`<option value="${value}" ${site.visibility === value && safeHtml`selected`}>
      ${text}
    </option>`;
  return safeHtml`<details>
    <summary>Address and readers</summary>
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
  </details>`;
}
