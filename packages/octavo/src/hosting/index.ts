/**
 * Repositories that the service hosts: each lasts in database and storage, every node has a copy of it, and people
 * clone and push over HTTP. A push goes: check address and key (`http/smart-http`), have git receive it in a repository
 * of its own (`http/serve`), store what it adds and move the refs (`publish`), tell the client.
 */
export { createHosting } from "./hosting.ts";
export type { Hosting, HostingOptions } from "./hosting.ts";
export type { AuthorizeGit, GitAccess, GitExchange } from "./http/smart-http.ts";
export { isHostedHere, toRemoteRepository } from "./project-repository.ts";
export type { ProjectRepository } from "./project-repository.ts";
export type { PackStorage } from "./store/database-store.ts";
export type { HostedRepository, RefUpdate } from "./store/repository-store.ts";
export type { HostingLimits } from "./tools.ts";
