import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hasRight, hostedRepository } from "../../core/index.ts";
import type { Project } from "../../projects/index.ts";
import type { HookDelivery, HookSender, ProjectHook } from "../../publish/index.ts";
import type { Addresses } from "../addresses.ts";
import { formatShortCommit, renderRelativeTime } from "../format.ts";
import { createPageOptions } from "../page-rights.ts";
import {
  renderCopyableText,
  renderEmptyNote,
  renderPageHead,
  renderStatusBadge,
} from "../pages/parts.ts";
import { renderSettingsNav, findProject, sendProjectPage, toProjectScope } from "./project-page.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import type { DashboardServices } from "../services.ts";

/** Adds the page on which people connect the code host of a project. */
export function addHookPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, hooks, addresses } = services;
  const path = "/projects/:projectId/hook";

  app.get(path, createPageOptions("deployments.read"), (request, reply) =>
    sendHook(services, request, { reply }),
  );
  app.post(path, createPageOptions("projects.write"), async (request, reply) => {
    const { project, user } = await findProject(projects, request);
    const renewal = await hooks.renew(toProjectScope(project, user), project);
    // This response cannot be a redirect because only it contains the secret.
    return sendHook(services, request, { reply, renewal });
  });
  app.post(`${path}/delete`, createPageOptions("projects.write"), async (request, reply) => {
    const { project, user } = await findProject(projects, request);
    await hooks.remove(toProjectScope(project, user), project);
    return reply.redirect(addresses.hook(project.id), 303);
  });
}

async function sendHook(
  services: DashboardServices,
  request: FastifyRequest,
  { reply, renewal }: { readonly reply: FastifyReply; readonly renewal?: HookView["renewal"] },
) {
  const { projects, hooks, addresses, baseUrl } = services;
  const { project, user } = await findProject(projects, request);
  const hook = await hooks.find(project.id);
  return sendProjectPage(services, request, reply, {
    project,
    tab: "settings",
    title: "Pushes",
    main: renderHookPage(addresses, {
      project,
      hook,
      url: hook && `${baseUrl()}/hooks/${hook.id}`,
      renewal,
      canChange: hasRight(user, "projects.write"),
    }),
  });
}

interface HookView {
  readonly project: Pick<Project, "id" | "name" | "repository">;
  readonly hook: ProjectHook | undefined;
  /** The address of the hook, for the code host. */
  readonly url: string | undefined;
  /**
   * The new secret, which only this page shows. `problem` is the reason if the hook could not be set up at the code
   * host.
   */
  readonly renewal?: { readonly secret: string; readonly problem: string | null } | undefined;
  readonly canChange: boolean;
}

/** Renders how the code host of a project reports pushes, and the reports that the service received. */
function renderHookPage(addresses: Addresses, view: HookView): SafeHtml {
  const { project, hook, canChange } = view;
  const address = addresses.hook(project.id);
  const head = safeHtml`${canChange && renderSettingsNav(addresses, project, "pushes")} ${renderPageHead([], "Pushes")}`;
  if (project.repository === hostedRepository && !hook) {
    return safeHtml`${head}
      <p>This service hosts the repository, so it receives each push directly. There is nothing to set up.</p>`;
  }
  return safeHtml`${head}
    <p>
      With a hook, the repository's code host reports each push, so that readers see it at once. Without one,
      the service checks for new commits every few minutes.
    </p>
    ${view.renewal && renderRenewal(view.renewal)}
    ${hook ? renderHook(view, hook) : renderEmptyNote("No hook yet.")}
    ${
      canChange &&
      safeHtml`<form method="post" action="${address}">
        <button class="${hook ? "" : "primary"}" type="submit">
          ${hook ? "Make a new secret" : "Create the hook"}
        </button>
      </form>`
    }
    ${hook && renderDeliveries(addresses, view, hook)}
    ${
      hook &&
      canChange &&
      safeHtml`<details class="revoke">
        <summary>Delete…</summary>
        <form method="post" action="${address}/delete">
          <p>Further reports from the code host will be refused.</p>
          <button class="danger" type="submit">Delete this hook</button>
        </form>
      </details>`
    }`;
}

function renderRenewal({ secret, problem }: NonNullable<HookView["renewal"]>): SafeHtml {
  if (problem === null) {
    return safeHtml`<p class="notice">The hook is set up at the code host, which now reports pushes and pull requests.</p>`;
  }
  return safeHtml`<section class="card made" aria-labelledby="made">
    <h2 id="made">The secret of the hook</h2>
    <p>Enter it at the code host now. It will not be shown again.</p>
    <p>${renderCopyableText(secret, "the secret")}</p>
    <p class="soft">The service could not set up the hook itself: ${problem}</p>
  </section>`;
}

/** The names of the fields in each code host's form. */
const formFields: readonly (readonly [host: string, where: string, fields: string])[] = [
  [
    "GitHub",
    "Settings → Webhooks → Add webhook",
    "Payload URL, Content type application/json, Secret, Pushes and Pull requests",
  ],
  [
    "GitLab",
    "Settings → Webhooks → Add new webhook",
    "URL, Signing token or Secret token, Push events and Merge request events",
  ],
  [
    "Forgejo and Gitea",
    "Settings → Webhooks → Add webhook → Forgejo or Gitea",
    "Target URL, POST content type application/json, Secret, Push events and Pull request events",
  ],
  [
    "Others",
    "",
    "any sender that signs messages as Standard Webhooks specifies, with the secret as the key",
  ],
];

function renderHook({ url }: HookView, hook: ProjectHook): SafeHtml {
  return safeHtml`<section class="card" aria-labelledby="address">
    <h2 id="address">Address</h2>
    <p>${renderCopyableText(url ?? "", "the address")}</p>
    <dl class="facts">
      ${formFields.map(
        ([host, where, fields]) => safeHtml`<div>
          <dt>${host}</dt>
          <dd>${where !== "" && safeHtml`${where}: `}${fields}</dd>
        </div>`,
      )}
    </dl>
    ${
      hook.refusedAt &&
      safeHtml`<p class="notice">
        A delivery arrived ${renderRelativeTime(hook.refusedAt)} without the correct secret and was
        refused. If it came from your code host, make a new secret and enter it there.
      </p>`
    }
  </section>`;
}

const senderNames: Readonly<Record<HookSender, string>> = {
  github: "GitHub",
  gitea: "Gitea",
  forgejo: "Forgejo",
  gitlab: "GitLab",
  standard: "Standard Webhooks",
};

function renderDeliveries(
  addresses: Addresses,
  { project }: HookView,
  { deliveries }: ProjectHook,
): SafeHtml {
  const renderDelivery = (delivery: HookDelivery) => {
    const { sender, event, branch, commit, receivedAt, deploymentId, reason } = delivery;
    const isStarted = reason === null;
    return safeHtml`<li class="row">
      <span class="row-main">
        ${renderStatusBadge(isStarted ? "completed" : "archived", isStarted ? "started" : "ignored")}
        <span class="row-title">${
          deploymentId === null
            ? (branch ?? event)
            : safeHtml`<a href="${addresses.deployment(project.id, deploymentId)}">${branch ?? event}</a>`
        }</span>
      </span>
      <span class="row-facts">
        <span>${senderNames[sender]}</span>
        ${commit !== null && safeHtml`<code>${formatShortCommit(commit)}</code>`}
        <span>${renderRelativeTime(receivedAt)}</span>
      </span>
      ${reason !== null && safeHtml`<p class="soft">${reason}</p>`}
    </li>`;
  };
  return safeHtml`<section aria-labelledby="deliveries">
    <h2 id="deliveries">Last deliveries</h2>
    ${deliveries.length === 0 && renderEmptyNote("Nothing has arrived yet. Code hosts can send a test.")}
    <ul class="rows">
      ${deliveries.map(renderDelivery)}
    </ul>
  </section>`;
}
