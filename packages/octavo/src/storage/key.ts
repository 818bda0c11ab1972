import { OctavoError, cleanRelativePath } from "@octavo/site/core";

/** Throws `invalid_input` for a key that is empty, points outside the storage, or has more than one spelling. */
export function requireStorageKey(key: string): void {
  if (key !== "" && cleanRelativePath(key) === key && !key.startsWith(".")) return;
  throw new OctavoError("invalid_input", `${JSON.stringify(key)} is not a storage key.`);
}
