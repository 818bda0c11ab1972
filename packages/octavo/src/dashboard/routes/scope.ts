import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Project, Projects, SignedInUser } from "../../projects/index.ts";
import { getSignedInUser } from "../session/sessions.ts";

/**
 * Returns the project in the path and the signed-in user. Throws `not_found` if the project is outside the user's
 * scope.
 */
export async function findProject(
  projects: Projects,
  request: FastifyRequest,
): Promise<{ readonly project: Project; readonly holder: SignedInUser }> {
  const holder = getSignedInUser(request);
  const { projectId } = request.params as { readonly projectId: string };
  return { project: await projects.get(holder, projectId), holder };
}

/** Returns a scope that is limited to one project, for the user's actions in that project. */
export function toProjectScope({ organizationId, id }: Project, holder?: SignedInUser) {
  return { organizationId, projectId: id, actor: holder?.actor };
}

const Before = z.object({ before: z.string().max(40).optional().catch(undefined) });

/** Returns the `before` parameter of the request, which selects a later page of a list. */
export function readBefore(request: FastifyRequest): string | undefined {
  return Before.parse(request.query).before;
}
