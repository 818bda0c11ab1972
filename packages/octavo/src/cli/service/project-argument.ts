import { OctavoError } from "@octavo/site/core";
import type { Client } from "../../client/index.ts";
import { toHostName } from "../../core/index.ts";
import type { Project } from "../../projects/index.ts";
import { listAll } from "./list-all.ts";

/** The argument of commands for one project of a running service. */
export const projectArgument = [
  "<project>",
  "ID of the project, or host name of its site",
] as const;

/**
 * Returns the ID of a project that the user named by its ID or by the host name of its site. Without a name, returns
 * the only project to which the key has access.
 */
export async function findProjectId(client: Client, project: string | undefined): Promise<string> {
  if (project?.startsWith("pr_")) return encodeURIComponent(project);
  const projects = await listAll<Project>(client, "/v2/projects", "projects");
  if (project === undefined) {
    const [only, ...others] = projects;
    if (only && others.length === 0) return only.id;
    const domains = projects.slice(0, 10).map(({ domain }) => domain);
    throw new OctavoError(
      "invalid_input",
      projects.length === 0
        ? `${client.url} has no project to which this key has access. Create one with "octavo projects create".`
        : `There are several projects; choose one with --project: ${domains.join(", ")}.`,
    );
  }
  const found = projects.find(({ domain }) => domain === toHostName(project));
  if (found !== undefined) return found.id;
  throw new OctavoError(
    "not_found",
    `${client.url} has no project with the site ${project} to which this key has access.`,
  );
}
