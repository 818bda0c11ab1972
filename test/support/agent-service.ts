import { join } from "node:path";
import type { AgentJob } from "../../packages/octavo/src/jobs/index.ts";
import { createApiClient } from "./api-client.ts";
import type { ApiClient } from "./api-client.ts";
import { openAuthor } from "./git-fixture.ts";
import type { Author, FixtureChange } from "./git-fixture.ts";
import { parseDocument, documentText } from "./document.ts";
import { startModelServer } from "./model-server.ts";
import type { ModelRequest, ModelServer, Turn } from "./model-server.ts";
import { startService } from "./service.ts";
import type { RunningService } from "./service.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** One for each wire format, with the name that a project gives its model. */
export const wireModels = {
  anthropic: "anthropic/claude-sonnet-4-5",
  openai: "openai/gpt-5",
  google: "google/gemini-2.5-flash",
  compatible: "compatible/scripted",
} as const;
export type WireName = keyof typeof wireModels;
export const wireNames = Object.keys(wireModels) as WireName[];

/** The service's secrets, of no form by which one could be told from other text. */
export const plantedSecrets = {
  ANTHROPIC_API_KEY: "planted-ant-4711+do/not=tell",
  OPENAI_API_KEY: "planted-oai-4712+do/not=tell",
  GOOGLE_GENERATIVE_AI_API_KEY: "planted-goo-4713+do/not=tell",
  OCTAVO_MODEL_KEY: "planted-com-4714+do/not=tell",
  OCTAVO_SECRET: "planted-sec-4715+do/not=tell",
} as const;

/** Turns in order, one for each request of the job's model; or a function that sees what it is told. */
export type JobScript = readonly Turn[] | ((request: ModelRequest, count: number) => Turn);

/** One turn's steps, as its events tell them. */
export interface JobStep {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A running service whose models follow a script for each job. */
export interface AgentService extends AsyncDisposable {
  /** Everything that the service keeps lies below. */
  readonly data: string;
  readonly service: RunningService;
  readonly model: ModelServer;
  readonly client: ApiClient;
  /** A project that the service hosts, with the files in it, and further fields as the API takes them. */
  addProject(
    wire: WireName,
    files: Readonly<Record<string, FixtureChange>>,
    more?: Readonly<Record<string, unknown>>,
  ): Promise<TestProject>;
  /** The text of the pull request that a job opened, as a person reads it. */
  readPullRequest(job: AgentJob): Promise<string>;
}

export interface TestProject {
  readonly id: string;
  readonly author: Author;
  /** Brings what the author committed since to the service. */
  push(): Promise<void>;
  /** Creates a job and waits for its end. The prompt must be one that no other job of the service has. */
  run(prompt: string, script: JobScript): Promise<EndedJob>;
  /** Creates a job; its requests come to `model.requests`. */
  create(prompt: string, script: JobScript): Promise<AgentJob>;
  /** Names of branches besides the base. */
  branches(): Promise<readonly string[]>;
}

export interface EndedJob {
  readonly job: AgentJob;
  readonly requests: readonly ModelRequest[];
  readonly steps: readonly JobStep[];
  readonly diff: string;
}

export interface AgentServiceOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Destinations that the service may reach besides the models' server, as in `OCTAVO_ALLOW`. */
  readonly allow?: readonly string[];
}

export async function openAgentService({
  env = {},
  allow = [],
}: AgentServiceOptions = {}): Promise<AgentService> {
  await using opening = new AsyncDisposableStack();
  const root = opening.use(await temporaryFolder());
  const scripts = new Map<string, JobScript>();
  const requestsOf = (prompt: string): readonly ModelRequest[] =>
    model.requests.filter((request) => promptOf(request) === prompt);
  const model = opening.use(
    await startModelServer((request) => {
      const prompt = promptOf(request);
      const script = scripts.get(prompt) ?? [];
      const count = requestsOf(prompt).length - 1;
      if (typeof script === "function") return script(request, count);
      return script[count] ?? { status: 400, message: "The script has no more turns." };
    }),
  );
  const data = join(root.path, "data");
  const service = opening.use(
    await startService({
      data,
      env: {
        ...plantedSecrets,
        OCTAVO_ALLOW: [`127.0.0.1:${model.port}`, ...allow].join(","),
        OCTAVO_MODEL_URL: `${model.url}/v1`,
        ANTHROPIC_BASE_URL: `${model.url}/v1`,
        OPENAI_BASE_URL: `${model.url}/v1`,
        GOOGLE_GENERATIVE_AI_BASE_URL: `${model.url}/v1beta`,
        OCTAVO_LOG_LEVEL: "debug",
        ...env,
      },
    }),
  );
  const client = createApiClient(service.url, service.key);

  async function addProject(
    wire: WireName,
    files: Readonly<Record<string, FixtureChange>>,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<TestProject> {
    const domain = `${wire}-${crypto.randomUUID()}.example.com`;
    // The scripted answers are for the turns of jobs alone.
    const fields = { name: "Docs", domain, repository: "local", model: wireModels[wire], testModel: false, ...more }; // prettier-ignore
    const { body: project } = await client.call<{ id: string }>("POST", "/v2/projects", {
      body: fields,
    });
    const author = await openAuthor(join(root.path, project.id));
    await author.commit(files);
    const remote = `${service.url.replace("//", `//x:${service.key}@`)}/git/${project.id}.git`;
    const push = async (): Promise<void> => {
      await author.git("push", "--quiet", remote, "main");
    };
    await push();
    const jobs = `/v2/agent/${project.id}/job`;

    async function create(prompt: string, script: JobScript): Promise<AgentJob> {
      scripts.set(prompt, script);
      const { status, body } = await client.call<AgentJob>("POST", jobs, { body: { prompt } });
      if (status !== 201) throw new Error(`The job was answered with ${status}.`);
      return body;
    }
    return {
      id: project.id,
      author,
      push,
      create,
      async run(prompt, script) {
        const path = `${jobs}/${(await create(prompt, script)).id}`;
        const job = await client.waitForAgentJob(path);
        const { body: events } = await client.call<string>("GET", `${path}/events`);
        const { body: diff } = await client.call<string>("GET", `${path}/diff`);
        return { job, diff, requests: requestsOf(prompt), steps: readSteps(events) };
      },
      async branches() {
        const refs = await author.git("ls-remote", "--heads", remote);
        const names = refs.split("\n").map((line) => line.replace(/^.*refs\/heads\//, ""));
        return names.filter((name) => name !== "main");
      },
    };
  }

  async function readPullRequest({ prLink }: AgentJob): Promise<string> {
    const headers = { "sec-fetch-site": "same-origin" };
    const form = new URLSearchParams({ key: service.key });
    const signedIn = await fetch(new URL("/signin", service.url), {
      method: "POST",
      headers,
      body: form,
      redirect: "manual",
    });
    const [cookie = ""] = signedIn.headers.getSetCookie().map((set) => set.split(";")[0]);
    const page = await fetch(new URL(prLink ?? ""), { headers: { cookie } });
    const [body] = parseDocument(await page.text()).byClass("prose");
    if (!body) throw new Error(`There is no pull request at ${prLink}.`);
    return documentText(body);
  }

  const opened = opening.move();
  const dispose = { [Symbol.asyncDispose]: () => opened.disposeAsync() };
  return { data, service, model, client, addProject, readPullRequest, ...dispose };
}

/** The job's first message, by which its requests are told from those of others. */
function promptOf({ conversation }: ModelRequest): string {
  const first = conversation.messages.find(({ from }) => from === "user");
  return first?.from === "user" ? first.text : "";
}

function readSteps(events: string): JobStep[] {
  return [...events.matchAll(/^event: step\ndata: (.+)$/gm)].map(
    ([, data = ""]) => JSON.parse(data) as JobStep,
  );
}
