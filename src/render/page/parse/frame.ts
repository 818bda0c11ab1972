import type { JsxValue } from "../tree.ts";
import type { SourceFile } from "./source-file.ts";
import type { Twin } from "./twin.ts";
import type { Scope, Value } from "./value.ts";

/** One use of a file: the page itself, or a snippet where it stands, with what was passed to it. */
export interface Frame {
  readonly file: SourceFile;
  readonly scope: Scope;
  readonly twin: Twin;
  /** What was passed by name; only these are replaced inside code. */
  readonly passed: ReadonlyMap<string, Value>;
  /** What stood between the tags, and its Markdown. */
  readonly slot?: { readonly value: JsxValue; readonly markdown: string };
}

const placeholder = /\{(?:props\.)?([A-Za-z_$][\w$]*)\}/g;

/** `code` with `{name}` replaced where `name` was passed to this use of a snippet. */
export function fillCode(code: string, { passed }: Frame): string {
  if (passed.size === 0 || !code.includes("{")) return code;
  return code.replace(placeholder, (whole, name: string) => {
    const value = passed.get(name);
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
}
