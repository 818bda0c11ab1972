import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { after, before, describe, it } from "node:test";
import { bundle } from "../../tools/build/bundle.ts";
import { programBundling } from "../../tools/build/packages.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";
import type { TemporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const service = resolve(import.meta.dirname, "../../packages/octavo");
const expires = "2100-01-01T00:00:00Z";

const script = `
import { S3Client } from "./storage/s3/client.bundled.js";
// The SDK asks a machine once, and waits a second for the answer.
const find = () => new S3Client({ region: "eu-test-1" }).config.credentials();
const { accessKeyId } = await find().catch(find).catch(find);
process.stdout.write(accessKeyId);
`;

function webIdentityAnswer(id: string): string {
  return `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>${id}</AccessKeyId>
<SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>
<Expiration>${expires}</Expiration></Credentials></AssumeRoleWithWebIdentityResult>
</AssumeRoleWithWebIdentityResponse>`;
}

/** Gives credentials to whoever asks as a container, as a pod with a web identity, or as a machine. */
function serveCredentials(): Server {
  return createServer((request, response) => {
    const { method, url = "" } = request;
    const secret = { Code: "Success", SecretAccessKey: "secret", Token: "token" };
    const answer = (AccessKeyId: string) =>
      JSON.stringify({ ...secret, AccessKeyId, Expiration: expires });
    if (method === "POST") {
      response.setHeader("content-type", "text/xml").end(webIdentityAnswer("of-the-pod"));
    } else if (url === "/container") response.end(answer("of-the-container"));
    else if (url === "/latest/api/token") response.end("token");
    else if (url.endsWith("/security-credentials/")) response.end("role");
    else response.end(answer("of-the-machine"));
  }).listen(0, "127.0.0.1");
}

describe("what the build takes out of the SDK for S3", () => {
  let folder: TemporaryFolder;
  let server: Server;
  before(async () => {
    folder = await temporaryFolder();
    const { external } = programBundling(service);
    await bundle(service, folder.path, { entries: ["storage/s3/client.bundled"], external });
    await writeFiles(folder.path, {
      "package.json": '{"type":"module"}',
      "find.js": script,
      credentials:
        "[default]\naws_access_key_id = of-the-file\naws_secret_access_key = secret\n" +
        `[other]\ncredential_process = echo '{"Version":1,"AccessKeyId":"of-the-process","SecretAccessKey":"secret"}'\n`,
      "web-token": "token",
    });
    server = serveCredentials();
    await once(server, "listening");
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await folder[Symbol.asyncDispose]();
  });

  async function find(env: Readonly<Record<string, string>>): Promise<string> {
    const own = { PATH: process.env["PATH"] ?? "", HOME: folder.path };
    const options = { cwd: folder.path, env: { ...own, ...env } };
    const { stdout } = await run(process.execPath, [join(folder.path, "find.js")], options);
    return stdout;
  }

  it("finds credentials wherever Amazon's SDK does", async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = { AWS_SHARED_CREDENTIALS_FILE: join(folder.path, "credentials") };
    const variables = { AWS_ACCESS_KEY_ID: "of-the-variables", AWS_SECRET_ACCESS_KEY: "secret" };
    assert.equal(await find(variables), "of-the-variables");
    assert.equal(await find(file), "of-the-file");
    assert.equal(await find({ ...file, AWS_PROFILE: "other" }), "of-the-process");
    const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container` };
    assert.equal(await find(container), "of-the-container");
    const pod = {
      AWS_WEB_IDENTITY_TOKEN_FILE: join(folder.path, "web-token"),
      AWS_ROLE_ARN: "arn:aws:iam::123456789012:role/octavo",
      AWS_ENDPOINT_URL_STS: url,
      AWS_REGION: "eu-test-1",
    };
    assert.equal(await find(pod), "of-the-pod");
    const machine = { AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
    assert.equal(await find(machine), "of-the-machine");
  });
});
