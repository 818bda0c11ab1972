import type { FastifyReply, FastifyRequest } from "fastify";
import type { Actor } from "../../core/index.ts";
import type { DashboardServices } from "../services.ts";

export interface NewSession {
  readonly reply: FastifyReply;
  readonly organizationId: string;
  readonly actor: Actor;
}

/** Begins a new session and ends the browser's previous one. An existing session is never reused. */
export async function beginSession(
  { sessions, cookie }: Pick<DashboardServices, "sessions" | "cookie">,
  request: FastifyRequest,
  { reply, organizationId, actor }: NewSession,
): Promise<void> {
  const { holder, ip: address } = request;
  if (holder) await sessions.end(holder, holder.sessionId);
  const browser = request.headers["user-agent"] ?? "";
  const token = await sessions.begin({ organizationId, actor, address, browser });
  request.actor = actor;
  reply.header("set-cookie", cookie.set(token));
}
