import { once } from "node:events";
import { appendFile } from "node:fs/promises";
import { request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createApiClient } from "../../test/support/api-client.ts";
import { openAuthor } from "../../test/support/git-fixture.ts";
import { startService } from "../../test/support/service.ts";
import { cpuSecondsWithChildren } from "../process-meter.ts";
import { progress } from "../progress.ts";
import { writeSearchSite } from "../search-site.ts";

/** A push, from its start until readers see it, with the CPU of all processes of the service. */
export interface PushCost {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export interface PushCosts {
  /** The first push of the whole site. */
  readonly cold: PushCost;
  /** Pushes of one edited page each. */
  readonly edits: readonly PushCost[];
}

const edits = 7;
const page = "part-1/page-1";
const askMs = 10;
/** The time in which a deployment ends after readers see it. */
const settleMs = 2_000;

/** Measures pushes to a hosted repository of a site with this number of pages. */
export async function measurePushes(folder: string, pages: number): Promise<PushCosts> {
  progress(`Published sites: pushes of one edited page of ${pages}`);
  await using service = await startService({ data: join(folder, "data"), isFirstStart: true });
  const client = createApiClient(service.url, service.key);
  const body = { name: "bench", domain: "bench.example.com", repository: "local" };
  const { body: project } = await client.call<{ id: string }>("POST", "/v2/projects", { body });
  const author = await openAuthor(join(folder, "author"));
  await writeSearchSite(author.folder, pages);
  const remote = `${service.url.replace("//", `//x:${service.key}@`)}/git/${project.id}.git`;

  async function push(mark: string): Promise<PushCost> {
    await appendFile(join(author.folder, `${page}.md`), `\n${mark}\n`);
    await author.commit({});
    await sleep(settleMs);
    const cpu = cpuSecondsWithChildren(service.pid);
    const started = performance.now();
    await author.git("push", "--quiet", remote, "HEAD:main");
    while (!(await readPage(service.url)).includes(mark)) await sleep(askMs);
    const seconds = (performance.now() - started) / 1_000;
    await sleep(settleMs);
    return { seconds, cpuSeconds: cpuSecondsWithChildren(service.pid) - cpu };
  }

  const cold = await push("The first state of this page.");
  const again: PushCost[] = [];
  for (let edit = 1; edit <= edits; edit += 1) again.push(await push(`The edit number ${edit}.`));
  return { cold, edits: again };
}

async function readPage(url: string): Promise<string> {
  const { port } = new URL(url);
  const headers = { host: `bench.localhost:${port}` };
  const sent = request({ host: "127.0.0.1", port, path: `/${page}`, headers }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return await text(response);
}
