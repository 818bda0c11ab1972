import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hostedRepository } from "../../core/index.ts";
import type { Hosting } from "../../hosting/index.ts";
import type { Records } from "../../node/index.ts";
import type { Project } from "../../projects/index.ts";

const domain = "demo.localhost";
const page = fileURLToPath(new URL("../../../demo/try-an-agent.mdx", import.meta.url));

/** The part of the manual's `docs.json` to which the page is added. */
interface ManualConfig {
  readonly navigation: {
    readonly tabs: readonly { readonly groups: readonly { readonly pages: string[] }[] }[];
  };
}

interface DemoOptions {
  readonly records: Records;
  readonly hosting: Hosting;
  readonly organizationId: string;
}

/**
 * Creates a project in a repository that the service hosts: the manual, and a page with mistakes that an agent can
 * correct.
 */
export async function createDemo(options: DemoOptions): Promise<Project> {
  const { records, hosting, organizationId } = options;
  const project = await records.projects.create(organizationId, {
    name: "Octavo's manual",
    domain,
    repository: hostedRepository,
  });
  const folder = await mkdtemp(join(tmpdir(), "octavo-demo-"));
  try {
    await cp(manualFolder(), folder, { recursive: true });
    await addPage(folder);
    await hosting.importFolder(project.id, folder, "Add the manual of Octavo");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return project;
}

/** Adds the page with mistakes to a copy of the manual, at the end of the first group of its navigation. */
async function addPage(folder: string): Promise<void> {
  await cp(page, join(folder, "try-an-agent.mdx"));
  const file = join(folder, "docs.json");
  const config = JSON.parse(await readFile(file, "utf8")) as ManualConfig;
  config.navigation.tabs[0]?.groups[0]?.pages.push("try-an-agent");
  await writeFile(file, `${JSON.stringify(config, null, 2)}\n`);
}

/** Returns the project that an earlier start created, if it still exists. */
export async function findDemo({ organizations, projects }: Records): Promise<Project | undefined> {
  for (const { id } of await organizations.list()) {
    const scope = { organizationId: id, projectId: null };
    const project = await projects.findByDomain(scope, domain);
    if (project) return project;
  }
  return undefined;
}

/** Returns command lines for a POSIX shell, to be run in order. Each command shows the service's response. */
export function formatDemoCommands(demo: {
  readonly url: string;
  readonly keyFile: string;
}): string[] {
  const key = `-H "Authorization: Bearer $(cat '${demo.keyFile.replaceAll("'", String.raw`'\''`)}')"`;
  const jobs = `${demo.url}/v1/static-export/jobs`;
  const body = `-H "Content-Type: application/json" -d '{"domain":"${domain}"}'`;
  return [
    `job=$(curl -sS ${jobs} ${key} ${body}); echo "$job"; id=$(echo "$job" | grep -o 'se_[0-9a-z]*' | head -n 1)`,
    // The stream of events ends when the job ends, and only its last event matters.
    `curl -sSN ${jobs}/$id/events ${key} -w '\\n' | tail -n 3`,
    `bundle=$(curl -sS -X POST ${jobs}/$id/bundle ${key}); echo "$bundle"; curl -sSfo demo.tar.gz "$(echo "$bundle" | grep -o 'http[^"]*')" && ls -l demo.tar.gz`,
  ];
}

/**
 * Returns the folder of Octavo's own manual, which is an ordinary site. In the repository, the folder is next to the
 * packages; in an installation, it is in the package.
 */
function manualFolder(): string {
  const installed = fileURLToPath(new URL("../../manual", import.meta.url));
  return existsSync(installed)
    ? installed
    : fileURLToPath(new URL("../../../../../docs", import.meta.url));
}
