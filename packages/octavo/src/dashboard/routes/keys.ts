import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import {
  accessScopes,
  hasRight,
  requireGrantable,
  requireRight,
  type AccessScope,
} from "../../core/index.ts";
import type { DashboardServices } from "../services.ts";
import { parseForm, tryForm, type RefusedForm } from "../form.ts";
import { maxKeyNameLength } from "../../projects/index.ts";
import type { ApiKey, SignedInUser, Keys, Project } from "../../projects/index.ts";
import { createPageOptions } from "../page-rights.ts";
import { getSignedInUser } from "../session/sessions.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { renderDay, renderRelativeTime } from "../format.ts";
import {
  formatActor,
  renderCopyableText,
  renderEmptyNote,
  renderField,
  renderFieldRefusal,
  renderOlderLink,
  renderPageHead,
  renderStatusBadge,
} from "../pages/parts.ts";
import { readBefore } from "./project-page.ts";

interface KeysView {
  readonly user: SignedInUser;
  readonly keys: readonly ApiKey[];
  readonly next: string | null;
  /** The newest projects, which the form offers. The form also accepts the ID of any other project. */
  readonly projects: readonly Project[];
  readonly hasMoreProjects: boolean;
  /** A key that was just created. Its secret is shown only on this page. */
  readonly created?: (ApiKey & { readonly secret: string }) | undefined;
  readonly refused?: RefusedForm | undefined;
}

function renderKeysPage(addresses: Addresses, view: KeysView): SafeHtml {
  const { keys, next, created } = view;
  return safeHtml`${renderPageHead([], "API keys")} ${created && renderCreatedKey(created)}
    ${renderCreateForm(addresses, view)}
    <section aria-labelledby="keys">
      <h2 id="keys">Active keys</h2>
      <ul class="rows">
        ${keys.map((key) => renderKeyRow(addresses, view, key))}
      </ul>
      ${renderOlderLink(addresses.keys, next, "Older keys")}
    </section>
    ${renderProjectIds(addresses, view)}`;
}

function renderCreatedKey({
  name,
  secret,
}: {
  readonly name: string;
  readonly secret: string;
}): SafeHtml {
  return safeHtml`<section class="card made" aria-labelledby="made">
    <h2 id="made">The key ${name}</h2>
    <p>Copy it now. It will not be shown again.</p>
    <p>${renderCopyableText(secret, "the key")}</p>
  </section>`;
}

function renderCreateForm(
  addresses: Addresses,
  { user, projects, hasMoreProjects, refused }: KeysView,
): SafeHtml {
  const isPerson = user.memberId !== null;
  const canManage = hasRight(user, "keys.manage");
  if (user.projectId !== null || (!isPerson && !canManage)) {
    const limitation =
      user.projectId === null ? "lacks the scope admin" : "is limited to one project";
    return safeHtml`<p class="notice">
      You are signed in with a key that ${limitation}; it cannot create keys.
    </p>`;
  }
  return safeHtml`<section class="card" aria-labelledby="make">
    <h2 id="make">Create a key</h2>
    ${
      isPerson &&
      safeHtml`<p class="soft">Your own key cannot do more than you can, and it stops working when your membership ends.</p>`
    }
    <form class="inline" method="post" action="${addresses.keys}">
      ${renderField({ name: "name", label: "Name", placeholder: "What it is for", isRequired: true, maxLength: maxKeyNameLength, refused })}
      ${
        hasMoreProjects
          ? renderField({ name: "projectId", label: "Limited to", placeholder: "A project ID, or empty", refused }) // prettier-ignore
          : renderProjectChoice(projects, refused)
      }
      ${
        isPerson &&
        canManage &&
        safeHtml`<div>
          <label for="owner">Belongs to</label>
          <select id="owner" name="owner">
            <option value="person">you</option>
            <option value="organization">the organization</option>
          </select>
        </div>`
      }
      ${renderScopeBoxes(user, refused)}
      ${renderField({ name: "expires", label: "Expires after", type: "date", value: suggestLastDay(), isNarrow: true, refused })}
      <button class="primary" type="submit">Create</button>
    </form>
  </section>`;
}

const scopeDescriptions: Readonly<Record<AccessScope, string>> = {
  read: "see everything",
  export: "start exports",
  agent: "run agent jobs, change repositories",
  admin: "manage projects and keys",
};

/** The scopes of a new key unless its creator chooses others: enough to read and to export. */
const suggestedScopes: readonly AccessScope[] = ["read", "export"];
const suggestedDays = 90;

function suggestLastDay(): string {
  return new Date(Date.now() + suggestedDays * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}

/**
 * Renders the scopes to choose from. Only the user's own scopes are offered, because a key cannot have more rights than
 * its creator.
 */
function renderScopeBoxes({ scopes }: SignedInUser, refused: RefusedForm | undefined): SafeHtml {
  const chosen = refused ? [refused.sentFields["scopes"]].flat() : suggestedScopes;
  return safeHtml`<fieldset class="scopes">
    <legend>The key may</legend>
    ${renderFieldRefusal(refused, { name: "scopes", label: "May" })}
    ${accessScopes.map(
      (scope) =>
        scopes.includes(scope) &&
        safeHtml`<label
          ><input type="checkbox" name="scopes" value="${scope}" ${chosen.includes(scope) && safeHtml`checked`} />
          <span><code>${scope}</code> ${scopeDescriptions[scope]}</span></label
        >`,
    )}
  </fieldset>`;
}

function renderProjectChoice(
  projects: readonly Project[],
  refused: RefusedForm | undefined,
): SafeHtml {
  const chosen = refused?.sentFields["projectId"];
  return safeHtml`<div>
    <label for="projectId">Limited to</label>
    <select id="projectId" name="projectId">
      <option value="">The whole organization</option>
      ${projects.map(
        ({ id, name, domain }) =>
          safeHtml`<option value="${id}" ${id === chosen && safeHtml`selected`}>${name} (${domain})</option>`,
      )}
    </select>
  </div>`;
}

function renderKeyRow(addresses: Addresses, { user }: KeysView, key: ApiKey): SafeHtml {
  const isOwn = key.id === user.actor.id;
  return safeHtml`<li class="row key">
    <div class="row-main">
      <span class="row-title">${key.name}</span>
      ${isOwn && renderStatusBadge("own", "your session")}
    </div>
    <span class="row-facts">
      <code>${key.prefix}…</code>
      ${key.memberId !== null && safeHtml`<span>personal</span>`}
      <span
        >${key.projectId === null ? "whole organization" : safeHtml`only <code>${key.projectId}</code>`}</span
      >
      <span>${key.scopes.length === accessScopes.length ? "all scopes" : key.scopes.join(", ")}</span>
      ${key.expiresAt && safeHtml`<span>expires ${renderDay(key.expiresAt)}</span>`}
      <span>created ${renderRelativeTime(key.createdAt)}${formatActor(key.createdBy)}</span>
      <span>${key.lastUsedAt ? safeHtml`used ${renderRelativeTime(key.lastUsedAt)}` : "never used"}</span>
    </span>
    <details class="revoke">
      <summary>Revoke…</summary>
      <form method="post" action="${addresses.revokeKey(key.id)}">
        <p>
          Requests with this key are refused within a second${isOwn && ", and you are signed out"}.
        </p>
        <button class="danger" type="submit">Revoke ${key.name}</button>
      </form>
    </details>
  </li>`;
}

function renderProjectIds(addresses: Addresses, { projects, hasMoreProjects }: KeysView): SafeHtml {
  return safeHtml`<section aria-labelledby="ids">
    <h2 id="ids">Project IDs</h2>
    <p class="soft">The API's calls for agent jobs require a project ID.</p>
    ${projects.length === 0 && renderEmptyNote("No projects yet.")}
    <ul class="rows">
      ${projects.map(
        ({ id, name, domain }) =>
          safeHtml`<li class="row">
            <div class="row-main">
              <a class="row-title" href="${addresses.project(id)}">${name}</a>
              <span class="faint">${domain}</span>
            </div>
            ${renderCopyableText(id, `the ID of ${name}`)}
          </li>`,
      )}
    </ul>
    ${hasMoreProjects && safeHtml`<p class="older"><a href="${addresses.projects}">All projects</a></p>`}
  </section>`;
}

const pageSize = 50;
/** The maximum number of projects to choose from. A longer list would be hard to use. */
const maxOfferedProjects = 100;

const nameRule = `A key needs a name of 1 to ${maxKeyNameLength} characters.`;
const NewKey = z.object({
  name: z
    .string({ error: nameRule })
    .trim()
    .min(1, nameRule)
    .max(maxKeyNameLength, nameRule)
    .refine((name) => !name.includes("\0"), nameRule),
  projectId: z.string().trim().default(""),
  owner: z.enum(["person", "organization"]).optional().catch(undefined),
  scopes: z
    .preprocess((given) => [given].flat(), z.array(z.enum(accessScopes)))
    .catch([])
    .refine((scopes) => scopes.length > 0, "Choose at least one permission for the key."),
  expires: z
    .union([z.literal(""), z.iso.date("Enter the day on which the key expires as a date.")])
    .default("")
    .transform((day) => (day === "" ? undefined : getEndOfDay(day)))
    .refine(
      (end) => end === undefined || end.getTime() > Date.now(),
      "The key's last day must not be in the past.",
    ),
});

/** Returns the last second of a day in UTC, until which the key works. */
function getEndOfDay(day: string): Date {
  return new Date(Date.parse(day) + 24 * 60 * 60 * 1000 - 1000);
}

export function addKeyPages(app: FastifyInstance, services: DashboardServices): void {
  const { keys, projects, cookie, addresses } = services;

  app.get("/keys", createPageOptions("keys.own"), (request, reply) =>
    sendKeys(services, request, { reply }),
  );

  app.post("/keys", createPageOptions("keys.own"), async (request, reply) => {
    const user = getSignedInUser(request);
    if (user.projectId !== null) {
      const sentence = `You are signed in with a key that is limited to the project ${user.projectId}; it cannot create keys.`;
      throw new OctavoError("forbidden", sentence);
    }
    const attempt = await tryForm(services, { request, reply, field: "name" }, async () => {
      const form = parseForm(NewKey, request.body);
      const { name, projectId, scopes, owner, expires: expiresAt } = form;
      const project = projectId === "" ? undefined : await projects.get(user, projectId);
      const { organizationId, actor } = user;
      const scope = { organizationId, projectId: project?.id ?? null, actor };
      // A person's keys are their own; keys of the organization need a user who may manage them.
      const memberId = owner === "organization" ? undefined : (user.memberId ?? undefined);
      if (memberId === undefined) requireRight(user, "keys.manage");
      requireGrantable(user, scopes);
      return await keys.create(scope, name, { scopes, expiresAt, memberId });
    });
    // This response cannot be a redirect because only it contains the secret.
    return sendKeys(services, request, {
      reply,
      created: attempt.result,
      refused: attempt.refused,
    });
  });

  app.post("/keys/:keyId/revoke", createPageOptions("keys.own"), async (request, reply) => {
    const user = getSignedInUser(request);
    const { keyId } = request.params as { readonly keyId: string };
    await keys.revoke(user, keyId);
    if (keyId !== user.actor.id) return reply.redirect(addresses.keys, 303);
    return reply.header("set-cookie", cookie.remove()).redirect(addresses.signIn, 303);
  });
}

/** Lists all keys in the scope of a user who may manage keys. Other users see only their own keys. */
function listKeys(keys: Keys, user: SignedInUser, before: string | undefined) {
  const page = { limit: pageSize, before };
  const canSeeAll = hasRight(user, "keys.manage");
  return keys.list(user, canSeeAll ? page : { ...page, actor: user.actor });
}

async function sendKeys(
  { keys, projects, addresses, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, ...rest }: { readonly reply: FastifyReply } & Pick<KeysView, "created" | "refused">,
) {
  const user = getSignedInUser(request);
  const [keysPage, projectsPage] = await Promise.all([
    listKeys(keys, user, readBefore(request)),
    projects.list(user, { limit: maxOfferedProjects }),
  ]);
  const view: KeysView = {
    ...rest,
    user,
    keys: keysPage.items,
    next: keysPage.next,
    projects: projectsPage.items,
    hasMoreProjects: projectsPage.next !== null,
  };
  return sendPage(request, reply, {
    title: "API keys",
    section: "keys",
    main: renderKeysPage(addresses, view),
  });
}
