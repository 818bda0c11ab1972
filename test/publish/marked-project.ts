import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { AddressedDeployment } from "../../packages/octavo/src/jobs/index.ts";
import type { SupervisedNode } from "../chaos/node-process.ts";
import { sitesDomain, type World } from "../chaos/world.ts";
import { createApiClient } from "../support/api-client.ts";
import { patience } from "../support/patience.ts";
import { packMarkedSite } from "./marked-site.ts";

/** The site of a project of its own, on the nodes of a world. */
export interface MarkedSite {
  readonly host: string;
  /** Publishes the next deployment. Resolves when all nodes show it. */
  publish(): Promise<void>;
  /** Publishes an earlier deployment, by its number from 1. Resolves when all nodes show it. */
  rollBack(number: number): Promise<void>;
}

export async function openMarkedSite(world: World): Promise<MarkedSite> {
  const [node] = world.apis;
  if (!node) throw new Error("There is no node.");
  const client = createApiClient(node.url, world.key);
  const body = { name: "mixed", domain: "mixed.example.com", repository: "local" };
  const { body: project } = await client.call<{ id: string }>("POST", "/v2/projects", { body });
  const host = `mixed.${sitesDomain}`;
  const ids: string[] = [];
  return {
    host,
    async publish() {
      const number = ids.length + 1;
      ids.push(await publishMarkedSite(world, { projectId: project.id, host, number }));
    },
    async rollBack(number) {
      const { status } = await client.call("POST", `/v2/deployments/${ids[number - 1]}/publish`);
      if (status !== 200) throw new Error(`The deployment ${number} was not published: ${status}`);
      await untilShownByAll(world, host, number);
    },
  };
}

export interface MarkedDeployment {
  readonly projectId: string;
  readonly host: string;
  readonly number: number;
}

/** Brings the deployment with a number. Resolves with its ID when all nodes show it. */
export async function publishMarkedSite(
  world: World,
  { projectId, host, number }: MarkedDeployment,
): Promise<string> {
  const archive = join(world.folder, `${projectId}-${number}.zip`);
  await packMarkedSite(number, archive);
  const path = `/v2/projects/${projectId}/deployments`;
  const { id } = await upload(world, { path, archive, turn: number });
  await rm(archive);
  await untilShownByAll(world, host, number);
  return id;
}

async function untilShownByAll({ apis }: World, host: string, number: number): Promise<void> {
  await Promise.all(apis.map((node) => untilShown(node, host, number)));
}

/** Brings an archive, again and at another node if one does not answer. */
async function upload(
  world: World,
  {
    path,
    archive,
    turn,
  }: { readonly path: string; readonly archive: string; readonly turn: number },
): Promise<AddressedDeployment> {
  const headers = {
    authorization: `Bearer ${world.key}`,
    "content-type": "application/zip",
    "idempotency-key": randomUUID(),
  };
  const content = await readFile(archive);
  const signal = patience();
  for (let at = turn; ; at += 1) {
    const node = world.apis[at % world.apis.length];
    const response = await fetch(new URL(path, node?.url), {
      method: "POST",
      headers,
      body: content,
      signal,
    }).catch(() => undefined);
    if (response?.status === 202) return (await response.json()) as AddressedDeployment;
    const said = await response?.text();
    // What is away, and a call whose answer was lost, can be asked for again.
    if (response && response.status < 500 && response.status !== 409) throw new Error(said);
    await sleep(100, undefined, { signal });
  }
}

async function untilShown(node: SupervisedNode, host: string, number: number): Promise<void> {
  const signal = patience();
  for (;;) {
    await node.untilReady();
    const page = await ask(node, host).catch(() => "");
    if (page.includes(`of deployment ${number}.`)) return;
    await sleep(10, undefined, { signal });
  }
}

async function ask({ url }: SupervisedNode, host: string): Promise<string> {
  const sent = request(url, { headers: { host } }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return await text(response);
}
