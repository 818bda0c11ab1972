import { join } from "node:path";
import { browserArguments, chromiumProgram } from "../../test/support/chromium.ts";
import { installPackages } from "../peers/npm-packages.ts";
import { run } from "../peers/run.ts";
import { readReport, type Category, type LighthouseReport } from "./report.ts";

export const version = "13.5.0";

/** Looks at the page with this address as a phone on a slow network would get it, with an empty cache. */
export type Lighthouse = (url: string, look?: Look) => Promise<LighthouseReport>;

export interface Look {
  /** Sent with every request, as who is signed in does. */
  readonly cookie?: string;
  /** All categories if absent; the others have the score 0 then. */
  readonly only?: Category;
}

/** Lighthouse as npm has it, installed into `folder` unless it is there, with the browser of the tests. */
export async function openLighthouse(folder: string): Promise<Lighthouse> {
  await installPackages(folder, { lighthouse: version });
  const program = join(folder, "node_modules/lighthouse/cli/index.js");
  const browser = await chromiumProgram();
  const flags = ["--headless", ...browserArguments].join(" ");
  return async (url, { cookie, only } = {}) => {
    const command = [program, url, "--quiet", "--output=json", `--chrome-flags=${flags}`];
    if (cookie !== undefined) command.push(`--extra-headers=${JSON.stringify({ cookie })}`);
    if (only !== undefined) command.push(`--only-categories=${only}`);
    const env = { ...browser.env, CHROME_PATH: browser.path };
    return readReport(await run([process.execPath, ...command], folder, env));
  };
}
