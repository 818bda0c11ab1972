import { mkdir, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificate } from "./certificate.ts";
import { freePort } from "./free-port.ts";
import { patience } from "./patience.ts";

/** A real ACME authority, Let's Encrypt's Pebble, which visits hosts as a DNS server of the test names them. */
export interface AcmeAuthority extends AsyncDisposable {
  readonly directoryUrl: string;
  /** The file with the certificate that its clients must trust. */
  readonly caFile: string;
  /** The certificate of the authority that signs those of hosts. */
  readonly root: string;
  /** The number of certificates that it issued. */
  readonly countIssued: () => number;
}

export interface AcmeAuthorityOptions {
  /** The program, an installed `pebble`. */
  readonly program: string;
  readonly folder: string;
  readonly dnsServer: string;
  /** The ports at which it visits hosts. */
  readonly httpPort: number;
  readonly tlsPort: number;
  /** The time for which its certificates are valid. */
  readonly validSeconds: number;
  /** Names for which it gives no certificate. */
  readonly refused: readonly string[];
}

export async function startAcmeAuthority(options: AcmeAuthorityOptions): Promise<AcmeAuthority> {
  const { folder, httpPort, tlsPort } = options;
  await mkdir(folder, { recursive: true });
  const { key, certificate } = makeCertificate();
  const caFile = join(folder, "ca.pem");
  const keyFile = join(folder, "ca.key");
  await writeFile(caFile, certificate);
  await writeFile(keyFile, key);
  const [port, managementPort] = [await freePort(), await freePort()];
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: caFile,
    privateKey: keyFile,
    httpPort,
    tlsPort,
    ocspResponderURL: "",
    externalAccountBindingRequired: false,
    certificateValidityPeriod: options.validSeconds,
    domainBlocklist: options.refused,
  };
  const configFile = join(folder, "pebble.json");
  await writeFile(configFile, JSON.stringify({ pebble }));
  const args = ["-config", configFile, "-dnsserver", options.dnsServer];
  const child = spawn(options.program, args, {
    env: { PEBBLE_VA_NOSLEEP: "1", PEBBLE_AUTHZREUSE: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (log += chunk.toString()));
  }
  const ended = once(child, "exit");
  const signal = patience();
  let root: string | undefined;
  while (root === undefined) {
    if (child.exitCode !== null) throw new Error(`Pebble ended: ${log}`);
    await sleep(100, undefined, { signal });
    root = await readText(`https://127.0.0.1:${managementPort}/roots/0`, certificate).catch(() => undefined); // prettier-ignore
  }
  return {
    directoryUrl: `https://127.0.0.1:${port}/dir`,
    caFile,
    root,
    countIssued: () => log.match(/Issued certificate serial /g)?.length ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function readText(url: string, ca: string): Promise<string> {
  const sent = request(url, { ca }).end();
  const [response] = await once(sent, "response");
  return await text(response);
}
