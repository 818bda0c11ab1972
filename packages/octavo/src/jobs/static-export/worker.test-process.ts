/**
 * A node that can be killed. It opens the service described by its arguments with a renderer that never finishes,
 * starts the given number of exports, and prints their IDs in the middle of the first export.
 */
import { patience } from "../../../../../test/support/patience.ts";
import { openExportNode } from "./node.test-support.ts";
import { halfRenderer } from "./plain-ports.test-support.ts";

const { count, caller, domain, ...options } = JSON.parse(process.argv[2] ?? "{}");
const node = await openExportNode({ ...options, renderSite: halfRenderer });
const ids: string[] = [];
for (let index = 0; index < count; index++) {
  const { job } = await node.exports.start(caller, { domain });
  ids.push(job.jobId);
}
for await (const { job } of node.exports.watch(caller, ids[0] ?? "", patience())) {
  if (job.pageCount >= 3) break;
}
process.send?.(ids);
