import { createEvaluationError, type EvaluationContext } from "./evaluation-context.ts";
import {
  Closure,
  ContextProvider,
  NativeFunction,
  isRecord,
  type Value,
  type ValueRecord,
} from "./value.ts";

export interface NativeContext extends EvaluationContext {
  readonly call: (callee: Value, args: readonly Value[]) => Value;
}

/** A method of a value, which it receives as its first argument. */
export type Method<Target> = (
  target: Target,
  args: readonly Value[],
  context: NativeContext,
) => Value;

type Native = (args: readonly Value[], context: NativeContext) => Value;

const noop = new NativeFunction("noop");

/** The React functions for the first render, during which state has its initial value and effects do not run. */
const functions: Readonly<Record<string, Native>> = {
  noop: () => undefined,
  useState: ([initial], { call }) => [
    initial instanceof Closure ? call(initial, []) : initial,
    noop,
  ],
  useReducer: ([, initial, init], { call }) => [
    init instanceof Closure ? call(init, [initial]) : initial,
    noop,
  ],
  useMemo: ([make], { call }) => call(make, []),
  useCallback: ([callback]) => callback,
  useRef: ([initial]) => ({ current: initial }),
  createRef: () => ({ current: null }),
  useEffect: () => undefined,
  useLayoutEffect: () => undefined,
  useInsertionEffect: () => undefined,
  useImperativeHandle: () => undefined,
  useDebugValue: () => undefined,
  useDeferredValue: ([value]) => value,
  useTransition: () => [false, noop],
  startTransition: () => undefined,
  useSyncExternalStore: ([, getSnapshot, getServerSnapshot], { call }) =>
    call(getServerSnapshot ?? getSnapshot, []),
  useId: (_args, { live }) => `:${live ? (live.idCount += 1) : 0}:`,
  memo: ([component]) => component,
  forwardRef: ([render]) => render,
  createContext: ([initial]) => {
    const context: Record<string, Value> = { initial };
    context["Provider"] = new ContextProvider(context);
    return context;
  },
  useContext: ([context], { live }) => {
    if (!isContext(context)) throw createEvaluationError("`useContext` needs a context.");
    return live?.providedValues.get(context)?.at(-1) ?? context["initial"];
  },
};

function isContext(value: Value): value is ValueRecord {
  return isRecord(value) && value["Provider"] instanceof ContextProvider;
}

const natives: ReadonlyMap<string, NativeFunction> = new Map(
  Object.keys(functions)
    .filter((name) => name !== "noop")
    .map((name) => [name, new NativeFunction(name)]),
);

/** The value of `React`. It is frozen because all pages of a process share it. */
const react: ValueRecord = Object.freeze(Object.fromEntries(natives));

/**
 * Returns React's export `name`, or all of React for `React`, `default` and `*`. Returns undefined for exports that a
 * first render does not use.
 */
export function findReactValue(name: string): Value {
  return ["React", "default", "*"].includes(name) ? react : natives.get(name);
}

export function callNative(
  { name }: NativeFunction,
  args: readonly Value[],
  context: NativeContext,
): Value {
  return functions[name]?.(args, context);
}
