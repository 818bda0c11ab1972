#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// Plain JavaScript that any Node can run: it checks the runtime before anything newer is loaded.
import module from "node:module";

const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  console.error(
    `Octavo needs Node 24 and was started by Node ${process.versions.node}. ` +
      "`npm ci` brings Node 24 along when its install scripts may run (not with --ignore-scripts); " +
      "then use `npm start` or `npm run octavo -- <command>`.",
  );
  process.exit(1);
}
module.enableCompileCache?.();
await import("../src/cli/main.ts");
