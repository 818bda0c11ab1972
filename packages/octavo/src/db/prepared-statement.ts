import { sql } from "kysely";
import type { Compilable, Expression } from "kysely";

/** A parameter of a prepared statement, whose value each run provides. */
export type Param<Values> = <Name extends keyof Values & string>(
  name: Name,
) => Expression<Values[Name]>;

/** Runs a prepared statement and returns its rows. */
export type RunStatement<Values, Row> = (values: Values) => Promise<readonly Row[]>;

/**
 * Builds and compiles a statement once, and returns the function that runs it. For queries of every request:
 * otherwise Kysely builds, and PostgreSQL parses and plans, the statement on each run.
 */
export type PrepareStatement = <Values extends object, Row>(
  build: (given: Param<Values>) => Compilable<Row>,
) => RunStatement<Values, Row>;

/** Runs a statement's text on an engine. While the database is open, the same number means the same text. */
type ExecuteText = (
  statement: { readonly number: number; readonly text: string },
  values: unknown[],
) => Promise<{ readonly rows: readonly unknown[] }>;

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function placeholderFor<Value>(name: string): Expression<Value> {
  return sql.val(new Placeholder(name)).$castTo<Value>();
}

export function createPrepare(execute: ExecuteText): PrepareStatement {
  let prepared = 0;
  return <Values extends object, Row>(build: (given: Param<Values>) => Compilable<Row>) => {
    const { sql: text, parameters } = build((name) => placeholderFor(name)).compile();
    const statement = { number: ++prepared, text };
    return async (values: Values) => {
      const given = values as Readonly<Record<string, unknown>>;
      const all = parameters.map((value) =>
        value instanceof Placeholder ? given[value.name] : value,
      );
      const { rows } = await execute(statement, all);
      return rows as readonly Row[];
    };
  };
}
