/**
 * `npm run bench -- [site]`: exports each site below the folder in OCTAVO_SITES cold and again, then
 * measures the service, how soon a cancelled agent job leaves its model alone, and how soon a preview shows
 * what was saved. CPU seconds are those
 * of all processes; other work on the machine moves wall times, so compare CPU and ratios within one run.
 */
import { cpus } from "node:os";
import { benchApi } from "./api.ts";
import { benchCancel } from "./cancel.ts";
import { benchDev } from "./dev.ts";
import { benchExports } from "./export.ts";

const sites = process.env["OCTAVO_SITES"];
const print = (text: string) => process.stdout.write(`${text}\n`);

print(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}\n`);
if (sites === undefined) {
  print("Exports are skipped: set OCTAVO_SITES to a folder that holds documentation sites.\n");
} else {
  print(`${await benchExports(sites, process.argv[2])}\n`);
}
print(`${await benchApi()}\n`);
print(`${await benchCancel()}\n`);
print(await benchDev());
