import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { DashboardServices } from "../services.ts";
import { readForm } from "../form.ts";
import { hidden } from "../hidden.ts";
import { keysPage, longestKeyName } from "../pages/keys.ts";
import type { KeysView } from "../pages/keys.ts";
import { holderOf } from "../session/sessions.ts";
import { readBefore } from "./scope.ts";

const keysShown = 50;
/** As many as a person still finds in a list to choose from. */
const projectsOffered = 100;

const nameRule = `A key needs a name of 1 to ${longestKeyName} characters.`;
const Make = z.object({
  name: z
    .string({ error: nameRule })
    .trim()
    .min(1, nameRule)
    .max(longestKeyName, nameRule)
    .refine((name) => !name.includes("\0"), nameRule),
  projectId: z.string().trim().default(""),
});

export function addKeyPages(app: FastifyInstance, services: DashboardServices): void {
  const { keys, projects, cookie, addresses } = services;

  app.get("/keys", hidden, (request, reply) => sendKeys(services, request, { reply }));

  app.post("/keys", hidden, async (request, reply) => {
    const holder = holderOf(request);
    if (holder.projectId !== null) {
      const sentence = `You are signed in with a key that is limited to the project ${holder.projectId}; it makes no keys.`;
      throw new OctavoError("forbidden", sentence);
    }
    const { name, projectId } = readForm(Make, request.body);
    const project = projectId === "" ? undefined : await projects.get(holder, projectId);
    const scope = { organizationId: holder.organizationId, projectId: project?.id ?? null };
    // Not by way of another address: the secret is in this answer only.
    return sendKeys(services, request, { reply, made: await keys.create(scope, name) });
  });

  app.post("/keys/:keyId/revoke", hidden, async (request, reply) => {
    const holder = holderOf(request);
    const { keyId } = request.params as { readonly keyId: string };
    await keys.revoke(holder, keyId);
    if (keyId !== holder.keyId) return reply.redirect(addresses.keys, 303);
    return reply.header("set-cookie", cookie.end()).redirect(addresses.signIn, 303);
  });
}

async function sendKeys(
  { keys, projects, addresses, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, made }: { readonly reply: FastifyReply; readonly made?: KeysView["made"] },
) {
  const holder = holderOf(request);
  const [listed, offered] = await Promise.all([
    keys.list(holder, { limit: keysShown, before: readBefore(request) }),
    projects.list(holder, { limit: projectsOffered }),
  ]);
  const view: KeysView = {
    holder,
    made,
    keys: listed.items,
    next: listed.next,
    projects: offered.items,
    hasMoreProjects: offered.next !== null,
  };
  return sendPage(request, reply, {
    title: "API keys",
    section: "keys",
    main: keysPage(addresses, view),
  });
}
