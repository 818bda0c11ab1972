#!/usr/bin/env node
// Plain JavaScript that any Node can run: it checks the runtime before anything newer is loaded.
import module from "node:module";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const isRepository = existsSync(new URL("../src/cli/main.ts", import.meta.url));
const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  console.error(
    `Octavo needs Node 24 and was started by Node ${process.versions.node}. ` +
      (isRepository
        ? "`npm ci` brings Node 24 along when its install scripts may run (not with --ignore-scripts); " +
          "then use `npm start` or `npm run octavo -- <command>`."
        : "Install Node 24 from https://nodejs.org, then run the command again."),
  );
  process.exit(1);
}
// V8's bookkeeping of protected code pages can abort a process that runs WebAssembly in a thread, as the embedded
// database does (https://github.com/nodejs/node/issues/64500), and so it can when it frees compiled code that is no
// longer used, which is a few megabytes. V8 reads this when it starts, so the process becomes one that has it, as
// npm scripts have from the beginning; Windows has no such pages. Commands that open no database do without: a second
// start, and Node's own modules, whose compiled code fits V8's own settings only, would cost an export 0.1 s of CPU.
const hasDatabase = !["agent", "check", "export"].includes(process.argv[2] ?? "");
// Stripping types is stable enough for us, but not for Node to say nothing of it. The packages run from their sources
// in the repository, and from `dist/` where they are installed.
const condition = "@octavo/source";
// V8 doubles its young generation, up to 64 MB, whenever a service has more to do at a time than before, and keeps it.
// Fixed, it adds nothing to what the service holds at rest.
const isService = ["serve", "worker"].includes(process.argv[2] ?? "");
const flags = [
  ...(hasDatabase ? ["--no-memory-protection-keys", "--no-wasm-code-gc"] : []),
  ...(isService ? ["--min-semi-space-size=8", "--max-semi-space-size=8"] : []),
  ...(hasDatabase || isRepository ? ["--disable-warning=ExperimentalWarning"] : []),
  ...(isRepository ? [`--conditions=${condition}`] : []),
];
const missing = flags.filter((flag) => !process.execArgv.includes(flag));
// With each large buffer that is freed, glibc raises the size up to which it keeps memory, in an arena for each thread:
// after sixty exports a service had 381 to 449 MB. With the thresholds fixed to what they are at first it had 327 to
// 354 MB throughout. They are read when a process starts, see mallopt(3); what the operator set counts.
const allocation = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};
const isAllocationSet =
  !hasDatabase ||
  process.platform !== "linux" ||
  Object.keys(allocation).every((name) => name in process.env);
if ((missing.length > 0 || !isAllocationSet) && process.platform !== "win32") {
  const program = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const args = [process.execPath, ...process.execArgv, ...missing, ...program];
  process.execve(process.execPath, args, { ...allocation, ...process.env });
}
// Compiled code is kept beside what it was compiled from, so that whoever may write it may write the program
// too; a folder in the system's temp could be made beforehand by any user. Where this one cannot be written,
// nothing is kept, and each start compiles for itself.
const cacheFolder = isRepository ? "../../../node_modules/.cache/octavo" : "../.cache";
module.enableCompileCache(fileURLToPath(new URL(cacheFolder, import.meta.url)));
if (isRepository) {
  // Where the process could not become another; hooks make each import slower.
  const needsHook = missing.includes(`--conditions=${condition}`);
  if (needsHook)
    module.registerHooks({
      resolve: (specifier, context, next) =>
        next(specifier, { ...context, conditions: [...(context.conditions ?? []), condition] }),
    });
  await import("../src/cli/main.ts");
} else {
  await import("../dist/cli/main.js");
}
