import { readVersion } from "./version.ts";

const args = process.argv.slice(2);

// Scripts request the version often, so nothing else is loaded for it.
if (args.length === 1 && (args[0] === "-v" || args[0] === "--version"))
  process.stdout.write(`${readVersion()}\n`);
else {
  const { runProcess } = await import("./program.ts");
  await runProcess(args);
}
