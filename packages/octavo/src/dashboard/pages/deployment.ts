import { formatCount } from "../../core/index.ts";
import type { Deployment, DeploymentDetails } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { renderClockTime, renderRelativeTime } from "../format.ts";
import { safeHtml, type HtmlValue, type SafeHtml } from "../safe-html.ts";
import { formatActor, renderPageHead } from "./parts.ts";
import { renderDeploymentBadge } from "./site.ts";

export interface DeploymentView {
  readonly project: Pick<Project, "id" | "name">;
  readonly deployment: Deployment;
  readonly details: DeploymentDetails;
  readonly toOrigin: (label: string) => string;
}

/** The number of changed files that the page lists. */
const maxListed = 100;

const triggers: Readonly<Record<Deployment["trigger"], string>> = {
  push: "a push",
  hook: "a push that the code host reported",
  poll: "a push that the service found",
  api: "the API",
  dashboard: "the dashboard",
  upload: "an uploaded archive",
};

/** Renders one deployment: where it came from, what happened, and where it is shown. */
export function renderDeploymentPage(addresses: Addresses, view: DeploymentView): SafeHtml {
  const { project, deployment, details, toOrigin } = view;
  const { subject, commit, ref, author, trigger, pages, problems, label, error } = deployment;
  const facts: readonly (readonly [string, HtmlValue | undefined])[] = [
    ["Address", label === null ? undefined : safeHtml`<a href="${toOrigin(label)}/">${toOrigin(label)}/</a>`], // prettier-ignore
    ["Changes", label === null || deployment.isLive ? undefined : safeHtml`<a href="${toOrigin(label)}/?diff">What readers would see differently</a>`], // prettier-ignore
    ["Commit", commit === null ? undefined : safeHtml`<code>${commit}</code>`],
    ["Branch or tag", ref ?? undefined],
    ["Author", author ?? undefined],
    ["Started by", [triggers[trigger], formatActor(deployment.createdBy)]],
    ["Started", renderRelativeTime(deployment.createdAt)],
    ["Pages", pages === 0 ? undefined : pages],
    ["Problems", problems === null ? undefined : `${formatCount(problems.errors, "error")}, ${formatCount(problems.warnings, "warning")}`], // prettier-ignore
  ];
  const title = subject ?? "Deployment";
  const crumbs = [["Deployments", addresses.deployments(project.id)] as const];
  return safeHtml`${renderPageHead(crumbs, title, renderDeploymentBadge(deployment))}
    ${error !== undefined && safeHtml`<p class="notice">${error}</p>`}
    <dl class="facts">
      ${facts
        .filter(([, value]) => value !== undefined)
        .map(
          ([name, value]) =>
            safeHtml`<div>
              <dt>${name}</dt>
              <dd>${value ?? ""}</dd>
            </div>`,
        )}
    </dl>
    ${renderLog(details)} ${renderFiles(details)}`;
}

function renderLog({ log }: DeploymentDetails): SafeHtml | false {
  if (log.length === 0) return false;
  return safeHtml`<details class="log" open>
    <summary><h2>Log</h2></summary>
    <ol>
      ${log.map(({ at, text }) => safeHtml`<li>${renderClockTime(at)} <span>${text}</span></li>`)}
    </ol>
  </details>`;
}

function renderFiles({ filesChanged }: DeploymentDetails): SafeHtml | false {
  if (!filesChanged) return false;
  const files = (["added", "modified", "removed"] as const).flatMap((change) =>
    filesChanged[change].map((path) => ({ change, path })),
  );
  if (files.length === 0) return false;
  const left = files.length - maxListed;
  return safeHtml`<section aria-labelledby="files">
    <h2 id="files">Files of the commit</h2>
    <ul>
      ${files.slice(0, maxListed).map(({ change, path }) => safeHtml`<li><code>${path}</code> ${change}</li>`)}
    </ul>
    ${left > 0 && safeHtml`<p class="faint">And ${formatCount(left, "more file")}.</p>`}
  </section>`;
}
