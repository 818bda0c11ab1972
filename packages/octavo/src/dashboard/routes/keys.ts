import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { accessScopes, hasRight, requireGrantable, requireRight } from "../../core/index.ts";
import type { DashboardServices } from "../services.ts";
import { parseForm } from "../form.ts";
import type { Holder, Keys } from "../../projects/index.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderKeysPage, maxKeyNameLength } from "../pages/keys.ts";
import type { KeysView } from "../pages/keys.ts";
import { getHolder } from "../session/sessions.ts";
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
  scopes: z
    .preprocess((given) => [given].flat(), z.array(z.enum(accessScopes)))
    .catch([])
    .refine((scopes) => scopes.length > 0, "Choose at least one permission for the key."),
  expires: z
    .union([z.literal(""), z.iso.date()], "The key's last day must be a date.")
    .default("")
    .transform((day) => (day === "" ? undefined : endOfDay(day))),
});

/** Returns the end of a day in UTC: the key works until one second before the next day begins. */
function endOfDay(day: string): Date {
  return new Date(Date.parse(day) + 24 * 60 * 60 * 1000 - 1000);
}

export function addKeyPages(app: FastifyInstance, services: DashboardServices): void {
  const { keys, projects, cookie, addresses } = services;

  app.get("/keys", createPageOptions("keys.own"), (request, reply) =>
    sendKeys(services, request, { reply }),
  );

  app.post("/keys", createPageOptions("keys.own"), async (request, reply) => {
    const holder = getHolder(request);
    if (holder.projectId !== null) {
      const sentence = `You are signed in with a key that is limited to the project ${holder.projectId}; it cannot create keys.`;
      throw new OctavoError("forbidden", sentence);
    }
    const { name, projectId, scopes, expires: expiresAt } = parseForm(NewKey, request.body);
    const project = projectId === "" ? undefined : await projects.get(holder, projectId);
    const { organizationId, actor } = holder;
    const scope = { organizationId, projectId: project?.id ?? null, actor };
    // A person's keys are their own; keys of the organization need a user who may manage them.
    const memberId = holder.role === null ? undefined : actor.id;
    if (memberId === undefined) requireRight(holder, "keys.manage");
    requireGrantable(holder, scopes);
    // Not a redirect: only this response contains the secret.
    const created = await keys.create(scope, name, { scopes, expiresAt, memberId });
    return sendKeys(services, request, { reply, created });
  });

  app.post("/keys/:keyId/revoke", createPageOptions("keys.own"), async (request, reply) => {
    const holder = getHolder(request);
    const { keyId } = request.params as { readonly keyId: string };
    await keys.revoke(holder, keyId);
    if (keyId !== holder.actor.id) return reply.redirect(addresses.keys, 303);
    return reply.header("set-cookie", cookie.remove()).redirect(addresses.signIn, 303);
  });
}

/** Lists all keys in the scope of users who may manage them; other users see only their own keys. */
function listKeys(keys: Keys, holder: Holder, before: string | undefined) {
  const page = { limit: pageSize, before };
  const isAll = hasRight(holder, "keys.manage");
  return keys.list(holder, isAll ? page : { ...page, actor: holder.actor });
}

async function sendKeys(
  { keys, projects, addresses, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, created }: { readonly reply: FastifyReply; readonly created?: KeysView["created"] },
) {
  const holder = getHolder(request);
  const [listed, offered] = await Promise.all([
    listKeys(keys, holder, readBefore(request)),
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
    main: renderKeysPage(addresses, view),
  });
}
