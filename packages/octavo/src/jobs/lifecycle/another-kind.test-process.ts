/**
 * A node that can be killed. It runs the mirroring jobs of its database, and reports when it has copied one to a host.
 */
import { openTestDatabase } from "../static-export/node.test-support.ts";
import { openKindNode } from "./kind-node.test-support.ts";
import { mirroringKind } from "./another-kind.test-support.ts";

const { dataDir, url } = JSON.parse(process.argv[2] ?? "{}");
const database = await openTestDatabase({ dataDir, url });
await openKindNode(mirroringKind, {
  database,
  dataDir,
  work: async ({ claim }) => {
    await claim.write({ hosts: 1 });
    process.send?.(claim.job.id);
    return await new Promise<never>(() => {});
  },
});
