import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import { memberRoles } from "../../core/index.ts";
import { requireWholeOrganization } from "../../projects/index.ts";
import { parseForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import {
  renderMembersPage,
  renderSessionsPage,
  type RejectedInvitation,
} from "../pages/members.ts";
import type { DashboardServices } from "../services.ts";
import { beginSession } from "../session/begin-session.ts";
import { getHolder } from "../session/sessions.ts";

const role = z.enum(memberRoles, "Choose a role.");
const Invitation = z.object({ email: z.string().max(300).default(""), role });
const Switch = z.object({ organizationId: z.string().max(100).default("") });
const RoleChange = z.object({ role });

export function addMemberPages(app: FastifyInstance, services: DashboardServices): void {
  const { members, addresses } = services;

  app.get("/members", createPageOptions("members.read"), (request, reply) =>
    sendMembers(services, request, reply),
  );

  app.post("/members", createPageOptions("members.manage"), async (request, reply) => {
    const holder = manager(request);
    const invitation = parseForm(Invitation, request.body);
    try {
      await members.invite(holder, invitation);
      return await reply.redirect(addresses.members, 303);
    } catch (error) {
      if (!isOctavoError(error, "invalid_input") && !isOctavoError(error, "conflict")) throw error;
      reply.code(services.toErrorResponse(error).status);
      const { email } = invitation;
      return sendMembers(services, request, reply, { email, sentence: error.message });
    }
  });

  app.post(
    "/members/:memberId/role",
    createPageOptions("members.manage"),
    async (request, reply) => {
      await members.changeRole(
        manager(request),
        memberIn(request),
        parseForm(RoleChange, request.body).role,
      );
      return reply.redirect(addresses.members, 303);
    },
  );

  app.post(
    "/members/:memberId/remove",
    createPageOptions("members.manage"),
    async (request, reply) => {
      await members.remove(manager(request), memberIn(request));
      return reply.redirect(addresses.members, 303);
    },
  );

  addSessionPages(app, services);
}

function addSessionPages(
  app: FastifyInstance,
  { sessions, members, addresses, cookie, sendPage }: DashboardServices,
): void {
  app.get("/sessions", createPageOptions("dashboard.use"), async (request, reply) => {
    const holder = getHolder(request);
    const [listed, memberships] = await Promise.all([
      sessions.list(holder),
      holder.role === null ? [] : members.memberships(holder.actor.id),
    ]);
    const view = { holder, sessions: listed, memberships };
    return sendPage(request, reply, {
      title: "Sessions",
      main: renderSessionsPage(addresses, view),
    });
  });

  app.post("/sessions/switch", createPageOptions("dashboard.use"), async (request, reply) => {
    const { organizationId } = parseForm(Switch, request.body);
    const { actor } = await members.enter(getHolder(request).actor.id, organizationId);
    await beginSession({ sessions, cookie }, request, { reply, organizationId, actor });
    return reply.redirect(addresses.projects, 303);
  });

  app.post(
    "/sessions/:sessionId/end",
    createPageOptions("dashboard.use"),
    async (request, reply) => {
      const holder = getHolder(request);
      const { sessionId } = request.params as { readonly sessionId: string };
      await sessions.end(holder, sessionId);
      if (sessionId !== holder.sessionId) return reply.redirect(addresses.sessions, 303);
      return reply.header("set-cookie", cookie.remove()).redirect(addresses.signIn, 303);
    },
  );
}

function manager(request: FastifyRequest) {
  const holder = getHolder(request);
  requireWholeOrganization(holder, "manage members");
  return holder;
}

function memberIn(request: FastifyRequest): string {
  return (request.params as { readonly memberId: string }).memberId;
}

async function sendMembers(
  { members, signIns, addresses, sendPage }: DashboardServices,
  request: FastifyRequest,
  reply: FastifyReply,
  rejected?: RejectedInvitation,
) {
  const holder = getHolder(request);
  const view = {
    holder,
    members: await members.list(holder.organizationId),
    hasProvider: signIns !== undefined,
    rejected,
  };
  return sendPage(request, reply, {
    title: "Members",
    section: "members",
    main: renderMembersPage(addresses, view),
  });
}
