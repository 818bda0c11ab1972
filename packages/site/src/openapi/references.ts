import { limits } from "../core/index.ts";
import type { ApiDocument } from "./document.ts";
import { memberOf, recordOf, stringOf, type PlainRecord } from "./plain-value.ts";
import { pointerKeys, pointerTo, referencePointer } from "./pointer.ts";

/** A value of a document and where it stands. */
export interface Located {
  readonly value: PlainRecord;
  readonly pointer: string;
}

/** Follows `$ref` within one document. What cannot be followed is reported once and is absent. */
export class References {
  readonly document: ApiDocument;
  readonly #reported = new Set<string>();

  constructor(document: ApiDocument) {
    this.document = document;
  }

  /** The object at `value`, or the one that its `$ref` leads to in the end. Undefined for all other values. */
  resolve(value: unknown, pointer: string): Located | undefined {
    let located = asLocated(value, pointer);
    for (let step = 0; located && step < limits.descriptionReferences; step++) {
      const reference = stringOf(located.value["$ref"]);
      if (reference === undefined) return located;
      const target = this.target(reference, located.pointer);
      located = target === undefined ? undefined : asLocated(this.at(target), target);
    }
    if (located) this.#report(pointer, '"$ref" leads in a circle, or on and on', pointer);
    return undefined;
  }

  /** The pointer that a `$ref` names, where something stands there. */
  target(reference: string, from: string): string | undefined {
    const target = referencePointer(reference);
    const shown = JSON.stringify(reference.slice(0, 200));
    if (target === undefined) {
      const message = `"$ref" names ${shown}, which is not in this file: only references that begin with "#/" are followed`;
      this.#report(reference, message, from);
      return undefined;
    }
    if (this.at(target) !== undefined) return target;
    this.#report(reference, `"$ref" names ${shown}, which does not exist`, from);
    return undefined;
  }

  /** What stands at a pointer of the document. */
  at(pointer: string): unknown {
    let value: unknown = this.document.root;
    for (const key of pointerKeys(pointer)) {
      value = Array.isArray(value) ? value[Number(key)] : memberOf(value, key);
      if (value === undefined) return undefined;
    }
    return value;
  }

  #report(subject: string, message: string, pointer: string): void {
    if (this.#reported.has(subject)) return;
    this.#reported.add(subject);
    const place = pointerTo(pointer, "$ref");
    this.document.warn("description_reference", `${message}; this part is left out.`, place);
  }
}

function asLocated(value: unknown, pointer: string): Located | undefined {
  const record = recordOf(value);
  return record && { value: record, pointer };
}
