import { fieldSlug } from "../../text/index.ts";

/** Ids of nested fields contain those of all fields around them. */
const maxLength = 60;

/** A field's name as a part of an id that may contain the names of fields around it. */
export function fieldIdPart(name: string): string {
  return fieldSlug(name.slice(0, maxLength));
}
