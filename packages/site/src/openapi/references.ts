import { limits } from "../core/index.ts";
import type { ApiDocument } from "./document.ts";
import { toRecord, toTrimmedString, type PlainRecord } from "./plain-value.ts";
import { joinPointer, splitPointer } from "./pointer.ts";

/** A value in a document and its pointer. */
export interface Located {
  readonly value: PlainRecord;
  readonly pointer: string;
}

/** Follows `$ref` values within one description, including its other files. Reports each unresolved reference once. */
export class References {
  readonly document: ApiDocument;
  readonly #reported = new Set<string>();

  constructor(document: ApiDocument) {
    this.document = document;
  }

  /** Returns `value` or, if it is a reference, its final target. Undefined if that is not an object. */
  resolve(value: unknown, pointer: string): Located | undefined {
    let located = asLocated(value, pointer);
    for (let step = 0; located && step < limits.descriptionReferences; step++) {
      const reference = toTrimmedString(located.value["$ref"]);
      if (reference === undefined) return located;
      const target = this.target(reference, located.pointer);
      located = target === undefined ? undefined : asLocated(this.at(target), target);
    }
    if (located) this.#report(pointer, '"$ref" is circular, or its chain is too long', pointer);
    return undefined;
  }

  /** Returns the pointer for a `$ref`. If the target does not exist, reports a problem and returns undefined. */
  target(reference: string, from: string): string | undefined {
    const found = this.document.follow(reference, from);
    if ("pointer" in found) return found.pointer;
    const shown = JSON.stringify(reference.slice(0, 200));
    const file = splitPointer(from).file ?? "";
    this.#report(`${file} ${reference}`, `"$ref" names ${shown}, ${found.refused}`, from);
    return undefined;
  }

  /** Returns the value at a pointer of the document. */
  at(pointer: string): unknown {
    return this.document.at(pointer);
  }

  #report(subject: string, message: string, pointer: string): void {
    if (this.#reported.has(subject)) return;
    this.#reported.add(subject);
    const place = joinPointer(pointer, "$ref");
    this.document.warn("description_reference", `${message}; this part is omitted.`, place);
  }
}

function asLocated(value: unknown, pointer: string): Located | undefined {
  const record = toRecord(value);
  return record && { value: record, pointer };
}
