import type { Command } from "commander";
import type { CommandContext } from "./context.ts";

/** A command of the program. Its module is loaded only when the command runs or its help is shown. */
interface CommandEntry {
  readonly name: string;
  /** The command's description in the list of commands. */
  readonly summary: string;
  /** Returns the function that adds the command's arguments, options and action. */
  readonly load: () => Promise<(command: Command, context: CommandContext) => void>;
  /** Whether files that the command creates, such as data or keys, are accessible only to the user who runs it. */
  readonly isPrivate?: true;
}

/** The commands, in the order in which the help lists them. */
export const commands: readonly CommandEntry[] = [
  {
    name: "new",
    summary: "create a small site to start from",
    load: async () => (await import("./site/new.ts")).defineNew,
  },
  {
    name: "export",
    summary: "render a site into a bundle that needs no server",
    load: async () => (await import("./site/export.ts")).defineExport,
  },
  {
    name: "check",
    summary: "find problems in a site",
    load: async () => (await import("./site/check.ts")).defineCheck,
  },
  {
    name: "dev",
    summary: "preview a site while you write",
    load: async () => (await import("./site/dev.ts")).defineDev,
  },
  {
    name: "agent",
    summary: "let an agent edit a site and show the changes as a diff",
    load: async () => (await import("./site/agent.ts")).defineAgent,
  },
  {
    name: "login",
    summary: "store the address of a running service and a key for it",
    load: async () => (await import("./service/login.ts")).defineLogin,
    isPrivate: true,
  },
  {
    name: "logout",
    summary: "remove the stored key for a service",
    load: async () => (await import("./service/login.ts")).defineLogout,
  },
  {
    name: "exports",
    summary: "export sites on a running service",
    load: async () => (await import("./service/exports.ts")).defineExports,
  },
  {
    name: "publish",
    summary: "publish a folder or a project on a running service",
    load: async () => (await import("./service/publish.ts")).definePublish,
  },
  {
    name: "deployments",
    summary: "list the deployments of a site and choose what readers see",
    load: async () => (await import("./service/deployments.ts")).defineDeployments,
  },
  {
    name: "jobs",
    summary: "have agents edit sites on a running service",
    load: async () => (await import("./service/jobs.ts")).defineJobs,
  },
  {
    name: "audit",
    summary: "list the audit log of a running service",
    load: async () => (await import("./service/audit.ts")).defineAudit,
  },
  {
    name: "api",
    summary: "call any operation of a running service",
    load: async () => (await import("./service/api.ts")).defineApi,
  },
  {
    name: "serve",
    summary: "run the service: API, dashboard and workers",
    load: async () => (await import("./operator/serve.ts")).defineServe,
    isPrivate: true,
  },
  {
    name: "worker",
    summary: "run only a worker for a service on the same PostgreSQL",
    load: async () => (await import("./operator/serve.ts")).defineWorker,
    isPrivate: true,
  },
  {
    name: "backup",
    summary: "back up all data of a service while it runs",
    load: async () => (await import("./operator/backup.ts")).defineBackup,
    isPrivate: true,
  },
  {
    name: "restore",
    summary: "restore a service from a backup",
    load: async () => (await import("./operator/backup.ts")).defineRestore,
    isPrivate: true,
  },
  {
    name: "orgs",
    summary: "manage organizations and their plans",
    load: async () => (await import("./operator/orgs.ts")).defineOrganizations,
    isPrivate: true,
  },
  {
    name: "keys",
    summary: "manage an organization's API keys",
    load: async () => (await import("./service/keys.ts")).defineKeys,
    isPrivate: true,
  },
  {
    name: "projects",
    summary: "manage an organization's projects",
    load: async () => (await import("./service/projects.ts")).defineProjects,
    isPrivate: true,
  },
  {
    name: "domains",
    summary: "manage the domains of published sites",
    load: async () => (await import("./service/domains.ts")).defineDomains,
    isPrivate: true,
  },
  {
    name: "webhooks",
    summary: "manage an organization's webhooks",
    load: async () => (await import("./service/webhooks.ts")).defineWebhooks,
    isPrivate: true,
  },
  {
    name: "completion",
    summary: "complete commands and options in a shell",
    load: async () => (await import("./completion.ts")).defineCompletion,
  },
];
