/** Opens the embedded database in the given folder, stores one row, reports this, and keeps running. */
import { createId } from "../../core/index.ts";
import { openDatabase } from "../index.ts";

const database = await openDatabase({ dataDir: process.argv[2] ?? "" });
const id = createId("organization");
await database.kysely
  .insertInto("organizations")
  .values({ id, name: "Acme", plan: "pro" })
  .execute();
process.send?.(id);
