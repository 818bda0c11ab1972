import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { patienceMs } from "../../../../test/support/patience.ts";
import { openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";

/** Long enough for a busy machine to look up a key, and to start git; so the tests wait beside each other. */
const requestTimeLimits = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 5_000,
  transferTimeoutMs: patienceMs,
  idleTimeoutMs: 5_000,
  stopTimeoutMs: 500,
};

let api: RunningApi;
let acme: TestOrganization;
let project: string;
before(async () => {
  api = await openApi({ requestTimeLimits });
  acme = await api.openOrganization();
  project = await api.addHostedProject(acme);
});
after(() => api[Symbol.asyncDispose]());

/**
 * A connection on which a request was begun; `answer` is all that came when it has ended. Who goes on sending
 * after that is reset, which is an end like any other.
 */
function begin(
  path: string,
  { of = api, key = acme.key, type = "application/json", bytes = 4 } = {},
) {
  const socket = connect(Number(new URL(of.url).port), "127.0.0.1").setEncoding("utf8");
  let answer = "";
  socket.on("data", (text: string) => (answer += text));
  socket.on("error", () => undefined);
  const ended = new Promise((resolve) => socket.once("close", resolve));
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: a.example\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`,
  );
  return { socket, ended, answer: () => answer };
}

/** Four letters take longer than a request may, and it is never silent for long. */
async function trickle(socket: Socket, text: string): Promise<void> {
  for (const letter of text) {
    await sleep(requestTimeLimits.requestTimeoutMs * 0.4);
    if (socket.writable) socket.write(letter);
  }
}

describe("a body that comes slowly", { concurrency: true }, () => {
  test("is not waited for, though it never stops coming", async () => {
    const { socket, ended, answer } = begin("/v2/keys", { bytes: 1_000 });
    const trickling = trickle(socket, " ".repeat(4));
    await ended;
    await trickling;
    assert.match(answer(), /^HTTP\/1\.1 408 .*{"error":"[^"]+"}$/s);
  });

  test("does not hold the connection where it was answered already", async () => {
    const { ended, answer } = begin("/nowhere", { bytes: 1_000 });
    await ended;
    assert.match(answer(), /^HTTP\/1\.1 404 /);
    assert.equal(answer().match(/HTTP\/1\.1/g)?.length, 1);
  });

  const type = "application/x-git-upload-pack-request";

  test("is waited for in a transfer of git's, as long as bytes come", async () => {
    // A machine that stands still for a while makes no transfer idle here.
    await using own = await openApi({
      requestTimeLimits: { ...requestTimeLimits, idleTimeoutMs: patienceMs },
    });
    const owner = await own.openOrganization();
    const path = `/git/${await own.addHostedProject(owner)}.git/git-upload-pack`;
    const { socket, ended, answer } = begin(path, { of: own, key: owner.key, type });
    await trickle(socket, "0000");
    while (!socket.closed && !answer().includes("\r\n\r\n"))
      await Promise.race([once(socket, "data"), ended]);
    socket.destroy();
    assert.match(answer(), /^HTTP\/1\.1 200 /);
  });

  test("is given up in a transfer if no byte arrives", async () => {
    const { ended, answer } = begin(`/git/${project}.git/git-upload-pack`, { type });
    await ended;
    assert.doesNotMatch(answer(), /^HTTP\/1\.1 200 /);
  });

  test("is not waited for without a valid key", async () => {
    const path = `/git/${project}.git/git-receive-pack`;
    const { socket, ended, answer } = begin(path, { type, key: "octavo_none", bytes: 1_000 });
    const trickling = trickle(socket, " ".repeat(4));
    await ended;
    await trickling;
    assert.match(answer(), /^HTTP\/1\.1 401 /);
    assert.equal(answer().match(/HTTP\/1\.1/g)?.length, 1);
  });
});

test(
  "a body that does not arrive does not keep the service from stopping",
  { timeout: patienceMs },
  async () => {
    await using own = await openApi({
      requestTimeLimits: { ...requestTimeLimits, requestTimeoutMs: 120_000 },
    });
    const { key } = await own.openOrganization();
    const answered = begin("/nowhere", { of: own, key, bytes: 1_000 });
    const waiting = begin("/v2/keys", { of: own, key, bytes: 1_000 });
    await once(answered.socket, "data");
    // Everything that was sent before it has arrived too.
    await fetch(`${own.url}/healthz`);
    await own.app.close();
    await Promise.all([answered.ended, waiting.ended]);
    assert.match(answered.answer(), /^HTTP\/1\.1 404 /);
    assert.match(waiting.answer(), /^HTTP\/1\.1 408 .*{"error":"[^"]+"}$/s);
  },
);
