import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import type { Migration } from "kysely/migration";
import type { migrationNames } from "../migrate.ts";
import type { Tables } from "../tables.ts";
import { migrations0001To0014 } from "./0001-0014.ts";
import { migrations0015To0028 } from "./0015-0028.ts";
import { migrations0030To0046 } from "./0030-0046.ts";

/** The migrations, in order. A released migration is never changed. */
const migrations: Readonly<Record<(typeof migrationNames)[number], Migration>> = {
  ...migrations0001To0014,
  ...migrations0015To0028,
  ...migrations0030To0046,
};

/** Creates Kysely's migrator. This module is loaded only for a database with missing migrations. */
export function createMigrator(db: Kysely<Tables>, migrationTableName: string): Migrator {
  const provider = { getMigrations: async () => ({ ...migrations }) };
  return new Migrator({ db, provider, migrationTableName });
}
