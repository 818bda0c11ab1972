/**
 * Repositories that the service hosts: each lasts in database and storage, every node has a copy of it, and people
 * clone and push over HTTP.
 */
export { createGitHosting } from "./hosting.ts";
export type { GitHosting } from "./hosting.ts";
export { isHostedHere, toRemoteRepository } from "./project-repository.ts";
export type { ProjectRepository } from "./project-repository.ts";
export { createRepositories } from "./repositories.ts";
export type { Repositories } from "./repositories.ts";
export { serveRepository } from "./http/smart-http.ts";
export type { AuthorizeGit, GitAccess, GitExchange } from "./http/smart-http.ts";
export type { PackStorage } from "./store/database-store.ts";
export type { HostedRepository } from "./store/repository-store.ts";
export { removeUnusedPacks } from "./store/unused-packs.ts";
