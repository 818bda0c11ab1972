/** Starts the program of an isolated process: `start.ts <program> [<compile cache>]`. */
import { enableCompileCache } from "node:module";
import { openConnection } from "./connection.ts";
import type { NamedOperations } from "./connection.ts";
import type { Message } from "./message.ts";

const [, , program = "", cacheFolder] = process.argv;
/** Says that this process listens: one thing that does not end is noticed by its absence. */
const aliveMs = 1_000;

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
// Those of a terminal are for the process that started this one, which decides what becomes of the work.
process.on("SIGINT", () => {}).on("SIGTERM", () => {});
setInterval(() => send({ type: "alive" }), aliveMs).unref();
