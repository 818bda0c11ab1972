import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../../../../test/support/api-client.ts";
import { openDashboard, waitFor } from "../../../../test/support/running-dashboard.ts";
import type { RunningDashboard, Visitor } from "../../../../test/support/running-dashboard.ts";
import { isSignedWith, startWebhookReceiver } from "../../../../test/support/webhook-receiver.ts";
import type { WebhookReceiver } from "../../../../test/support/webhook-receiver.ts";

let receiver: WebhookReceiver;
let dashboard: RunningDashboard;
let organization: { readonly id: string; readonly key: string };
let ada: Visitor;
before(async () => {
  receiver = await startWebhookReceiver();
  dashboard = await openDashboard({ OCTAVO_ALLOW: receiver.place });
  organization = await dashboard.openOrganization();
  ada = await dashboard.browse().signIn(organization.key);
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

interface Made {
  readonly path: string;
  readonly secret: string;
}

async function make(): Promise<Made> {
  const { status, text } = await ada.post("/webhooks", {
    url: receiver.url,
    events: "static_export.completed",
  });
  assert.equal(status, 200, text);
  const [secret = ""] = /whsec_[\w+/=]+/.exec(text) ?? [];
  const [path = ""] = /\/webhooks\/wh_\w+/.exec(text) ?? [];
  return { path, secret };
}

async function recordedActs(): Promise<readonly string[]> {
  const { body } = await createApiClient(dashboard.url, organization.key).call<{
    events: { action: string; actor: { name: string } | null; target: { name: string } }[];
  }>("GET", "/v2/audit?limit=100");
  return body.events.map(({ action, actor, target }) => `${actor?.name} ${action} ${target.name}`);
}

describe("webhooks in the dashboard", () => {
  it("are created with a secret that is shown once, tried, and tell what was answered", async () => {
    receiver.answer({ status: 500 });
    const { path, secret } = await make();
    assert.doesNotMatch((await ada.get("/webhooks")).text, /whsec_/);
    assert.equal((await ada.post(`${path}/test`)).status, 303);
    const failed = await waitFor(ada, path, ({ text }) => text.includes("badge-failed"));
    assert.match(failed.text, /webhook\.test/);
    assert.match(failed.text, /response 500/);
    assert.match(failed.text, /The receiver responded with 500\./);
    assert.doesNotMatch(failed.text, /hx-get/);
    const message = receiver.received.at(-1);
    assert.ok(message && isSignedWith(secret, message));

    receiver.answer({ status: 204 });
    const [, again = ""] = /action="([^"]+\/send)"/.exec(failed.text) ?? [];
    assert.equal((await ada.post(again)).status, 303);
    const sent = await waitFor(ada, path, ({ text }) => text.includes("badge-completed"));
    assert.match(sent.text, /response 204/);
    assert.match(sent.text, /2 attempts/);
    assert.equal(receiver.received.at(-1)?.headers["webhook-id"], message.headers["webhook-id"]);
    const acts = await recordedActs();
    for (const act of ["created", "tested", "message_sent_again"]) {
      assert.ok(acts.includes(`Ada's key webhook.${act} ${receiver.place}`), acts.join("\n"));
    }
  });

  it("are changed and deleted", async () => {
    const { path } = await make();
    const url = `${receiver.url}/elsewhere`;
    assert.equal((await ada.post(path, { url, events: "agent.failed" })).status, 303);
    const { text } = await ada.get(path);
    assert.match(text, /value="[^"]+\/elsewhere"/);
    assert.match(text, /value="agent\.failed"\s+checked/);
    assert.doesNotMatch(text, /value="static_export\.completed"\s+checked/);
    assert.equal((await ada.post(`${path}/delete`)).status, 303);
    assert.equal((await ada.get(path)).status, 404);
    assert.ok((await recordedActs()).includes(`Ada's key webhook.changed ${receiver.place}`));
  });

  for (const [form, says] of [
    [{ url: "https://127.0.0.1/", events: "agent.failed" }, /private or local address/],
    [{ url: "https://example.com/" }, /Choose at least one event/],
  ] as const) {
    it(`keep what was typed when they are refused: ${says.source}`, async () => {
      const { path } = await make();
      for (const address of ["/webhooks", path]) {
        const { status, text } = await ada.post(address, form);
        assert.equal(status, 400);
        assert.match(text, says);
        assert.ok(text.includes(`value="${form.url}"`));
      }
    });
  }

  it("are not for other organizations, nor for a key of one project", async () => {
    const { path } = await make();
    const stranger = await dashboard.openOrganization("Others");
    const { project } = await dashboard.addProject(organization.id);
    const scope = { organizationId: organization.id, projectId: project.id };
    const limited = await dashboard.node.records.keys.create(scope, "Limited");
    for (const key of [stranger.key, limited.secret]) {
      const visitor = await dashboard.browse().signIn(key);
      for (const act of ["/test", "/delete", "/deliveries/msg_1/send", ""]) {
        assert.equal((await visitor.post(path + act)).status, 404, act);
      }
      assert.doesNotMatch((await visitor.get("/webhooks")).text, /wh_/);
    }
    const form = { url: receiver.url, events: "agent.failed" };
    const visitor = await dashboard.browse().signIn(limited.secret);
    assert.equal((await visitor.post("/webhooks", form)).status, 403);
  });
});
