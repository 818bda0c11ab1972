import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openDashboard, waitFor } from "../../../../test/support/running-dashboard.ts";
import type {
  HostedProject,
  RunningDashboard,
  Visit,
  Visitor,
} from "../../../../test/support/running-dashboard.ts";
import type { MemberRole } from "../core/index.ts";

let dashboard: RunningDashboard;
let organization: { readonly id: string; readonly key: string };
let hosted: HostedProject;
/** The address of the page around the preview. */
let preview: string;
let ada: Visitor;

before(async () => {
  dashboard = await openDashboard();
  organization = await dashboard.openOrganization();
  hosted = await dashboard.addProject(organization.id);
  ada = await dashboard.browse().signIn(organization.key);
  const started = await ada.post(`/projects/${hosted.project.id}/exports`);
  const address = started.headers.get("location") ?? "";
  await waitFor(ada, address, ({ text }) => /badge-completed/.test(text.split("<main")[1] ?? ""));
  preview = (await ada.get(`${address}/preview`)).headers.get("location") ?? "";
});
after(() => dashboard[Symbol.asyncDispose]());

async function findFrame(visitor: Visitor): Promise<string> {
  return /<iframe[^>]+src="([^"]+)"/.exec((await visitor.get(preview)).text)?.[1] ?? "";
}

/** Requests a file without a cookie, as a browser does for what it shows in the given way. */
function open(path: string, destination?: string): Promise<Visit> {
  const headers = destination === undefined ? {} : { "sec-fetch-dest": destination };
  return dashboard.browse().get(path, headers);
}

const sandboxOf = ({ headers }: Visit) =>
  headers.get("content-security-policy")?.split(";")[0] ?? "";

/** Signs a member in, without a provider. */
async function signInMember(role: MemberRole) {
  const { members, sessions } = dashboard.node.records;
  const by = { organizationId: organization.id };
  const { id, name } = await members.invite(by, { email: `${role}@acme.example`, role });
  const actor = { type: "person", id, name } as const;
  const token = await sessions.begin({ ...by, actor, address: "127.0.0.1", browser: "Test" });
  const cookie = `octavo=${token}`;
  const visitor = dashboard.browse();
  const get: Visitor["get"] = (path) => visitor.get(path, { cookie });
  return { id, by, members, visitor: { ...visitor, get } };
}

describe("the page around a preview", () => {
  it("names the project and its commit, and leads back to the export", async () => {
    const { text } = await ada.get(preview);
    const { project } = hosted;
    assert.match(text, new RegExp(`<a href="/projects/${project.id}">Docs</a>`));
    assert.match(text, /<code title="[0-9a-f]{40}">[0-9a-f]{7}<\/code>/);
    const jobId = /previews\/(se_\w+)/.exec(preview)?.[1] ?? "";
    assert.ok(text.includes(`href="/projects/${project.id}/exports/${jobId}">Back to the export`));
  });
});

describe("a file of a preview", () => {
  it("is shown in a frame, with scripts, and is not stored", async () => {
    const shown = await open(await findFrame(ada), "iframe");
    assert.equal(shown.status, 200);
    assert.equal(sandboxOf(shown), "sandbox allow-scripts");
    const { headers } = shown;
    assert.deepEqual(
      ["cache-control", "vary", "referrer-policy"].map((name) => headers.get(name)),
      ["no-store", "sec-fetch-dest", "no-referrer"],
    );
  });

  it("as a page of its own leads to the page around it, whose address grants nothing", async () => {
    const frame = await findFrame(ada);
    const { status, headers } = await open(`${frame}guide.html`, "document");
    assert.equal(status, 303);
    assert.equal(headers.get("location"), `${preview}guide.html`);
    const next = `/signin?next=${encodeURIComponent(`${preview}guide.html`)}`;
    const signedOut = await open(`${preview}guide.html`, "document");
    assert.equal(signedOut.headers.get("location"), next);
  });

  for (const destination of [undefined, "embed", "object", "empty"]) {
    it(`runs no scripts if it is shown elsewhere or the browser does not say: ${destination}`, async () => {
      assert.equal(sandboxOf(await open(await findFrame(ada), destination)), "sandbox");
    });
  }

  it("runs its scripts only where the dashboard's page says so", async () => {
    const note = /scripts run only if the dashboard is opened over https/;
    assert.match((await ada.get(preview)).text, note);
    const page = await ada.get(preview, { "sec-fetch-dest": "document" });
    assert.doesNotMatch(page.text, note);
  });
});

describe("the right to see a preview", () => {
  it("is each visitor's own, whoever sent them the address", async () => {
    const other = await dashboard.openOrganization("Other");
    const stranger = await dashboard.browse().signIn(other.key);
    assert.equal((await stranger.get(preview)).status, 404);
    const second = await dashboard.addProject(organization.id);
    const { keys } = dashboard.node.records;
    for (const [project, status] of [
      [second.project, 404],
      [hosted.project, 200],
    ] as const) {
      const scope = { organizationId: organization.id, projectId: project.id };
      const visitor = await dashboard.browse().signIn((await keys.create(scope, "Limited")).secret);
      assert.equal((await visitor.get(preview)).status, status);
    }
  });

  it("ends with the session", async () => {
    const visitor = await dashboard.browse().signIn(organization.key);
    const frame = await findFrame(visitor);
    assert.equal((await open(frame, "iframe")).status, 200);
    await visitor.post("/signout");
    const over = await open(frame, "iframe");
    assert.equal(over.status, 403);
    assert.match(over.text, /This preview has expired/);
    assert.equal((await visitor.get(preview)).status, 303);
  });

  it("ends with the key", async () => {
    const { keys } = dashboard.node.records;
    const by = { organizationId: organization.id, projectId: null };
    const { id, secret } = await keys.create(by, "Short");
    const frame = await findFrame(await dashboard.browse().signIn(secret));
    assert.equal((await open(frame, "iframe")).status, 200);
    await keys.revoke(by, id);
    assert.equal((await open(frame, "iframe")).status, 403);
  });

  it("ends with the membership, and stays with another role", async () => {
    const { id, by, members, visitor } = await signInMember("editor");
    const frame = await findFrame(visitor);
    assert.equal((await open(frame, "iframe")).status, 200);
    await members.changeRole(by, id, "viewer");
    assert.equal((await open(frame, "iframe")).status, 200);
    await members.remove(by, id);
    assert.equal((await open(frame, "iframe")).status, 403);
    assert.equal((await visitor.get(preview)).status, 303);
  });

  it("is that of a signed address, which nobody can change", async () => {
    const frame = await findFrame(ada);
    for (const forged of [
      frame.replace(/\.[^./]+\/$/, ".forged/"),
      frame.replace("/preview/ss_", "/preview/ss_0"),
    ]) {
      for (const destination of ["iframe", "document"]) {
        assert.equal((await open(forged, destination)).status, 403);
      }
    }
  });
});
