import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { putEmptyDatabase } from "../../../../test/support/empty-database.ts";
import { fails } from "../../../../test/support/fails.ts";
import { addHostedProject } from "../../../../test/support/hosted-repositories.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { defaultQuotas } from "../core/index.ts";
import { openDatabase } from "../db/index.ts";
import { createFileStorage } from "../storage/index.ts";
import { createRepositoryStore } from "./repository-store.ts";

test("a repository never takes more than its organization's plan allows", async () => {
  await using folder = await temporaryFolder();
  await putEmptyDatabase(folder.path);
  await using database = await openDatabase({ dataDir: folder.path });
  const packs = createFileStorage(join(folder.path, "storage"));
  const enterprise = { ...defaultQuotas.enterprise, repositoryMb: 0.0015 };
  const quotas = { ...defaultQuotas, enterprise };
  const projectId = await addHostedProject(database);
  const store = createRepositoryStore({ db: database.kysely, packs, quotas }, projectId);
  await store.create();
  const push = async (name: string) => {
    const file = join(folder.path, name);
    await writeFile(file, "x".repeat(1_000));
    return await store.publish({
      basis: 0,
      updates: [{ name: `refs/heads/${name}`, to: "a".repeat(40), expected: null }],
      pack: await store.putPack(file),
      isAtomic: false,
      canLoseCommits: false,
      maxBytes: 1e9,
    });
  };
  await push("one");
  await assert.rejects(push("two"), fails("too_large", /take 1 MB.*raise enterprise.repositoryMb/));
  assert.deepEqual([...(await store.read(0)).refs.keys()], ["refs/heads/one"]);
});
