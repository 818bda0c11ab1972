import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import type { Readable, Writable } from "node:stream";
import { after, before, describe, it } from "node:test";
import type { TestContext } from "node:test";
import { Client } from "pg";
import type { CodeHostNode } from "../../../../test/support/code-host-node.ts";
import { complaint, openAuthor } from "../../../../test/support/git-fixture.ts";
import {
  assertWhole,
  openHostedNodes,
  packRows,
  refsAt,
} from "../../../../test/support/hosted-nodes.ts";
import { startPostgres } from "../../../../test/support/postgres.ts";
import { patience } from "../../../../test/support/patience.ts";
import { createRandom } from "../../../../test/support/random.ts";
import { runtimeFlags } from "../../../../test/support/program.ts";
import type { Database } from "../db/index.ts";
import { openDatabase } from "../db/index.ts";
import { acquireLock } from "../git/index.ts";

/** The number of times that a node is killed at a random moment; `npm run test:chaos` does it more often. */
const rounds = Number(process.env["OCTAVO_TEST_ROUNDS"] ?? 1);
const isAll = process.env["OCTAVO_TEST_ALL"] === "1";

const opened = new AsyncDisposableStack();
let url: string;
let database: Database;
before(async () => {
  const postgres = opened.use(await startPostgres());
  url = await postgres.createDatabase();
  database = opened.use(await openDatabase({ dataDir: "/nonexistent", url }));
});
after(() => opened.disposeAsync());

interface NodeProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly remote: string;
  /** Returns the next line that the process writes. */
  next(): Promise<string>;
}

const program = join(import.meta.dirname, "../../../../test/support/code-host-process.ts");

async function startProcess(t: TestContext, args: readonly string[]): Promise<NodeProcess> {
  const child = spawn(process.execPath, [...runtimeFlags, program, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.after(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  return { child, next, remote: (await next()).replace(/^ready /, "") };
}

async function kill({ child }: NodeProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Blocks a resource that a push needs next; resolves when the push waits for it. */
interface Obstacle {
  readonly pause?: string;
  readonly hold?: (place: { copy: string; projectId: string }) => Promise<{
    untilReached(): Promise<void>;
    release(): Promise<void>;
  }>;
  readonly isPublished: boolean;
  /** Tested only by `npm run test:chaos`. */
  readonly isRare?: boolean;
}

const obstacles: Readonly<Record<string, Obstacle>> = {
  "before its objects are stored": { pause: "before put", isPublished: false, isRare: true },
  "after its objects are stored": { pause: "after put", isPublished: false },
  "within the transaction": {
    isPublished: false,
    isRare: true,
    async hold({ projectId }) {
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query("begin");
      const row = "select 1 from hosted_repositories where project_id = $1 for update";
      await client.query(row, [projectId]);
      return {
        async untilReached() {
          const waiting = "select 1 from pg_locks where not granted";
          const watcher = new Client({ connectionString: url });
          await watcher.connect();
          while ((await watcher.query(waiting)).rowCount === 0) await pause();
          await watcher.end();
        },
        release: () => client.end(),
      };
    },
  },
  "after the transaction, before the client hears of it": {
    isPublished: true,
    async hold({ copy, projectId }) {
      const lock = await acquireLock(`${copy}.lock`);
      const client = new Client({ connectionString: url });
      await client.connect();
      const query = "select generation from hosted_repositories where project_id = $1";
      const before = (await client.query<{ generation: number }>(query, [projectId])).rows[0];
      return {
        async untilReached() {
          for (;;) {
            const { rows } = await client.query<{ generation: number }>(query, [projectId]);
            if (rows[0]?.generation !== before?.generation) return;
            await pause();
          }
        },
        async release() {
          await client.end();
          await lock[Symbol.asyncDispose]();
        },
      };
    },
  },
};

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

/** Checks that the files left after a day are the ones that the rows name. */
async function assertStored(place: {
  readonly storage: string;
  readonly node: CodeHostNode;
  readonly projectId: string;
}): Promise<readonly string[]> {
  const { storage, node, projectId } = place;
  await node.hosting.removeUnusedPacks(new Date(Date.now() + 2 * 24 * 60 * 60 * 1000));
  const files = await readdir(join(storage, "repositories", projectId));
  const rows = await packRows(database, projectId);
  const names = rows.map(({ key }) => key.replace(/^.*\//, ""));
  assert.deepEqual(files.toSorted(), names.toSorted());
  return files;
}

const moments = Object.entries(obstacles).filter(([, { isRare }]) => isAll || isRare !== true);

describe("a push to a node that is killed", () => {
  for (const [moment, { pause: point = "", hold, isPublished }] of moments) {
    it(`${moment} is there on every node, or on none`, async (t) => {
      const { author, project, folder, storage, two } = await openHostedNodes(t, { database });
      const old = await author.commit({ "index.mdx": "old\n" });
      await author.git("push", "--quiet", "two", "main");
      const place = join(folder, "killed");
      const args = [url, place, storage, project.id];
      const node = await startProcess(t, [...args, point]);
      await author.git("ls-remote", node.remote);
      const copy = join(place, "repositories", `${project.id}.git`);
      const held = await hold?.({ copy, projectId: project.id });
      const next = await author.commit({ "index.mdx": "new\n" });
      const pushing = complaint(author.git("push", node.remote, "main"));
      if (held) await held.untilReached();
      else assert.equal(await node.next(), point);
      await kill(node);
      await held?.release();
      assert.match(await pushing, /disconnect|hung up|unexpected|RPC failed|curl/i);

      const again = await startProcess(t, args);
      const expected = isPublished ? next : old;
      for (const remote of [again.remote, "two"]) {
        const refs = await author.git("ls-remote", remote, "refs/heads/main");
        assert.equal(refs, `${expected}\trefs/heads/main`, remote);
      }
      await assertWhole(copy);
      await author.git("push", "--quiet", again.remote, "main");
      assert.match(await refsAt(author, "two"), new RegExp(`^${next}\trefs/heads/main$`, "m"));
      await assertWhole(two.copyOf(project.id));
      // A push receives its response a moment before its temporary folder is removed.
      const temporary = join(place, "git", "temporary");
      for (const signal = patience(); (await readdir(temporary)).length > 0;)
        await wait(20, undefined, { signal });
      assert.equal((await assertStored({ storage, node: two, projectId: project.id })).length, 2);
      await kill(again);
    });
  }
});

/** The last reports to clients, and their last requests. */
interface Told {
  main: string;
  mainWanted: string;
  other: string;
  /** The commits of branches by name: those that were pushed, and those that were merged into `trunk`. */
  readonly pushed: Map<string, string>;
  readonly merged: string[];
}

/** Repeats until the node is killed; an earlier failure is an error. */
async function repeatUntil(killed: AbortSignal, act: () => Promise<void>): Promise<void> {
  while (!killed.aborted) {
    try {
      await act();
    } catch (error) {
      if (!killed.aborted) throw error;
    }
  }
}

describe("a node that is killed at random moments", () => {
  it(`of pushes and merges, ${rounds} times, loses nothing that it acknowledged`, async (t) => {
    const { author, project, folder, storage, one, start } = await openHostedNodes(t, { database });
    const topics = await openAuthor(join(folder, "topics"));
    const other = await openAuthor(join(folder, "other"));
    const base = await author.commit({ "index.mdx": "0\n" });
    await author.git("push", "--quiet", "one", "main", "main:trunk");
    await topics.git("fetch", "--quiet", one.urlOf(project.id), "main");
    await other.commit({ "other.mdx": "0\n" });
    const told: Told = {
      main: base,
      mainWanted: base,
      other: "",
      pushed: new Map(),
      merged: [],
    };
    let count = 0;
    const place = join(folder, "killed");
    const args = [url, place, storage, project.id];
    let node = await startProcess(t, args);

    const pushMain = async () => {
      told.mainWanted = await author.commit({ "index.mdx": `${++count}\n` });
      await author.git("push", "--quiet", node.remote, "main");
      told.main = told.mainWanted;
    };
    const mergeTopic = async () => {
      const name = `octavo/agent-${++count}`;
      await topics.git("checkout", "--quiet", "-b", name, base);
      const commit = await topics.commit({ [`topic-${count}.mdx`]: "new\n" });
      await topics.git("push", "--quiet", node.remote, name);
      told.pushed.set(`refs/heads/${name}`, commit);
      node.child.stdin.write(`${name} trunk\n`);
      const said = await node.next();
      if (said === "merged") told.merged.push(commit);
      else throw new Error(said);
    };
    const pushOther = async () => {
      const commit = await other.commit({ "other.mdx": `${++count}\n` });
      await other.git("push", "--quiet", one.urlOf(project.id), "HEAD:other");
      told.other = commit;
    };

    const random = createRandom(rounds);
    for (let round = 1; round <= rounds; round++) {
      const killing = new AbortController();
      const acts = [pushMain, mergeTopic, pushOther];
      const work = Promise.all(acts.map((act) => repeatUntil(killing.signal, act)));
      await Promise.race([wait(random() * 1_500), work]);
      killing.abort();
      await kill(node);
      await work;
      node = await startProcess(t, args);

      const refs = await author.git("ls-remote", node.remote);
      assert.equal(refs, await refsAt(author, "one"), `round ${round}`);
      const at = new Map(
        refs.split("\n").map((line) => line.split("\t").toReversed() as [string, string]),
      );
      assert.ok([told.main, told.mainWanted].includes(at.get("refs/heads/main") ?? ""));
      assert.equal(at.get("refs/heads/other") ?? "", told.other);
      for (const [name, commit] of told.pushed) assert.equal(at.get(name), commit);
      await author.git("fetch", "--quiet", node.remote, "trunk");
      const trunk = new Set((await author.git("rev-list", "FETCH_HEAD")).split("\n"));
      for (const commit of told.merged) assert.ok(trunk.has(commit), `round ${round}`);
      await assertWhole(one.copyOf(project.id));
      await assertWhole(join(place, "repositories", `${project.id}.git`));
    }
    t.diagnostic(`${count} commits, ${told.merged.length} acknowledged merges`);
    await kill(node);
    const three = await start("three");
    assert.equal(
      await author.git("ls-remote", three.urlOf(project.id)),
      await refsAt(author, "one"),
    );
    await assertWhole(three.copyOf(project.id));
    await assertStored({ storage, node: one, projectId: project.id });
  });
});
