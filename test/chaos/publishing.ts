import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { packMarkedSite } from "../publish/marked-site.ts";
import { startReaders, type Readers } from "../publish/readers.ts";
import type { Random } from "../support/random.ts";
import type { ChaosClient } from "./client.ts";
import type { Acknowledged } from "./record.ts";
import { sitesDomain, type World } from "./world.ts";

/** The host of the site whose bundles somebody brings. */
export const publishedHost = `published.${sitesDomain}`;

/** Pages a second. */
const rate = 10;
/** The share of turns in which an older bundle is published again. */
const rollbackPart = 0.3;

/** Starts readers of the site whose bundles somebody brings. They may be refused, but never get anything wrong. */
export function startChaosReaders({ apis }: World, seed: number): Readers {
  const ports = apis.map(({ url }) => Number(new URL(url).port));
  const readers = startReaders({ host: publishedHost, ports, rate, seed });
  readers.setFailing("anything");
  return readers;
}

export interface PublisherOptions {
  readonly world: World;
  readonly record: Acknowledged;
  readonly client: ChaosClient;
  readonly projectId: string;
  readonly random: Random;
}

/** Creates somebody who brings a bundle in each turn and publishes it, or one that came before. */
export function createPublisher({
  world,
  record,
  client,
  projectId,
  random,
}: PublisherOptions): () => Promise<void> {
  async function bring(number: number): Promise<void> {
    const file = join(world.folder, `published-${number}.zip`);
    await packMarkedSite(number, file);
    const archive = new Uint8Array(await readFile(file));
    await rm(file);
    const path = `/v2/projects/${projectId}/deployments`;
    const answer = await client.askUntilAnswered({ method: "POST", path, archive });
    if (answer.status === 202)
      record.uploads.set(number, (JSON.parse(answer.text) as { id: string }).id);
    else record.wrong.push(`A bundle was answered with ${answer.status}: ${answer.text}`);
  }

  return async () => {
    const newest = record.uploads.size + 1;
    await bring(newest);
    const isRollback = random() < rollbackPart;
    const number = isRollback ? 1 + Math.floor(random() * newest) : newest;
    const path = `/v2/deployments/${record.uploads.get(number)}/publish`;
    const answer = await client.askUntilAnswered({ method: "POST", path });
    if (answer.status === 200) record.publications.push(number);
    else record.wrong.push(`A publication was answered with ${answer.status}: ${answer.text}`);
  };
}
