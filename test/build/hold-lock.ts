/** Takes the lock of a file, reports it, and holds it until standard input ends. */
import { lockBuild } from "../../tools/build/build-lock.ts";

const [file = ""] = process.argv.slice(2);
const lock = lockBuild(file, () => process.stdout.write("waiting\n"));
process.stdout.write("held\n");
process.stdin.on("end", () => lock[Symbol.dispose]()).resume();
