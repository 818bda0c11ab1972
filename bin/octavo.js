#!/usr/bin/env -S node --no-memory-protection-keys --no-wasm-code-gc --disable-warning=ExperimentalWarning
// The flags: V8's bookkeeping of protected code pages can abort a process that runs WebAssembly in a thread,
// as the embedded database does (https://github.com/nodejs/node/issues/64500), when it frees compiled code
// that is no longer used, which is a few megabytes; and stripping types is
// stable enough for us, but not for Node to say nothing of it.
// Plain JavaScript that any Node can run: it checks the runtime before anything newer is loaded.
import module from "node:module";
import { fileURLToPath } from "node:url";

const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  console.error(
    `Octavo needs Node 24 and was started by Node ${process.versions.node}. ` +
      "`npm ci` brings Node 24 along when its install scripts may run (not with --ignore-scripts); " +
      "then use `npm start` or `npm run octavo -- <command>`.",
  );
  process.exit(1);
}
// Compiled code is kept beside what it was compiled from, so that whoever may write it may write the program
// too; a folder in the system's temp could be made beforehand by any user. Where this one cannot be written,
// nothing is kept, and each start compiles for itself.
module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/octavo", import.meta.url)));
await import("../src/cli/main.ts");
