/**
 * What a program does for another process, as a type that holds in both: an interface whose methods return promises.
 * Values are cloned. Functions in arguments call back, and so return nothing or a promise of data; signals abort in
 * both processes. What a method returns is data: its functions and signals would be dead when it arrives. A method that
 * breaks this is `never` here, so that no `Isolation` of its interface compiles.
 */
export type Operations<Program> = {
  readonly [Name in keyof Program]: Program[Name] extends (
    ...args: infer Args
  ) => Promise<infer Result>
    ? [Args, Result] extends [Argument<Args>, Data<Result>]
      ? Program[Name]
      : never
    : never;
};

/** Arrives as it was sent. JSON by itself, because its type has no end. */
type Cloned =
  | Json
  | ArrayBuffer
  | Date
  | Error
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | RegExp
  | URL
  | Uint8Array;
type Json = boolean | number | string | null | undefined | readonly Json[] | JsonObject;
type JsonObject = { readonly [key: string]: Json };

type Data<Value> = unknown extends Value
  ? Value
  : Value extends (...args: never[]) => unknown
    ? never
    : Value extends Cloned
      ? Value
      : { readonly [Key in keyof Value]: Data<Value[Key]> };

type Argument<Value> = unknown extends Value
  ? Value
  : Value extends (...args: never[]) => infer Result
    ? [Result] extends [void | PromiseLike<infer Answer>]
      ? [Answer] extends [Data<Answer>]
        ? Value
        : never
      : never
    : Value extends Cloned | AbortSignal
      ? Value
      : { readonly [Key in keyof Value]: Argument<Value[Key]> };
