import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import packed, { inflate } from "@sparticuz/chromium";
import { chromium, type Browser } from "playwright-core";
import { acquireLock } from "../../packages/octavo/src/git/index.ts";
import { writeFontConfiguration } from "./browser-fonts.ts";
import { patienceMs } from "./patience.ts";

/** The arguments of the browser. The package's own ones turn off web security and end the browser with a page. */
export const browserArguments: readonly string[] = [
  "--no-sandbox", // tests run as root in containers, where Chromium's sandbox refuses to start
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-sync",
  "--font-render-hinting=none", // the shape of a letter shall not depend on the desktop's settings
  "--no-first-run",
];

/** A browser from npm alone, with fonts from npm alone: text is as wide on every machine. */
export interface ChromiumProgram {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A real browser for tests; `await using` closes it. It may be opened by several test processes at once. What it asks
 * of other hosts goes through `proxy`, if one is given. `hosts` are names that lead to this machine.
 */
export async function launchChromium(
  options: { readonly proxy?: string; readonly hosts?: readonly string[] } = {},
): Promise<Browser & AsyncDisposable> {
  const { path, env } = await chromiumProgram();
  const rules = (options.hosts ?? []).map((host) => `MAP ${host} 127.0.0.1`);
  const args = [...browserArguments, ...(rules.length > 0 ? [`--host-resolver-rules=${rules.join()}`] : [])]; // prettier-ignore
  const proxy =
    options.proxy === undefined ? {} : { proxy: { server: options.proxy, bypass: "127.0.0.1" } };
  const environment = { ...process.env, ...env };
  const browser = await chromium.launch({
    executablePath: path,
    args,
    env: environment,
    timeout: patienceMs,
    ...proxy,
  });
  // Before anybody has the context: the event comes first.
  browser.on("context", (context) => context.setDefaultTimeout(patienceMs));
  return browser;
}

/**
 * The package unpacks the browser into the folder for temporary files and takes whatever lies there
 * for whole, so two processes must not unpack at the same time.
 */
export async function chromiumProgram(): Promise<ChromiumProgram> {
  await using _lock = await acquireLock(join(tmpdir(), "octavo-chromium.lock"));
  const path = await packed.executablePath();
  const entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  const fonts = await inflate(join(dirname(entry), "../bin/fonts.tar.br"));
  return { path, env: { FONTCONFIG_FILE: await writeFontConfiguration(fonts) } };
}
