import { setTimeout as wait } from "node:timers/promises";
import { pick, type Random } from "../support/random.ts";
import type { SupervisedNode } from "./node-process.ts";
import type { World } from "./world.ts";

/** A node was killed, or stopped past the lease of its jobs. */
export interface NodeFault {
  readonly node: string;
  readonly kind: "killed" | "stopped";
  readonly at: Date;
}

export interface FaultsOptions {
  readonly world: World;
  readonly random: Random;
  /** How long what fails outside of nodes does so, at least; up to twice that. */
  readonly faultMs: number;
  /** Between two faults. */
  readonly pauseMs: number;
  readonly over: AbortSignal;
}

export interface FaultsDone {
  readonly counts: Map<string, number>;
  readonly nodes: NodeFault[];
}

/** Something that fails for a while; resolves when it works again. */
type Fault = (world: World, random: Random, forMs: number) => Promise<void>;

/** A job's lease ends this long after the last sign of its worker, and what looks for it takes seconds more. */
const pastLeaseMs = 13_000;

const outsideFaults: Readonly<Record<string, Fault>> = {
  async "all backends terminated"(world, _random, forMs) {
    for (let left = forMs; left > 0; left -= 200) {
      await world.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name <> 'test'`,
      );
      await wait(200);
    }
  },
  "PostgreSQL restarted": ({ postgres }) => postgres.restart("SIGINT"),
  "PostgreSQL crashed": ({ postgres }, random) =>
    postgres.restart(random() < 0.5 ? "SIGQUIT" : "SIGKILL"),
  async "connections cut"({ databaseProxies }, random, forMs) {
    const one = Math.floor(random() * databaseProxies.length);
    // Of all nodes, or of one alone.
    const cut = random() < 0.5 ? databaseProxies : databaseProxies.slice(one, one + 1);
    for (const proxy of cut) proxy.setClosed(true);
    await wait(forMs);
    for (const proxy of cut) proxy.setClosed(false);
  },
  async "connections slow"({ databaseProxies }, random, forMs) {
    for (const proxy of databaseProxies) proxy.setDelay(20 + random() * 100);
    await wait(forMs);
    for (const proxy of databaseProxies) proxy.setDelay(0);
  },
  "storage answers 500": (world, _random, forMs) =>
    failStorage(world, forMs, () => ({ status: 500, code: "InternalError" })),
  "storage hangs": (world, _random, forMs) => failStorage(world, forMs, () => "hang"),
  "storage full": (world, _random, forMs) =>
    failStorage(world, forMs, ({ operation }) =>
      /^(?:Put|Upload|Create|Complete)/.test(operation)
        ? { status: 507, code: "XMinioStorageFull" }
        : undefined,
    ),
  async "disk full"({ smallDisk }, random, forMs) {
    await smallDisk?.fill(random() < 0.5 ? 0 : 10_000_000);
    await wait(forMs);
    await smallDisk?.empty();
  },
  async "model fails"({ failing }, _random, forMs) {
    failing.model = true;
    await wait(forMs);
    failing.model = false;
  },
  async "code host fails"({ failing, gitHubProxy }, _random, forMs) {
    failing.codeHost = true;
    gitHubProxy.setClosed(true);
    await wait(forMs);
    failing.codeHost = false;
    gitHubProxy.setClosed(false);
  },
  async "code host loses answers"({ github }) {
    // Whatever it was told to do is done.
    github.fail({ on: /^(?:POST|PATCH|DELETE) /, status: 502, isDone: true, times: 3 });
  },
};

async function failStorage(
  { storage, storageProxy }: World,
  forMs: number,
  fault: Parameters<World["storage"]["setFault"]>[0],
): Promise<void> {
  storage.setFault(fault);
  await wait(forMs);
  storage.setFault(undefined);
  // Nobody answers what hangs.
  storageProxy.cut();
}

/** Has things fail until it is over, of each kind before any comes again. Everything works when it resolves. */
export async function runFaults(options: FaultsOptions): Promise<FaultsDone> {
  const done: FaultsDone = { counts: new Map(), nodes: [] };
  await Promise.all([failOutside(options, done), failNodes(options, done)]);
  return done;
}

/** Goes on, at least through all of them once. */
async function inTurns<Item>(
  { random, over, pauseMs }: FaultsOptions,
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  do {
    for (const item of shuffle(items, random)) {
      await wait(pauseMs * (0.5 + random()));
      await act(item);
    }
  } while (!over.aborted);
}

async function failOutside(options: FaultsOptions, { counts }: FaultsDone): Promise<void> {
  const { world, random, faultMs } = options;
  const names = Object.keys(outsideFaults).filter(
    (name) => name !== "disk full" || world.smallDisk,
  );
  await inTurns(options, names, async (name) => {
    count(counts, name);
    await outsideFaults[name]?.(world, random, faultMs * (1 + random()));
  });
}

async function failNodes(options: FaultsOptions, { counts, nodes }: FaultsDone): Promise<void> {
  const { world, random } = options;
  const kill = async (node: SupervisedNode, name: string) => {
    count(counts, name);
    nodes.push({ node: node.name, kind: "killed", at: new Date() });
    await node.kill(random() < 0.5 ? "process" : "group", random() * 3_000);
  };
  const stop = async (node: SupervisedNode, name: string) => {
    count(counts, name);
    nodes.push({ node: node.name, kind: "stopped", at: new Date() });
    node.signal("SIGSTOP");
    await wait(pastLeaseMs);
    node.signal("SIGCONT");
  };
  const acts = [
    () => kill(pick(world.workers, random), "worker killed"),
    () => kill(pick(world.workers, random), "worker killed"),
    () => kill(pick(world.apis, random), "API node killed"),
    () => stop(pick(world.workers, random), "worker stopped"),
    () => stop(pick(world.apis, random), "API node stopped"),
  ];
  await inTurns({ ...options, pauseMs: options.pauseMs * 2 }, acts, (act) => act());
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
