import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Corpus } from "../corpus.ts";
import type { Build, Peer } from "../peers/peer.ts";
import type { Usage } from "../process-meter.ts";
import { progress } from "../progress.ts";
import { inspectSite } from "./built-site.ts";
import type { BuiltSite } from "./built-site.ts";
import { buildCold, putAside } from "./cold-build.ts";

export interface Pair {
  readonly ours: Usage;
  readonly theirs: Usage;
}

/** A peer beside us, on one corpus. */
export interface Comparison {
  readonly peer: Peer;
  readonly pairs: readonly Pair[];
  readonly site: BuiltSite;
  readonly build: Build;
}

export interface Comparing {
  readonly corpus: Corpus;
  readonly ours: Build;
  readonly pairCount: number;
  /** Where peers are installed and sites are built. */
  readonly work: string;
}

/** Builds with a peer and with us in turns, each time in the other order. Throws where the peer fails. */
export async function comparePeer(
  peer: Peer,
  { corpus, ours, pairCount, work }: Comparing,
): Promise<Comparison> {
  const build = await prepareSite(peer, corpus, work);
  const pairs: Pair[] = [];
  for (let index = 0; index < pairCount; index += 1) {
    progress(`${peer.name}, ${corpus.length} pages, pair ${index + 1} of ${pairCount}`);
    const first = await buildCold(index % 2 === 0 ? ours : build);
    const second = await buildCold(index % 2 === 0 ? build : ours);
    pairs.push(index % 2 === 0 ? { ours: first, theirs: second } : { ours: second, theirs: first });
  }
  return { peer, pairs, site: await inspectSite(build.output, corpus), build };
}

/** Installs a peer where it is missing, and writes it a site of the corpus. */
export async function prepareSite(peer: Peer, corpus: Corpus, work: string): Promise<Build> {
  const folder = join(work, peer.name.toLowerCase());
  const site = join(folder, "sites", String(corpus.length));
  progress(`${peer.name} ${peer.version}: preparing ${corpus.length} pages`);
  await peer.install(folder);
  await putAside(site, work);
  await mkdir(site, { recursive: true });
  return peer.prepare(corpus, site);
}
