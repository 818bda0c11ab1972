/**
 * Repositories that the service hosts: each is stored in the database and the storage, every node has a copy of it, and
 * people clone and push over HTTP. The steps of a push are: check the address and key (`http/smart-http`), let git
 * receive it in a temporary repository (`http/serve`), store the new objects and move the refs (`publish`), report to
 * the client.
 */
export { createHosting } from "./hosting.ts";
export type { Hosting, HostingOptions } from "./hosting.ts";
export type { AuthorizeGit, GitAccess, GitExchange } from "./http/smart-http.ts";
export { isHostedHere, toRemoteRepository } from "./project-repository.ts";
export type { ProjectRepository } from "./project-repository.ts";
export type { PackStorage } from "./store/database-store.ts";
export type { HostedRepository, RefUpdate } from "./store/repository-store.ts";
export type { HostingLimits } from "./tools.ts";
