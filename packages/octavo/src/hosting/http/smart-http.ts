import type { IncomingMessage, ServerResponse } from "node:http";
import { OctavoError } from "@octavo/site/core";
import { isOwnBranch } from "../../core/index.ts";
import { isHostedHere } from "../project-repository.ts";
import type { ProjectRepository } from "../project-repository.ts";
import type { DescribeMovedRefs } from "./serve-push.ts";
import type { GitService, ServeRequest } from "./serve.ts";

export interface GitExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal?: AbortSignal;
}

export interface GitAccess {
  readonly project: Pick<ProjectRepository, "id" | "repository">;
  /** The project's branch; null for the repository's HEAD. */
  readonly ref: string | null;
  /** Throws `forbidden`, naming what the key lacks, unless the key may push. */
  readonly requireWrite: () => void;
  readonly describeMovedRefs?: DescribeMovedRefs;
  /** Called after a push, with the full names of its refs. */
  readonly onPushed?: (refs: readonly string[]) => Promise<void>;
}

/**
 * Returns the access of an API key to a project's repository. Throws `unauthorized` for an invalid key, and `not_found`
 * for a project outside the key's scope.
 */
export type AuthorizeGit = (key: string, projectId: string) => Promise<GitAccess>;

interface ParsedAddress {
  readonly projectId: string;
  readonly service: GitService;
  readonly call: "refs" | "service";
}

/** Matches all addresses that are served. None of them needs percent-encoding. */
const addressPattern =
  /^\/git\/(pr_[0-9a-z]{26})\.git\/(?:info\/refs\?service=(git-upload-pack|git-receive-pack)|(git-upload-pack|git-receive-pack))$/;

/** The maximum length of an `Authorization` header, longer than any API key needs. Longer headers are ignored. */
const maxAuthorizationLength = 1_000;

interface AuthorizedRequest
  extends
    ParsedAddress,
    Pick<ServeRequest, "rules">,
    Pick<GitAccess, "onPushed" | "describeMovedRefs"> {}

/**
 * Parses a request below `/git/` and checks its key. The API key is the password (with any user name) or a bearer
 * token; reading also requires a key.
 *
 * Throws `not_found` for every other address and method, `unauthorized` and `forbidden`. The response to `unauthorized`
 * needs the header `WWW-Authenticate: Basic` from `details.authenticate`; otherwise git does not ask for a password.
 */
export async function authorizeRequest(
  request: IncomingMessage,
  authorize: AuthorizeGit,
): Promise<AuthorizedRequest> {
  const parsed = readAddress(request);
  const access = await checkAccess(authorize, request, parsed.projectId);
  const { project, ref, requireWrite, onPushed, describeMovedRefs } = access;
  if (parsed.service === "git-receive-pack") requireWrite();
  return {
    ...parsed,
    rules: buildRules(project, ref),
    ...(onPushed && { onPushed }),
    ...(describeMovedRefs && { describeMovedRefs }),
  };
}

function readAddress(request: IncomingMessage): ParsedAddress {
  const [, projectId, listed, called] = addressPattern.exec(request.url ?? "") ?? [];
  const service = (listed ?? called) as GitService | undefined;
  const call = listed === undefined ? "service" : "refs";
  const isExpectedMethod = request.method === (call === "refs" ? "GET" : "POST");
  if (projectId !== undefined && service !== undefined && isExpectedMethod) {
    return { projectId, service, call };
  }
  throw new OctavoError("not_found", "There is no such repository, or this is not a git request.");
}

async function checkAccess(
  authorize: AuthorizeGit,
  request: IncomingMessage,
  projectId: string,
): Promise<GitAccess> {
  const key = readKey(request.headers.authorization ?? "");
  if (key === undefined) throw createUnauthorizedError();
  try {
    return await authorize(key, projectId);
  } catch (error) {
    if (error instanceof OctavoError && error.code === "unauthorized")
      throw createUnauthorizedError();
    throw error;
  }
}

function readKey(authorization: string): string | undefined {
  if (authorization.length > maxAuthorizationLength) return undefined;
  const [scheme = "", value = "", ...rest] = authorization.split(" ");
  if (value === "" || rest.length > 0) return undefined;
  if (/^bearer$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return undefined;
  const login = Buffer.from(value, "base64").toString();
  const password = login.slice(login.indexOf(":") + 1);
  return login.includes(":") && password !== "" ? password : undefined;
}

function createUnauthorizedError(): OctavoError {
  return new OctavoError(
    "unauthorized",
    "Git requires an API key: enter it as the password, with any user name.",
    { details: { authenticate: 'Basic realm="Octavo", charset="UTF-8"' } },
  );
}

function buildRules(project: GitAccess["project"], ref: string | null): ServeRequest["rules"] {
  // The HEAD of a repository that the service hosts is `main`.
  const protectedBranches = [ref ?? "main"];
  if (isHostedHere(project)) return { protectedBranches };
  return {
    protectedBranches,
    refuse: ({ ref }) =>
      ref.startsWith("refs/heads/") && isOwnBranch(ref.slice("refs/heads/".length))
        ? undefined
        : "this is a copy; push to the project's own repository",
  };
}
