import { sql } from "kysely";
import type { Compilable, CompiledQuery, Expression } from "kysely";
import { sha256 } from "@octavo/site/core";

/** Creates a parameter of a prepared statement. Each run of the statement provides the parameter's value. */
export type Param<Values> = <Name extends keyof Values & string>(
  name: Name,
) => Expression<Values[Name]>;

/** Runs a prepared statement and returns its rows. */
type RunStatement<Values, Row> = (values: Values) => Promise<readonly Row[]>;

/**
 * Builds and compiles a statement once and returns the function that runs it. Use it for queries that every request
 * runs. Without it, Kysely would build the statement, and PostgreSQL would parse and plan it, on each run.
 */
export type PrepareStatement = <Values extends object, Row>(
  build: (param: Param<Values>) => Compilable<Row>,
) => RunStatement<Values, Row>;

export interface PreparedStatement {
  /**
   * The name of the statement. The same name must mean the same text on every node and in every version, because a
   * pooler shares connections among nodes.
   */
  readonly name: string;
  readonly text: string;
  readonly isRead: boolean;
}

/** Runs a statement on an engine. */
type ExecuteStatement = (
  statement: PreparedStatement,
  values: unknown[],
) => Promise<{ readonly rows: readonly unknown[] }>;

class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export function createPrepare(execute: ExecuteStatement): PrepareStatement {
  return <Values extends object, Row>(build: (param: Param<Values>) => Compilable<Row>) => {
    const compiled = build((name) => sql.val(new Placeholder(name)).$castTo()).compile();
    const { sql: text, parameters } = compiled;
    const name = `octavo_${sha256(text).slice(0, 32)}`;
    const statement = { name, text, isRead: isReadQuery(compiled) };
    return async (values: Values) => {
      const valuesByName = values as Readonly<Record<string, unknown>>;
      const boundValues = parameters.map((value) =>
        value instanceof Placeholder ? valuesByName[value.name] : value,
      );
      const { rows } = await execute(statement, boundValues);
      return rows as readonly Row[];
    };
  };
}

/** Reports whether the query changes nothing, so that it can be repeated. */
export function isReadQuery({ query }: Pick<CompiledQuery, "query">): boolean {
  // Statements in a WITH clause may write.
  return query.kind === "SelectQueryNode" && query.with === undefined;
}
