import { sql } from "kysely";
import type { Compilable, Expression } from "kysely";

/** In a statement that is built once: where a value stands that each run gives. */
export type Given<Values> = <Name extends keyof Values & string>(
  name: Name,
) => Expression<Values[Name]>;

/** Runs a statement that was built before, and gives its rows. */
export type RunStatement<Values, Row> = (values: Values) => Promise<readonly Row[]>;

/**
 * Builds and compiles a statement, and gives the function that runs it. For what every request asks:
 * Kysely builds a statement anew for each run otherwise, and PostgreSQL parses and plans it anew.
 */
export type PrepareStatement = <Values extends object, Row>(
  build: (given: Given<Values>) => Compilable<Row>,
) => RunStatement<Values, Row>;

/** Runs a statement's text on an engine. The same number means the same text, as long as the database is open. */
type ExecuteText = (
  statement: { readonly number: number; readonly text: string },
  values: unknown[],
) => Promise<{ readonly rows: readonly unknown[] }>;

class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function placeOf<Value>(name: string): Expression<Value> {
  return sql.val(new Place(name)).$castTo<Value>();
}

export function createPrepare(execute: ExecuteText): PrepareStatement {
  let prepared = 0;
  return <Values extends object, Row>(build: (given: Given<Values>) => Compilable<Row>) => {
    const { sql: text, parameters } = build((name) => placeOf(name)).compile();
    const statement = { number: ++prepared, text };
    return async (values: Values) => {
      const given = values as Readonly<Record<string, unknown>>;
      const all = parameters.map((value) => (value instanceof Place ? given[value.name] : value));
      const { rows } = await execute(statement, all);
      return rows as readonly Row[];
    };
  };
}
