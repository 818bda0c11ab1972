import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { defaultQuotas, createId } from "../../core/index.ts";
import type { OrganizationPlan } from "../../core/index.ts";
import { openDatabase } from "../../db/index.ts";
import { addProjectTo } from "../static-export/node.test-support.ts";
import { startNextLane } from "./fair-order.ts";
import { openQueue } from "./queue.ts";

const quiet = { info() {}, warn() {}, error() {} };

test("organizations start as often as the shares of their plans say", async () => {
  await using folder = await temporaryFolder();
  await using database = await openDatabase({ dataDir: folder.path });
  await using queue = await openQueue({ database, log: quiet, isWorker: false });
  const enqueueFor = async (plan: OrganizationPlan): Promise<string> => {
    const organizationId = createId("organization");
    const organization = { id: organizationId, name: plan, plan };
    await database.kysely.insertInto("organizations").values(organization).execute();
    const { id: projectId } = await addProjectTo(database, organizationId, "local");
    await queue.enqueue(database.kysely, "agent", plan, { owner: { organizationId, projectId } });
    return organizationId;
  };
  const large = await enqueueFor("enterprise");
  await enqueueFor("free");

  const request = { queue: "agent", quotas: defaultQuotas, excluded: [] };
  const starts: (string | null | undefined)[] = [];
  // No entry is fetched, so both organizations always have a due entry.
  for (let start = 0; start < 20; start += 1) {
    starts.push((await startNextLane(database.queue, request))?.organizationId);
  }
  assert.equal(starts.filter((id) => id === large).length, 16);
  assert.equal(starts.length, 20);
});
