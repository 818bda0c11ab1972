import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Project, Projects, KeyHolder } from "../../projects/index.ts";
import { holderOf } from "../session/sessions.ts";

/** The project that a path names, and who asks. Throws `not_found` for one out of the key's scope. */
export async function findProject(
  projects: Projects,
  request: FastifyRequest,
): Promise<{ readonly project: Project; readonly holder: KeyHolder }> {
  const holder = holderOf(request);
  const { projectId } = request.params as { readonly projectId: string };
  return { project: await projects.get(holder, projectId), holder };
}

/** The key's scope, narrowed to one project: what is found in it belongs there. */
export function within({ organizationId, id }: Project) {
  return { organizationId, projectId: id };
}

const Before = z.object({ before: z.string().max(40).optional().catch(undefined) });

/** Where a list goes on, from a link of the page before. */
export function readBefore(request: FastifyRequest): string | undefined {
  return Before.parse(request.query).before;
}
