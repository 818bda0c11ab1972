import type { IncomingMessage, ServerResponse } from "node:http";
import { OctavoError } from "@octavo/site/core";
import { workBranchPrefix } from "../../git/index.ts";
import type { GitHosting, GitService, PushCommand, ServeRequest } from "../../git/index.ts";
import type { CodeHostProject } from "../code-host.ts";
import { isOnlyHere } from "./repositories.ts";
import type { Repositories } from "./repositories.ts";

export interface GitExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal?: AbortSignal;
}

export interface GitAccess {
  readonly project: Pick<CodeHostProject, "id" | "repository">;
  /** The project's own branch; the repository's HEAD where it names none. */
  readonly ref: string | null;
  readonly canWrite: boolean;
}

/**
 * What the holder of an API key may do with a project's repository. Throws `unauthorized` for a key that
 * is none, and `not_found` for a project that it may not see.
 */
export type AuthorizeGit = (key: string, projectId: string) => Promise<GitAccess>;

interface Addressed {
  readonly projectId: string;
  readonly service: GitService;
  readonly call: "refs" | "service";
}

/** The whole of what is answered: nothing in these addresses needs an escape. */
const address =
  /^\/git\/(pr_[0-9a-z]{26})\.git\/(?:info\/refs\?service=(git-upload-pack|git-receive-pack)|(git-upload-pack|git-receive-pack))$/;

/** More than any API key has; what is longer is not looked at. */
const longestAuthorization = 1_000;

/**
 * Answers one request below `/git/`, as git's smart HTTP asks: an API key stands as the password (with
 * any user name) or as a bearer token. Reading needs a key too. Gives back which refs were handed to git.
 *
 * Throws before anything was answered: `not_found` for every other address and method, `unauthorized`
 * (the answer needs `WWW-Authenticate: Basic`, from `details.authenticate`, or git asks nobody for a
 * password), `forbidden`, `invalid_input`, `too_large`, `unavailable`.
 */
export async function serveRepository(
  host: {
    readonly hosting: GitHosting;
    readonly repositories: Repositories;
    readonly authorize: AuthorizeGit;
  },
  { request, response, signal }: GitExchange,
): Promise<{ readonly projectId: string; readonly commands: readonly PushCommand[] }> {
  const { projectId, service, call } = readAddress(request);
  const { project, ref, canWrite } = await authorized(host.authorize, request, projectId);
  if (service === "git-receive-pack" && !canWrite) {
    throw new OctavoError("forbidden", "This key may read the repository, but not push to it.");
  }
  const repository = host.repositories.at(projectId);
  const plan: ServeRequest = { repository, service, call, signal, rules: rulesFor(project, ref) };
  // Made when it is first asked for: cloning an empty repository is how people begin.
  if (isOnlyHere(project)) await host.hosting.create(repository);
  const { commands } = await host.hosting.serve({ request, response }, plan);
  return { projectId, commands };
}

function readAddress(request: IncomingMessage): Addressed {
  const [, projectId, listed, called] = address.exec(request.url ?? "") ?? [];
  const service = (listed ?? called) as GitService | undefined;
  const call = listed === undefined ? "service" : "refs";
  const isMethod = request.method === (call === "refs" ? "GET" : "POST");
  if (projectId !== undefined && service !== undefined && isMethod) {
    return { projectId, service, call };
  }
  throw new OctavoError("not_found", "There is no such repository, or git does not ask for it so.");
}

async function authorized(
  authorize: AuthorizeGit,
  request: IncomingMessage,
  projectId: string,
): Promise<GitAccess> {
  const key = readKey(request.headers.authorization ?? "");
  if (key === undefined) throw unauthorized();
  try {
    return await authorize(key, projectId);
  } catch (error) {
    if (error instanceof OctavoError && error.code === "unauthorized") throw unauthorized();
    throw error;
  }
}

function readKey(authorization: string): string | undefined {
  if (authorization.length > longestAuthorization) return undefined;
  const [scheme = "", value = "", ...rest] = authorization.split(" ");
  if (value === "" || rest.length > 0) return undefined;
  if (/^bearer$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return undefined;
  const login = Buffer.from(value, "base64").toString();
  const password = login.slice(login.indexOf(":") + 1);
  return login.includes(":") && password !== "" ? password : undefined;
}

function unauthorized(): OctavoError {
  return new OctavoError(
    "unauthorized",
    "Git needs an API key here: give it as the password, with any user name.",
    { details: { authenticate: 'Basic realm="Octavo", charset="UTF-8"' } },
  );
}

function rulesFor(project: GitAccess["project"], ref: string | null): ServeRequest["rules"] {
  // HEAD of a repository made here is on main.
  const protectedBranches = [ref ?? "main"];
  if (isOnlyHere(project)) return { protectedBranches };
  return {
    protectedBranches,
    refuse: ({ ref }) =>
      ref.startsWith(`refs/heads/${workBranchPrefix}`)
        ? undefined
        : "this is a copy; push to the repository that the project names",
  };
}
