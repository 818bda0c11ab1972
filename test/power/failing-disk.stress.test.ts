import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import { putEmptyDatabase } from "../support/empty-database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { preloadInEngine } from "./engine-thread.ts";
import type { FailingDisk } from "./failing-disk.preload.ts";

/** PostgreSQL writes its log with both, and gives up if one of them fails. */
const calls: readonly FailingDisk["call"][] = ["fsyncSync", "writeSync"];

for (const call of calls) {
  test(`nothing is acknowledged after a failed ${call}, and what was before is there`, async (t) => {
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, "data");
    await putEmptyDatabase(dataDir);
    const file = join(folder.path, "failing");
    t.after(preloadInEngine("./failing-disk.preload.ts", { failing: { file, call } }));
    const warnings: string[] = [];
    const log = { warn: (_: unknown, message: string) => void warnings.push(message) };
    {
      await using database = await openDatabase({ dataDir, log });
      const insert = (row: number) =>
        database.queue.executeSql(`INSERT INTO failing_rows VALUES (${row})`);
      await database.queue.executeSql("CREATE TABLE failing_rows (n int)");
      await insert(1);
      writeFileSync(file, "");
      const results = await Promise.allSettled([2, 3].map(insert));
      rmSync(file);
      for (const result of results) {
        assert.ok(result.status === "rejected" && isOctavoError(result.reason, "unavailable"));
        assert.match(String(result.reason.cause), /EIO|I\/O error/);
      }
      await assert.rejects(insert(4), (error) => isOctavoError(error, "unavailable"));
      await assert.rejects(database.ping(), (error) => isOctavoError(error, "unavailable"));
    }
    assert.deepEqual(warnings, ["The embedded database has stopped."]);
    await using database = await openDatabase({ dataDir });
    const { rows } = await database.queue.executeSql(
      "SELECT n FROM failing_rows WHERE n IN (1, 4)",
    );
    assert.deepEqual(rows, [{ n: 1 }]);
  });
}
