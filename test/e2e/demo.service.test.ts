/** The demo of a first start: what a newcomer is offered leads to a pull request. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../support/api-client.ts";
import { startService, type RunningService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

describe("the demo", () => {
  const open = new AsyncDisposableStack();
  let service: RunningService;
  let projectId: string;
  let suggestions: readonly string[];
  before(async () => {
    const { path: data } = open.use(await temporaryFolder());
    service = open.use(await startService({ data, args: ["--demo"], isFirstStart: true }));
    const client = createApiClient(service.url, service.key);
    const { body } = await client.call<{ projects: { id: string }[] }>("GET", "/v2/projects");
    projectId = body.projects[0]?.id ?? "";
    suggestions = await readSuggestions(service, `/projects/${projectId}`);
  });
  after(() => open.disposeAsync());

  it("suggests three instructions", () => {
    assert.equal(suggestions.length, 3);
  });

  for (const at of [0, 1, 2]) {
    it(`opens a pull request for suggestion ${at + 1}, which changes one page`, async () => {
      const client = createApiClient(service.url, service.key);
      const jobs = `/v2/agent/${projectId}/job`;
      const { body } = await client.call<{ id: string }>("POST", jobs, {
        body: { prompt: suggestions[at] },
      });
      const ended = await client.waitForAgentJob(`${jobs}/${body.id}`);
      assert.equal(ended.status, "completed");
      assert.match(ended.prLink ?? "", /\/pulls\/\d+$/);
      const diff = await fetch(`${service.url}${jobs}/${body.id}/diff`, {
        headers: { authorization: `Bearer ${service.key}` },
      });
      const text = await diff.text();
      assert.equal(text.match(/diff --git/g)?.length, 1, text);
      assert.match(text, /a\/try-an-agent\.mdx/);
    });
  }
});

/** Signs in with the key, as a person does, and returns the suggestions on a page. */
async function readSuggestions(
  { url, key }: RunningService,
  path: string,
): Promise<readonly string[]> {
  const signedIn = await fetch(`${url}/signin`, {
    method: "POST",
    redirect: "manual",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ key }),
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  const page = await fetch(url + path, { headers: { cookie } });
  const text = await page.text();
  return [...text.matchAll(/<a [^>]*data-fill="prompt"[^>]*>([^<]*)</g)].map(([, words = ""]) =>
    words.trim(),
  );
}
