import { request as forward } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { serveFixture } from "./git-fixture.ts";
import { startGitHub } from "./github-stand-in.ts";
import type { GitHubStandIn } from "./github-stand-in.ts";

/** A GitHub with its repository: the stand-in's API and git's own server, at one address as on an Enterprise server. */
export interface GitHubServer extends AsyncDisposable {
  /** The address of the repository, as a project names it. */
  readonly repository: string;
  readonly api: GitHubStandIn;
  /** Resolves when the next request to make a pull request comes in, before it is answered. */
  nextCreation(): Promise<void>;
}

/** Serves the bare repository `<root>/acme/docs`, whose branches the stand-in then knows. */
export async function serveGitHub(root: string, token: string): Promise<GitHubServer> {
  const api = await startGitHub({ token, repository: join(root, "acme/docs") });
  let waiting = Promise.withResolvers<void>();
  const server = await serveFixture({
    root,
    login: { user: "x-access-token", password: token },
    intercept(request, response) {
      if (!request.url?.startsWith("/api/v3/")) return false;
      passOn(request, response);
      return true;
    },
  });

  function passOn(request: IncomingMessage, response: ServerResponse): void {
    const isCreation = request.method === "POST" && request.url?.endsWith("/pulls");
    const { method, headers } = request;
    const asked = forward(new URL(request.url ?? "", api.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    asked.on("error", () => response.destroy());
    request.pipe(asked);
    if (isCreation) {
      waiting.resolve();
      waiting = Promise.withResolvers();
    }
  }

  return {
    repository: `${server.url}/acme/docs`,
    api,
    nextCreation: () => waiting.promise,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}
