/** Whether an `If-None-Match` header names this entity tag (RFC 9110, weak comparison), so that the response is 304. */
export function matchesEntityTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((entry) => entry.trim().replace(/^W\//, "") === tag);
}
