import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hostedRepository } from "../../core/index.ts";
import type { Hosting } from "../../hosting/index.ts";
import type { Records } from "../../node/index.ts";

/** Octavo's own manual, which is a site like others: beside the packages in the repository, in the package where it is installed. */
function manualFolder(): string {
  const installed = fileURLToPath(new URL("../../manual", import.meta.url));
  return existsSync(installed)
    ? installed
    : fileURLToPath(new URL("../../../../../docs", import.meta.url));
}

const domain = "demo.localhost";

export interface DemoOptions {
  readonly records: Records;
  readonly hosting: Hosting;
  readonly organizationId: string;
}

/** Makes a project whose repository the service hosts, with the manual in it; gives back its domain. */
export async function createDemo(options: DemoOptions): Promise<string> {
  const { records, hosting, organizationId } = options;
  const project = await records.projects.create(organizationId, {
    name: "Octavo's manual",
    domain,
    repository: hostedRepository,
  });
  await hosting.importFolder(project.id, manualFolder(), "Bring the manual of Octavo");
  return domain;
}

/** The domain of the project that an earlier start made, as long as it is there. */
export async function findDemo({ organizations, projects }: Records): Promise<string | undefined> {
  for (const { id } of await organizations.list()) {
    const scope = { organizationId: id, projectId: null };
    if (await projects.findByDomain(scope, domain)) return domain;
  }
  return undefined;
}

/** Lines for a POSIX shell, to be run one after the other. Each shows the service's response. */
export function demoCommands(demo: {
  readonly url: string;
  readonly keyFile: string;
  readonly domain: string;
}): string[] {
  const key = `-H "Authorization: Bearer $(cat '${demo.keyFile.replaceAll("'", String.raw`'\''`)}')"`;
  const jobs = `${demo.url}/v1/static-export/jobs`;
  const body = `-H "Content-Type: application/json" -d '{"domain":"${demo.domain}"}'`;
  return [
    `job=$(curl -sS ${jobs} ${key} ${body}); echo "$job"; id=$(echo "$job" | grep -o 'se_[0-9a-z]*' | head -n 1)`,
    // The stream of events ends with the job; its last event is what counts.
    `curl -sSN ${jobs}/$id/events ${key} -w '\\n' | tail -n 3`,
    `bundle=$(curl -sS -X POST ${jobs}/$id/bundle ${key}); echo "$bundle"; curl -sSfo demo.tar.gz "$(echo "$bundle" | grep -o 'http[^"]*')" && ls -l demo.tar.gz`,
  ];
}
