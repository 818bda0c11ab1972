import { fieldSlug } from "../../text/index.ts";

/** Ids of nested fields hold those of all around them. */
const maxLength = 60;

/** The part of an id that a field's name becomes within the ids of those around it. */
export function fieldIdPart(name: string): string {
  return fieldSlug(name.slice(0, maxLength));
}
