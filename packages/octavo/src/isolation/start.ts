/** Starts the program of an isolated process: `start.ts <program> [<compile cache>]`. */
import { enableCompileCache } from "node:module";
import { openConnection } from "./connection.ts";
import type { NamedOperations, Message } from "./connection.ts";

const [, , program = "", cacheFolder] = process.argv;
/** The interval at which this process shows that it is responsive, so that work that blocks it is noticed. */
const aliveIntervalMs = 1_000;

if (cacheFolder !== undefined) enableCompileCache(cacheFolder);
const { createOperations } = (await import(program)) as {
  readonly createOperations: () => NamedOperations;
};

function send(message: Message): void {
  process.send?.(message);
}

const connection = openConnection(send, createOperations());
process.on("message", (message: Message) => connection.receive(message));
process.on("disconnect", () => process.exit(0));
// Signals from a terminal are for the parent process, which decides what happens to the work.
process.on("SIGINT", () => {}).on("SIGTERM", () => {});
setInterval(() => send({ type: "alive" }), aliveIntervalMs).unref();
