import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { SiteDomain } from "../../publish/index.ts";
import type { CommandContext } from "../context.ts";
import { formatExamples } from "../flags.ts";
import { formatTable } from "../format.ts";
import { addTargetFlags, runOnTarget } from "./target-flags.ts";
import type { TargetFlags, ManagementTargets } from "./target-flags.ts";

interface DomainFlags extends TargetFlags {
  readonly json?: true;
}

/** A domain as the API or the data folder returns it. The API sends times as text. */
type ShownDomain = Pick<SiteDomain, "name" | "isCanonical" | "record" | "problem"> & {
  readonly provenAt: Date | string | null;
};

/** The domains of projects, local or remote. Throws in the same cases as `Domains`. */
interface ManagedDomains {
  add(projectId: string, name: string): Promise<ShownDomain>;
  list(projectId: string): Promise<readonly ShownDomain[]>;
  check(projectId: string, name: string): Promise<ShownDomain>;
  /** Throws `invalid_input` for a running service, because only the operator can mark a domain as proven. */
  prove(projectId: string, name: string): Promise<ShownDomain>;
  remove(projectId: string, name: string): Promise<void>;
}

const getSitePath = (projectId: string) => `/v2/projects/${encodeURIComponent(projectId)}/site`;
const getDomainPath = (projectId: string, name: string) =>
  `${getSitePath(projectId)}/domains/${encodeURIComponent(name)}`;

const domainTargets: ManagementTargets<ManagedDomains> = {
  remote: (client) => ({
    add: async (projectId, name) =>
      (await client.call("POST", `${getSitePath(projectId)}/domains`, { name })) as ShownDomain,
    async list(projectId) {
      const site = await client.call("GET", getSitePath(projectId));
      return (site as { readonly domains: readonly ShownDomain[] }).domains;
    },
    check: async (projectId, name) =>
      (await client.call("POST", `${getDomainPath(projectId, name)}/check`)) as ShownDomain,
    prove: refuseToProve,
    remove: async (projectId, name) =>
      void (await client.call("DELETE", getDomainPath(projectId, name))),
  }),
  local: ({ projects, domains }, scope) => ({
    add: async (id, name) => domains.add(scope, await projects.get(scope, id), name),
    list: async (id) => domains.list((await projects.get(scope, id)).id),
    check: async (id, name) => domains.check(scope, await projects.get(scope, id), name),
    prove: async (id, name) => domains.prove(scope, await projects.get(scope, id), name),
    remove: async (id, name) => domains.remove(scope, await projects.get(scope, id), name),
  }),
};

async function refuseToProve(): Promise<never> {
  throw new OctavoError(
    "invalid_input",
    "Only an operator with access to the service's data can mark a domain as proven. Omit --url, or create the domain's " +
      "DNS record and run domains check.",
  );
}

const projectArgument = ["<project>", "ID of the project, from `octavo projects list`"] as const;
const nameArgument = ["<domain>", "host name, such as docs.example.com"] as const;

export function defineDomains(group: Command, context: CommandContext): void {
  group
    .description(
      "Manages the domains at which readers find the published sites of projects. With --url, these are the domains " +
        "of a running service, otherwise those in the data folder.",
    )
    .addHelpText(
      "after",
      formatExamples("domains add <project> docs.example.com", "domains list <project>"),
    );

  addTargetFlags(group.command("add"))
    .summary("add a domain to a project")
    .description("Adds a domain to a project, and prints the DNS record to create for it.")
    .addHelpText("after", formatExamples("domains add <project> docs.example.com"))
    .argument(...projectArgument)
    .argument(...nameArgument)
    .option("--json", "print the result, or the error, as one JSON object")
    .action((project: string, name: string, flags: DomainFlags) =>
      runOnTarget(context, flags, domainTargets, async (domains) =>
        showDomain(context, await domains.add(project, name), flags),
      ),
    );

  addTargetFlags(group.command("list"))
    .summary("list the domains of a project")
    .description("Lists the domains of a project.")
    .addHelpText("after", formatExamples("domains list <project>"))
    .argument(...projectArgument)
    .option("--json", "print the list, or an error object, as JSON")
    .action((project: string, flags: DomainFlags) =>
      runOnTarget(context, flags, domainTargets, async (domains) =>
        listDomains(context, await domains.list(project), flags),
      ),
    );

  addTargetFlags(group.command("check"))
    .summary("look for the DNS record of a domain")
    .description("Marks a domain as proven if its DNS record exists.")
    .addHelpText("after", formatExamples("domains check <project> docs.example.com"))
    .argument(...projectArgument)
    .argument(...nameArgument)
    .option("--json", "print the result, or the error, as one JSON object")
    .action((project: string, name: string, flags: DomainFlags) =>
      runOnTarget(context, flags, domainTargets, async (domains) =>
        showDomain(context, await domains.check(project, name), flags),
      ),
    );

  addTargetFlags(group.command("prove"))
    .summary("mark a domain as proven without a DNS record")
    .description("Marks a domain as proven without a DNS record, as the service's operator.")
    .addHelpText("after", formatExamples("domains prove <project> docs.example.com"))
    .argument(...projectArgument)
    .argument(...nameArgument)
    .option("--json", "print the result, or the error, as one JSON object")
    .action((project: string, name: string, flags: DomainFlags) =>
      runOnTarget(context, flags, domainTargets, async (domains) =>
        showDomain(context, await domains.prove(project, name), flags),
      ),
    );

  addTargetFlags(group.command("remove"))
    .summary("remove a domain from a project")
    .description("Removes a domain from a project. If you add it again, prove it again.")
    .addHelpText("after", formatExamples("domains remove <project> docs.example.com"))
    .argument(...projectArgument)
    .argument(...nameArgument)
    .action((project: string, name: string, flags: DomainFlags) =>
      runOnTarget(context, flags, domainTargets, async (domains) => {
        await domains.remove(project, name);
        context.terminal.print(`Removed ${name}.`);
      }),
    );
}

function showDomain({ terminal }: CommandContext, domain: ShownDomain, flags: DomainFlags): void {
  const { name, record, problem, provenAt } = domain;
  if (flags.json) {
    terminal.print(JSON.stringify(domain));
    return;
  }
  if (provenAt !== null) {
    terminal.print(`${name} is proven. Readers find the site there.`);
    return;
  }
  terminal.note(
    problem ?? `Create this DNS record, then run domains check to prove that ${name} is yours:`,
  );
  terminal.print(`${record.name}  ${record.type}  ${record.value}`);
}

function listDomains(
  { terminal }: CommandContext,
  domains: readonly ShownDomain[],
  flags: DomainFlags,
): void {
  const rows = domains.map(({ name, isCanonical, provenAt, problem }) => [
    name,
    provenAt === null ? "not proven" : "proven",
    isCanonical ? "yes" : "no",
    problem,
  ]);
  const lines = flags.json
    ? [JSON.stringify(domains)]
    : formatTable(["DOMAIN", "STATE", "CANONICAL", "PROBLEM"], rows);
  for (const line of lines) terminal.print(line);
}
