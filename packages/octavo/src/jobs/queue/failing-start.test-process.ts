/**
 * Opens the queue of the database at a URL repeatedly. Each time, the database fails one statement later. The process
 * exits by itself unless something was left running.
 */
import { openDatabase } from "../../db/index.ts";
import type { Database } from "../../db/index.ts";
import { openQueue } from "./queue.ts";

const [, , url = ""] = process.argv;
const quiet = { info() {}, warn() {}, error() {} };
let failures = 0;

for (let count = 0, isOpen = false; !isOpen; count += 1) {
  await using database = await openDatabase({ dataDir: "", url });
  try {
    const options = {
      database: createFailingDatabase(count, database),
      log: quiet,
      isWorker: true,
    };
    await using _ = await openQueue(options);
    isOpen = true;
  } catch {
    failures += 1;
  }
}
process.stdout.write(`${failures}\n`);

function createFailingDatabase(count: number, database: Database): Database {
  let left = count;
  const { queue } = database;
  return {
    ...database,
    queue: {
      ...queue,
      async executeSql(text, values) {
        left -= 1;
        if (left < 0) throw new Error("The database is away.");
        return await queue.executeSql(text, values);
      },
      listen: (...channel) => queue.listen(...channel),
    },
  };
}
