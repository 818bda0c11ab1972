import { setTimeout as sleep } from "node:timers/promises";
import { openAgentService } from "../test/support/agent-service.ts";
import type { Turn } from "../test/support/model-server.ts";
import type { Section } from "./results.ts";
import { quantile } from "./statistics.ts";
import { table } from "./table.ts";

const tries = 20;
/** Before the model's first byte, and in the middle of its answer. */
const turns: readonly Turn[] = [{ fault: "mute" }, { fault: "silent" }];

/** From the moment a client cancels a job until the model's server sees its connection closed. */
export async function benchCancel(): Promise<Section> {
  await using agents = await openAgentService();
  const project = await agents.addProject("anthropic", { "index.mdx": "---\ntitle: Home\n---\n" });
  const delays: number[] = [];
  for (let index = 0; index < tries; index += 1) {
    const asked = agents.model.requests.length;
    const turn = turns[index % turns.length] ?? { text: "" };
    const { id } = await project.create(`Wait ${index}`, [turn]);
    while (agents.model.requests.length === asked) await sleep(5);
    // The call shall be under way, and not about to be.
    await sleep(100);
    const sent = performance.now();
    const path = `/v2/agent/${project.id}/job/${id}/cancel`;
    const [closed] = await Promise.all([
      agents.model.requests[asked]?.abandoned,
      agents.client.call("POST", path),
    ]);
    delays.push((closed ?? 0) - sent);
  }
  const at = (share: number) => `${quantile(delays, share).toFixed(1)} ms`;
  const rows = [
    ["cancel to closed connection, median", at(0.5)],
    ["cancel to closed connection, 95th percentile", at(0.95)],
    ["cancel to closed connection, longest", at(1)],
  ];
  return { title: "A cancelled agent job", limits: [], body: table(["measure", "value"], rows) };
}
