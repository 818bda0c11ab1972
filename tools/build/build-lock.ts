import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

const maxWaitMs = 600_000;

/**
 * Waits until no other process holds the lock, and holds it until it is disposed of. SQLite locks the file through the
 * operating system, which releases the lock when the process ends, for whatever reason. Calls `onWait` before it waits.
 */
export function lockBuild(file: string, onWait: () => void): Disposable {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    if (!hasLocked(database)) {
      onWait();
      database.exec(`PRAGMA busy_timeout = ${maxWaitMs}`);
      if (!hasLocked(database))
        throw new Error("Another build has been running for more than ten minutes.");
    }
  } catch (error) {
    database.close();
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}

function hasLocked(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== busy) throw error;
    return false;
  }
}

/** SQLite's result code `SQLITE_BUSY`. */
const busy = 5;
