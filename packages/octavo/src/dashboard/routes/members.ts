import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { hasRight, memberRoles, type MemberRole } from "../../core/index.ts";
import type { SignedInUser } from "../../projects/index.ts";
import { parseForm, tryForm, type RefusedForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import type { DashboardServices } from "../services.ts";
import { beginSession, getSignedInUser } from "../session/sessions.ts";
import {
  createdKinds,
  type CreatedKind,
  type Member,
  type MemberBelongings,
  type Membership,
  type Session,
} from "../../people/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { renderRelativeTime } from "../format.ts";
import {
  formatActor,
  renderEmptyNote,
  renderField,
  renderPageHead,
  renderStatusBadge,
} from "../pages/parts.ts";

const role = z.enum(memberRoles, "Choose a role.");
const Invitation = z.object({ email: z.string().max(300).default(""), role });
const OrganizationSwitch = z.object({ organizationId: z.string().max(100).default("") });
const Removal = z.object({
  also: z.preprocess((given) => [given ?? []].flat(), z.array(z.enum(createdKinds))),
});
const RoleChange = z.object({ role });

export function addMemberPages(app: FastifyInstance, services: DashboardServices): void {
  const { members, addresses } = services;

  app.get("/members", createPageOptions("members.read"), (request, reply) =>
    sendMembers(services, request, reply),
  );

  app.post("/members", createPageOptions("members.manage"), async (request, reply) => {
    const user = getSignedInUser(request);
    const { refused } = await tryForm(services, { request, reply, field: "email" }, async () =>
      members.invite(user, parseForm(Invitation, request.body)),
    );
    if (refused) return sendMembers(services, request, reply, refused);
    return reply.redirect(addresses.members, 303);
  });

  app.post(
    "/members/:memberId/role",
    createPageOptions("members.manage"),
    async (request, reply) => {
      await members.changeRole(
        getSignedInUser(request),
        getMemberId(request),
        parseForm(RoleChange, request.body).role,
      );
      return reply.redirect(addresses.members, 303);
    },
  );

  const removal = createPageOptions("members.manage");
  app.get("/members/:memberId/remove", removal, async (request, reply) => {
    const { organizationId } = getSignedInUser(request);
    const belongings = await members.listBelongings(organizationId, getMemberId(request));
    return services.sendPage(request, reply, {
      title: `Remove ${belongings.member.name}`,
      section: "members",
      main: renderRemovalPage(addresses, belongings),
    });
  });

  app.post("/members/:memberId/remove", removal, async (request, reply) => {
    const { also } = parseForm(Removal, request.body);
    await members.remove(getSignedInUser(request), getMemberId(request), also);
    return reply.redirect(addresses.members, 303);
  });

  addSessionPages(app, services);
}

function addSessionPages(
  app: FastifyInstance,
  { sessions, members, addresses, cookie, sendPage }: DashboardServices,
): void {
  app.get("/sessions", createPageOptions("dashboard.use"), async (request, reply) => {
    const user = getSignedInUser(request);
    const [openSessions, memberships] = await Promise.all([
      sessions.list(user),
      user.role === null ? [] : members.listMemberships(user.actor.id),
    ]);
    const view = { user, sessions: openSessions, memberships };
    return sendPage(request, reply, {
      title: "Sessions",
      main: renderSessionsPage(addresses, view),
    });
  });

  app.post("/sessions/switch", createPageOptions("dashboard.use"), async (request, reply) => {
    const { organizationId } = parseForm(OrganizationSwitch, request.body);
    const { actor } = await members.switchOrganization(
      getSignedInUser(request).actor.id,
      organizationId,
    );
    await beginSession({ sessions, cookie }, request, { reply, organizationId, actor });
    return reply.redirect(addresses.projects, 303);
  });

  app.post(
    "/sessions/:sessionId/end",
    createPageOptions("dashboard.use"),
    async (request, reply) => {
      const user = getSignedInUser(request);
      const { sessionId } = request.params as { readonly sessionId: string };
      await sessions.end(user, sessionId);
      if (sessionId !== user.sessionId) return reply.redirect(addresses.sessions, 303);
      return reply.header("set-cookie", cookie.remove()).redirect(addresses.signIn, 303);
    },
  );
}

function getMemberId(request: FastifyRequest): string {
  return (request.params as { readonly memberId: string }).memberId;
}

async function sendMembers(
  { members, signIns, addresses, sendPage }: DashboardServices,
  request: FastifyRequest,
  reply: FastifyReply,
  refused?: RefusedForm,
) {
  const user = getSignedInUser(request);
  const view = {
    user,
    members: await members.list(user.organizationId),
    hasProvider: signIns !== undefined,
    refused,
  };
  return sendPage(request, reply, {
    title: "Members",
    section: "members",
    main: renderMembersPage(addresses, view),
  });
}

interface MembersView {
  readonly user: SignedInUser;
  readonly members: readonly Member[];
  /** Whether a sign-in provider is configured. */
  readonly hasProvider: boolean;
  readonly refused: RefusedForm | undefined;
}

const roleDescriptions: Readonly<Record<MemberRole, string>> = {
  owner: "like an editor, and manages projects, keys and members",
  editor: "exports, agent jobs, merges",
  viewer: "sees everything, changes nothing",
};

function renderMembersPage(addresses: Addresses, view: MembersView): SafeHtml {
  const { user, members, hasProvider } = view;
  const canManage = hasRight(user, "members.manage");
  return safeHtml`${renderPageHead([], "Members")}
    ${
      !hasProvider &&
      safeHtml`<p class="notice">
        People sign in with an OpenID Connect provider, which is not configured yet. Set
        <code>OCTAVO_OIDC_ISSUER</code>, <code>OCTAVO_OIDC_CLIENT_ID</code> and
        <code>OCTAVO_OIDC_CLIENT_SECRET</code>.
      </p>`
    }
    ${canManage && renderInvitationForm(addresses, view)}
    <section aria-labelledby="members">
      <h2 id="members">People</h2>
      ${members.length === 0 && renderEmptyNote("No members yet. For now, you can only sign in with an API key.")}
      <ul class="rows">
        ${members.map((member) => renderMemberRow(addresses, { user, canManage }, member))}
      </ul>
    </section>`;
}

function renderInvitationForm(addresses: Addresses, { refused }: MembersView): SafeHtml {
  return safeHtml`<section class="card" aria-labelledby="invite">
    <h2 id="invite">Invite</h2>
    <p class="soft">
      No email is sent. The invited person becomes a member by signing in with this verified address.
    </p>
    <form class="inline" method="post" action="${addresses.members}">
      ${renderField({ name: "email", label: "Email address", type: "email", isRequired: true, maxLength: 300, refused })}
      <div>
        <label for="role">Role</label>
        ${renderRoleChoice("role", "viewer")}
      </div>
      <button class="primary" type="submit">Invite</button>
    </form>
  </section>`;
}

function renderRoleChoice(id: string, chosen: MemberRole): SafeHtml {
  return safeHtml`<select id="${id}" name="role">
    ${memberRoles.map(
      (role) =>
        safeHtml`<option value="${role}" ${role === chosen && "selected"}>
          ${role}: ${roleDescriptions[role]}
        </option>`,
    )}
  </select>`;
}

const sourceTexts: Readonly<Record<Member["source"], string>> = {
  invited: "invited",
  groups: "by the provider's groups",
  domain: "by the address's domain",
};

function renderMemberRow(
  addresses: Addresses,
  { user, canManage }: { readonly user: SignedInUser; readonly canManage: boolean },
  member: Member,
): SafeHtml {
  const isOwn = member.id === user.actor.id;
  return safeHtml`<li class="row key">
    <div class="row-main">
      <span class="row-title">${member.name}</span>
      ${renderStatusBadge(member.role)} ${isOwn && renderStatusBadge("own", "you")}
    </div>
    <span class="row-facts">
      ${member.email !== null && member.email !== member.name && safeHtml`<span>${member.email}</span>`}
      <span>${sourceTexts[member.source]}${formatActor(member.createdBy)}</span>
      <span
        >${
          member.lastSeenAt
            ? safeHtml`signed in ${renderRelativeTime(member.lastSeenAt)}`
            : "has not signed in yet"
        }</span
      >
    </span>
    ${canManage && renderMemberActions(addresses, member)}
  </li>`;
}

function renderMemberActions(addresses: Addresses, { id, name, role }: Member): SafeHtml {
  return safeHtml`<details class="revoke">
    <summary>Change…</summary>
    <form class="inline" method="post" action="${addresses.member(id)}/role">
      <div>
        <label for="role-${id}">Role of ${name}</label>
        ${renderRoleChoice(`role-${id}`, role)}
      </div>
      <button type="submit">Save</button>
    </form>
    <p><a href="${addresses.member(id)}/remove">Remove ${name}…</a></p>
  </details>`;
}

const createdTitles: Readonly<Record<CreatedKind, string>> = {
  keys: "API keys of the organization",
  invitations: "invitations that were not accepted",
  webhooks: "webhooks",
};

function renderRemovalPage(addresses: Addresses, belongings: MemberBelongings): SafeHtml {
  const { member, sessionCount, ownKeys, created } = belongings;
  const kinds = createdKinds.filter((kind) => created[kind].length > 0);
  return safeHtml`${renderPageHead([["Members", addresses.members]], `Remove ${member.name}`)}
    <form class="card" method="post" action="${addresses.member(member.id)}/remove">
      <h2>Ends with the membership</h2>
      <p>
        ${sessionCount === 1 ? "1 session" : `${sessionCount} sessions`}, and
        ${ownKeys.length === 0 ? "no API keys" : safeHtml`the API keys ${ownKeys.join(", ")}`}.
      </p>
      ${
        kinds.length > 0 &&
        safeHtml`<fieldset>
          <legend>Created by ${member.name} for the organization. Choose what else to remove:</legend>
          ${kinds.map(
            (kind) => safeHtml`<p>
              <label
                ><input type="checkbox" name="also" value="${kind}" />
                ${createdTitles[kind]}: ${created[kind].join(", ")}</label
              >
            </p>`,
          )}
        </fieldset>`
      }
      <button class="danger" type="submit">Remove ${member.name}</button>
    </form>`;
}

interface SessionsView {
  readonly user: SignedInUser;
  readonly sessions: readonly Session[];
  /** The memberships of the signed-in person; empty if the user signed in with a key. */
  readonly memberships: readonly Membership[];
}

function renderSessionsPage(
  addresses: Addresses,
  { user, sessions, memberships }: SessionsView,
): SafeHtml {
  return safeHtml`${renderPageHead([], "Sessions")}
    <p class="soft">The browsers where you are signed in. A session ends after 12 hours, or when you end it.</p>
    <ul class="rows">
      ${sessions.map((session) => renderSessionRow(addresses, user, session))}
    </ul>
    ${memberships.length > 1 && renderOrganizationList(addresses, user, memberships)}`;
}

function renderOrganizationList(
  addresses: Addresses,
  user: SignedInUser,
  memberships: readonly Membership[],
): SafeHtml {
  return safeHtml`<section aria-labelledby="organizations">
    <h2 id="organizations">Your organizations</h2>
    <ul class="rows">
      ${memberships.map(({ organizationId, organizationName, role }) => {
        const isCurrent = organizationId === user.organizationId;
        return safeHtml`<li class="row key">
          <div class="row-main">
            <span class="row-title">${organizationName}</span>
            ${renderStatusBadge(role)} ${isCurrent && renderStatusBadge("own", "this session")}
          </div>
          ${
            !isCurrent &&
            safeHtml`<form method="post" action="${addresses.sessions}/switch">
              <input type="hidden" name="organizationId" value="${organizationId}" />
              <button type="submit" aria-label="Switch to ${organizationName}">Switch</button>
            </form>`
          }
        </li>`;
      })}
    </ul>
  </section>`;
}

function renderSessionRow(addresses: Addresses, user: SignedInUser, session: Session): SafeHtml {
  const isOwn = session.id === user.sessionId;
  return safeHtml`<li class="row key">
    <div class="row-main">
      <span class="row-title">${session.name}</span>
      ${isOwn && renderStatusBadge("own", "this browser")}
    </div>
    <span class="row-facts">
      <span>${detectBrowserName(session.browser)}</span>
      <span>from ${session.address}</span>
      <span>since ${renderRelativeTime(session.createdAt)}</span>
      <span>active ${renderRelativeTime(session.seenAt)}</span>
    </span>
    <form method="post" action="${addresses.session(session.id)}/end">
      <button type="submit">${isOwn ? "Sign out" : "End"}</button>
    </form>
  </li>`;
}

/** Returns the browser's name from its user agent. */
function detectBrowserName(text: string): string {
  const names = ["Firefox", "Edg", "OPR", "Chrome", "Safari"];
  const browserName = names.find((name) => text.includes(`${name}/`));
  if (browserName === undefined) return text.slice(0, 40) || "unknown browser";
  return { Edg: "Edge", OPR: "Opera" }[browserName] ?? browserName;
}
