import { limits } from "../core/index.ts";
import type { Problem, ProblemLocation } from "../core/index.ts";
import type { DescriptionFile, ReportProblem } from "./description-file.ts";
import { findMember, type PlainRecord, toRecord, toTrimmedString } from "./plain-value.ts";
import { createFilePointer, resolveReference, splitPointer, joinPointer } from "./pointer.ts";

/**
 * The other files of a description, by path or address. For a missing file, the value is the reason, as the end of a
 * sentence.
 */
export type LinkedFiles = ReadonlyMap<string, DescriptionFile | string>;

/**
 * An API description and the files to which it refers. Pointers may refer to values in these files; see `pointer.ts`.
 */
export interface ApiDocument {
  /** The content of the description's main file. */
  readonly root: PlainRecord;
  /** Pointers to the objects that contain named schemas and security schemes. */
  readonly containerPointers: { readonly schemas: string; readonly securitySchemes: string };
  /** The total size of all files in bytes. */
  readonly bytes: number;
  /** Returns the value at a pointer, or undefined if the pointer has no target. */
  getValue(pointer: string): unknown;
  /**
   * Resolves a `$ref` at `from` to a pointer. `refused` is the reason why the `$ref` is not followed, for a message.
   */
  follow(
    reference: string,
    from: string,
  ): { readonly pointer: string } | { readonly refused: string };
  /** Reports a warning at the location of a pointer. */
  warn(code: string, message: string, pointer: string): void;
  /**
   * Returns the location of a pointer. For a file on another host, returns only the file that refers to the
   * description.
   */
  readonly getLocation: (pointer: string) => Pick<Problem, "file" | "line" | "column">;
  /** Finds a string in the file of a pointer, preferably at or after the pointer, then in the other files. */
  readonly findText: (text: string, pointer: string) => Required<ProblemLocation> | undefined;
}

export function joinLinkedFiles(
  main: DescriptionFile,
  linked: LinkedFiles,
  report: ReportProblem,
): ApiDocument {
  const fileAt = (name: string | undefined) => {
    const file = name === undefined || name === main.name ? main : linked.get(name);
    return typeof file === "string" ? undefined : file;
  };
  const getLocation = (pointer: string) => {
    const { file, keys } = splitPointer(pointer);
    return (fileAt(file) ?? main).getLocation(keys);
  };
  const findText = (text: string, pointer: string) => {
    const { file, keys } = splitPointer(pointer);
    const first = fileAt(file) ?? main;
    const others = [main, ...linked.values()].filter((one) => typeof one !== "string");
    const found = first.findText(text, keys);
    if (found || others.length === 1) return found;
    for (const other of others) {
      const location = other === first ? undefined : other.findText(text, []);
      if (location) return location;
    }
    return undefined;
  };
  function getValue(pointer: string): unknown {
    const { file, keys } = splitPointer(pointer);
    let value: unknown = fileAt(file)?.root;
    for (const key of keys) {
      value = Array.isArray(value) ? value[Number(key)] : findMember(value, key);
      if (value === undefined) return undefined;
    }
    return value;
  }
  let bytes = main.bytes;
  for (const file of linked.values()) if (typeof file !== "string") bytes += file.bytes;
  return {
    root: main.root,
    containerPointers: findFormat(main)?.name === "swagger" ? swaggerContainers : openApiContainers,
    bytes,
    getValue,
    getLocation,
    findText,
    follow(reference, from) {
      const target = resolveReference(reference, splitPointer(from).file ?? main.name);
      if ("refused" in target) return target;
      const file = target.file === main.name ? main : linked.get(target.file);
      if (typeof file === "string") return { refused: file };
      const pointer =
        file === main ? target.pointer : createFilePointer(target.file, target.pointer);
      return getValue(pointer) === undefined ? { refused: "which does not exist" } : { pointer };
    },
    warn(code, message, pointer) {
      const { isRemote, name } = fileAt(splitPointer(pointer).file) ?? main;
      const suffix = isRemote ? ` (in ${name})` : "";
      report({ severity: "warning", code, message: message + suffix, ...getLocation(pointer) });
    },
  };
}

const openApiContainers = {
  schemas: "/components/schemas",
  securitySchemes: "/components/securitySchemes",
};
const swaggerContainers = { schemas: "/definitions", securitySchemes: "/securityDefinitions" };

/** Returns the format and version that a document declares, such as `openapi 3.1.0`. */
export function findFormat({
  root,
}: Pick<ApiDocument, "root">): { name: string; version: string } | undefined {
  for (const name of ["openapi", "asyncapi", "swagger"]) {
    const version = findMember(root, name);
    if (typeof version === "string" || typeof version === "number") {
      return { name, version: String(version) };
    }
  }
  return undefined;
}

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

  /**
   * Returns `value` or, if it is a reference, its final target. Returns undefined if the result would not be an object.
   */
  resolve(value: unknown, pointer: string): Located | undefined {
    let located = toLocated(value, pointer);
    for (let step = 0; located && step < limits.descriptionReferences; step++) {
      const reference = toTrimmedString(located.value["$ref"]);
      if (reference === undefined) return located;
      const target = this.findTarget(reference, located.pointer);
      located = target === undefined ? undefined : toLocated(this.getValue(target), target);
    }
    if (located) this.#report(pointer, '"$ref" is circular, or its chain is too long', pointer);
    return undefined;
  }

  /** Returns the pointer for a `$ref`. If the target does not exist, reports a problem and returns undefined. */
  findTarget(reference: string, from: string): string | undefined {
    const found = this.document.follow(reference, from);
    if ("pointer" in found) return found.pointer;
    const shownReference = JSON.stringify(reference.slice(0, 200));
    const file = splitPointer(from).file ?? "";
    this.#report(`${file} ${reference}`, `"$ref" names ${shownReference}, ${found.refused}`, from);
    return undefined;
  }

  /** Returns the value at a pointer of the document. */
  getValue(pointer: string): unknown {
    return this.document.getValue(pointer);
  }

  #report(subject: string, message: string, pointer: string): void {
    if (this.#reported.has(subject)) return;
    this.#reported.add(subject);
    const location = joinPointer(pointer, "$ref");
    this.document.warn("description_reference", `${message}; this part is omitted.`, location);
  }
}

function toLocated(value: unknown, pointer: string): Located | undefined {
  const record = toRecord(value);
  return record && { value: record, pointer };
}
