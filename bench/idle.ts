import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { startPostgres } from "../test/support/postgres.ts";
import { startService } from "../test/support/service.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import type { Section } from "./results.ts";
import { table } from "./table.ts";

const nodes = 10;
/** The queries of each start have ended by then, and its connections are closed. */
const settleMs = 20_000;
const seconds = 60;
const maxStatements = 50;
const maxConnections = 60;

/** Measures the load of ten idle nodes, each with both roles, on the PostgreSQL that they share. */
export async function benchIdle(): Promise<Section> {
  await using stack = new AsyncDisposableStack();
  const root = stack.use(await temporaryFolder());
  const postgres = stack.use(await startPostgres());
  const url = await postgres.createDatabase();
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  stack.defer(() => client.end());
  const env = { DATABASE_URL: url, OCTAVO_SECRET: "0123456789abcdef0123456789abcdef" };
  for (let index = 0; index < nodes; index += 1) {
    stack.use(await startService({ data: root.path, isFirstStart: true, env }));
  }
  const ask = async (text: string) => {
    const { rows } = await client.query(text, [new URL(url).pathname.slice(1)]);
    return Number(rows[0].value);
  };
  const transactions = () =>
    ask("select xact_commit + xact_rollback as value from pg_stat_database where datname = $1");
  const connections = () =>
    ask("select count(*) as value from pg_stat_activity where datname = $1");
  await sleep(settleMs);
  const before = await transactions();
  const start = performance.now();
  let most = 0;
  for (let second = 0; second < seconds; second += 1) {
    await sleep(1_000);
    most = Math.max(most, await connections());
  }
  const perSecond = ((await transactions()) - before) / ((performance.now() - start) / 1_000);
  const rows = [
    ["statements a second, most of them transactions of their own", perSecond.toFixed(1)],
    ["connections, highest of a minute", String(most)],
  ];
  return {
    title: "Ten idle nodes on one PostgreSQL",
    limits: [
      {
        name: "ten idle nodes, statements a second",
        limit: `at most ${maxStatements}`,
        measured: perSecond.toFixed(1),
        holds: perSecond <= maxStatements,
      },
      {
        name: "ten idle nodes, connections",
        limit: `under ${maxConnections}`,
        measured: String(most),
        holds: most < maxConnections,
      },
    ],
    body: table(["measure", "value"], rows),
  };
}
