import type { FastifyReply, FastifyRequest } from "fastify";
import { isOwnCodeHost, requireRight } from "../../core/index.ts";
import type { Caller } from "../../projects/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { Api, ApiServices } from "../api.ts";
import { sendError, sendTextError } from "../errors.ts";
import { publicRoute } from "../route-rights.ts";
import type { RequestTimeouts } from "../request-clock.ts";
import { isHostedHere, type AuthorizeGit } from "../../hosting/index.ts";

/**
 * Adds routes that serve the hosted repositories over git's HTTP protocol. Git reads the bodies itself, and the server
 * does not change git's responses.
 */
export async function addGitRoutes(
  api: Api,
  services: ApiServices,
  clock: RequestTimeouts,
): Promise<void> {
  await api.register(async (git: Api) => {
    git.removeAllContentTypeParsers();
    git.addContentTypeParser("*", (_request, _payload, done) => done(null));
    git.setErrorHandler(respondWithGitError);
    git.route({
      method: ["GET", "POST"],
      url: "/git/*",
      // Git sends the key in its own `Authorization` header, which `createGitAuthorizer` checks.
      ...publicRoute,
      schema: { hide: true },
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        if (isPush(request)) services.space.shortage.throwIfAborted();
        const authorize = createGitAuthorizer(services, (caller) => {
          request.actor = caller.actor;
          clock.allowTransfer(request);
        });
        await services.hosting.serve({ request: request.raw, response: reply.raw }, authorize);
        return reply.hijack();
      },
    });
  });
}

/**
 * Reports whether the request is part of a push: either the request for the refs that git sends first, or the push
 * itself.
 */
function isPush({ raw }: FastifyRequest): boolean {
  return /[/=]git-receive-pack$/.test(raw.url ?? "");
}

function createGitAuthorizer(
  { keys, projects, audit, pullRequests, publishedSites }: ApiServices,
  onAuthorized: (caller: Caller) => void,
): AuthorizeGit {
  return async (key, projectId) => {
    const caller = await keys.authenticate(key);
    if (!caller) throw new OctavoError("unauthorized", "The API key is not valid.");
    const project = await projects.get(caller, projectId);
    const { id, name, repository, ref, codeHost } = project;
    if (!isOwnCodeHost(codeHost)) {
      const message = `The repository of this project is on its code host: ${repository}.`;
      throw new OctavoError("not_found", message);
    }
    requireRight(caller, "repository.read");
    onAuthorized(caller);
    const requireWrite = () => requireRight(caller, "repository.write");
    const target = { id, name };
    const onPushed = async (refs: readonly string[]) => {
      const details = { refs };
      await audit.record(caller, { action: "repository.pushed", target, projectId: id, details });
      await pullRequests.refreshOpenPullRequests(id);
    };
    const describeMovedRefs = async (refs: readonly string[]) => {
      // The HEAD of a repository that the service hosts is `main`.
      const branch = ref ?? "main";
      if (!isHostedHere(project) || !refs.includes(`refs/heads/${branch}`)) return [];
      const site = await publishedSites.read(project);
      return site.isAutomatic ? [`Publishing ${branch} at ${site.url}/`] : [];
    };
    return {
      project: { id, repository },
      ref,
      requireWrite,
      onPushed,
      describeMovedRefs,
    };
  };
}

function respondWithGitError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (!reply.raw.headersSent) {
    // Git shows only plain text to its user.
    const isGit = request.headers["user-agent"]?.startsWith("git/") ?? false;
    (isGit ? sendTextError : sendError)(error, request, reply);
    return;
  }
  // Git has already started its response, so only closing the connection can signal the error.
  request.log.error({ err: error }, "A git response failed");
  reply.hijack();
  reply.raw.destroy();
}
