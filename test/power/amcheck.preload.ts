import { PGlite } from "@electric-sql/pglite";
import type { PGliteOptions } from "@electric-sql/pglite";
import { amcheck } from "@electric-sql/pglite/contrib/amcheck";

/** Loaded into the embedded database's thread before its own code: makes the extension amcheck available to it. */
const create = PGlite.create.bind(PGlite);
Object.assign(PGlite, {
  create: (options: PGliteOptions) => create({ ...options, extensions: { amcheck } }),
});
