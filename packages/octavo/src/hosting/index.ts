/**
 * Repositories that the service hosts. Each is stored in the database and the storage, every node has a copy of it, and
 * people clone and push over HTTP. For a push, the room checks the address and key (`http/smart-http`), lets git
 * receive the push in a temporary repository (`http/serve`), stores the new objects and moves the refs (`publish`), and
 * reports to the client.
 */
export { createHosting } from "./hosting.ts";
export type { Hosting, HostingOptions } from "./hosting.ts";
export type { AuthorizeGit, GitAccess } from "./http/smart-http.ts";
export { isHostedHere, toRemoteRepository } from "./project-repository.ts";
export type { ProjectRepository } from "./project-repository.ts";
export type { HostedRepository, PackStorage } from "./repository-store.ts";
export type { HostingLimits } from "./tools.ts";
