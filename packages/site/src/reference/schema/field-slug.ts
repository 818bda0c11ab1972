const caseChange = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu;
const separators = /[^\p{L}\p{N}]+/gu;
/** Ids of nested fields hold those of all around them. */
const maxLength = 60;

/** The part of an id that a field's name becomes: `invoiceId` and `invoice_id` are both `invoice-id`. */
export function fieldSlug(name: string): string {
  const words = name.slice(0, maxLength).replace(caseChange, "-").replace(separators, "-");
  return words.replace(/^-|-$/g, "").toLowerCase();
}
