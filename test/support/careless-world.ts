import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { openAuthor, serveFixture } from "./git-fixture.ts";
import { startGitHub } from "./github-stand-in.ts";
import type { GitHubStandIn } from "./github-stand-in.ts";
import { startModelServer } from "./model-server.ts";
import type { ModelRequest, ModelServer, Turn } from "./model-server.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import { startTlsFront } from "./tls-front.ts";
import type { TlsFront } from "./tls-front.ts";

export interface CarelessWorldOptions {
  readonly folder: string;
  readonly login: { readonly username: string; readonly password: string };
  /** Pages of the repository. */
  readonly files: Readonly<Record<string, string>>;
}

/** Where the service goes to: every server repeats what it is told, and says no in many words. */
export interface CarelessWorld extends AsyncDisposable {
  readonly model: ModelServer;
  readonly github: GitHubStandIn;
  /** GitHub's API and its repository `acme/docs`, over https. */
  readonly front: TlsFront;
  /** Takes connections for ssh and says nothing. */
  readonly silentPort: number;
  /** Connections to it so far. */
  readonly silentConnections: () => number;
  /** The repository `acme/docs` on disk. */
  readonly repository: string;
  /** Whether the repository takes pushes. */
  takesPushes: boolean;
  /** Whether the model gives no answers. */
  isModelMute: boolean;
  /** Called while a git that has logged in waits for its answer. */
  onGitWaiting: () => void;
}

/** A prompt's words for the key that the model's server was sent: it puts the key there. */
export const keyPlaceholder = "THE-KEY-THAT-YOU-WERE-SENT";

export async function openCarelessWorld(options: CarelessWorldOptions): Promise<CarelessWorld> {
  await using opening = new AsyncDisposableStack();
  const { folder, files } = options;
  const { username: user, password } = options.login;
  const author = await openAuthor(join(folder, "acme", "docs"));
  await author.commit(files);
  const state = { takesPushes: true, isModelMute: false, onGitWaiting: (): void => undefined };
  const git = opening.use(await serveFixture({ root: folder }));
  const repository = join(author.folder, ".git");
  const github = opening.use(await startGitHub({ token: password, repository }));
  // The second is that of an App's installation.
  const expected = [user, "x-access-token"].map((name) => `Basic ${btoa(`${name}:${password}`)}`);

  async function intercept({ headers, url = "" }: IncomingMessage, response: ServerResponse) {
    const { authorization } = headers;
    if (url.startsWith("/api/")) return false;
    if (authorization === undefined) return refuse(response, 401, "Basic ");
    state.onGitWaiting();
    if (!expected.includes(authorization)) return refuse(response, 401, authorization);
    const isPush = url.includes("git-receive-pack");
    return isPush && !state.takesPushes ? refuse(response, 403, authorization) : false;
  }

  const front = opening.use(
    await startTlsFront({
      route: (path) => (path.startsWith("/api/") ? github.port : git.port),
      intercept,
    }),
  );
  const script = (request: ModelRequest) =>
    state.isModelMute ? ({ fault: "mute" } as const) : carelessTurn(request);
  const model = opening.use(await startModelServer(script));
  const silence = opening.use(await startSilence());
  const opened = opening.move();
  return Object.assign(state, {
    model,
    github,
    front,
    silentPort: silence.port,
    silentConnections: silence.connections,
    repository,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  });
}

/** Git shows people what a server says in plain text. */
function refuse(response: ServerResponse, status: number, authorization: string): true {
  const login = atob(authorization.replace(/^Basic /, ""));
  response.writeHead(status, {
    "content-type": "text/plain",
    "www-authenticate": 'Basic realm="git"',
  });
  response.end(`${authorization} (${login}, ${encodeURIComponent(login)}) may not do this.\n`);
  return true;
}

function carelessTurn(request: ModelRequest): Turn {
  const turn = scriptedAgent(request);
  if ("status" in turn) return { ...turn, echoesKey: true };
  const key = String(request.headers.authorization).replace(/^Bearer /, "");
  return JSON.parse(JSON.stringify(turn).replaceAll(keyPlaceholder, key)) as Turn;
}

async function startSilence() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.resume().on("error", () => undefined));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.length,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
