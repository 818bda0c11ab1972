/** `T` in which members that may be undefined are optional. */
export type WithoutUndefined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** Returns a copy without the members that are undefined. */
export function omitUndefined<const T extends object>(values: T): WithoutUndefined<T> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(values)) if (value !== undefined) kept[key] = value;
  return kept as WithoutUndefined<T>;
}
