import { createInterface } from "node:readline";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import { createFileStorage } from "../../packages/octavo/src/storage/index.ts";
import type { PackStorage } from "../../packages/octavo/src/hosting/index.ts";
import { startCodeHostNode } from "./code-host-node.ts";

/**
 * A node in a process of its own, for tests that kill it: `url folder storage project pause`. A line `head base` on
 * standard input merges a branch by a pull request.
 */
const [url = "", folder = "", storageFolder = "", projectId = "", pause = ""] =
  process.argv.slice(2);

const storage = createFileStorage(storageFolder);
const packs: PackStorage = {
  ...storage,
  async put(key, file) {
    await waitAt("before put");
    await storage.put(key, file);
    await waitAt("after put");
  },
};

/** Says that it is there, and stays until it is killed. */
async function waitAt(point: string): Promise<void> {
  if (pause !== point) return;
  console.log(point);
  await new Promise(() => setInterval(() => undefined, 60_000));
}

await using database = await openDatabase({ url, dataDir: folder });
await using node = await startCodeHostNode({ database, packs, folder });
await node.hosting.removeLeftovers();
console.log(`ready ${node.urlOf(projectId)}`);
const project = { id: projectId, repository: "local" };
const person = { name: "Ada", email: "ada@example.com" };
for await (const line of createInterface({ input: process.stdin })) {
  const [head = "", base = ""] = line.split(" ");
  const { number } = await node.host.create(project, { title: head, body: "", head, base });
  const { state } = await node.reviews.merge(project, number, person);
  console.log(state);
}
