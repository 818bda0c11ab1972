/**
 * The operations that a program runs for another process, as a type for both sides: an interface whose methods return
 * promises. Values are cloned. Functions in arguments call back, so they must return nothing or a promise of data.
 * Signals abort in both processes. Methods must return data, because functions and signals in the result would no
 * longer work on arrival. A method that breaks this rule becomes `never`, so that an `Isolation` of its interface does
 * not compile.
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

/** Types that arrive as they were sent. JSON is listed separately, because its type is infinite. */
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
