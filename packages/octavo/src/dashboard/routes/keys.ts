import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { DashboardServices } from "../services.ts";
import { readForm } from "../form.ts";
import { hiddenFromApiDocs } from "../hidden.ts";
import { keysPage, maxKeyNameLength } from "../pages/keys.ts";
import type { KeysView } from "../pages/keys.ts";
import { holderOf } from "../session/sessions.ts";
import { readBefore } from "./scope.ts";

const pageSize = 50;
/** A longer list is too hard to choose from. */
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
});

export function addKeyPages(app: FastifyInstance, services: DashboardServices): void {
  const { keys, projects, cookie, addresses } = services;

  app.get("/keys", hiddenFromApiDocs, (request, reply) => sendKeys(services, request, { reply }));

  app.post("/keys", hiddenFromApiDocs, async (request, reply) => {
    const holder = holderOf(request);
    if (holder.projectId !== null) {
      const sentence = `You are signed in with a key that is limited to the project ${holder.projectId}; it cannot create keys.`;
      throw new OctavoError("forbidden", sentence);
    }
    const { name, projectId } = readForm(NewKey, request.body);
    const project = projectId === "" ? undefined : await projects.get(holder, projectId);
    const scope = { organizationId: holder.organizationId, projectId: project?.id ?? null };
    // Not through a redirect: only this response contains the secret.
    return sendKeys(services, request, { reply, created: await keys.create(scope, name) });
  });

  app.post("/keys/:keyId/revoke", hiddenFromApiDocs, async (request, reply) => {
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
  { reply, created }: { readonly reply: FastifyReply; readonly created?: KeysView["created"] },
) {
  const holder = holderOf(request);
  const [listed, offered] = await Promise.all([
    keys.list(holder, { limit: pageSize, before: readBefore(request) }),
    projects.list(holder, { limit: maxOfferedProjects }),
  ]);
  const view: KeysView = {
    holder,
    created,
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
