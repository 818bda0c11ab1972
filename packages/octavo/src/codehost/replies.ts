import type { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { redactSecrets } from "../core/index.ts";

const maxMessageLength = 300;

/** Returns a server's message as one short line without secrets. */
export function formatServerMessage(message: string, secrets: readonly string[]): string {
  return redactSecrets(message, secrets)
    .replaceAll(/\p{Cc}+/gu, " ")
    .slice(0, maxMessageLength);
}

/** Parses a response. Throws `unavailable` if the response does not come from the code host. */
export function readReply<T>(schema: z.ZodType<T>, data: unknown, hostLabel: string): T {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw new OctavoError("unavailable", describeForeignReply(hostLabel), { cause: result.error });
}

export function describeForeignReply(hostLabel: string): string {
  return `The response does not come from ${hostLabel}. Check the address of the project's repository.`;
}

/** Matches the address of the last page in a `Link` header. */
const lastPagePattern = /[?&]page=(\d{1,7})[^<>]*>; rel="last"/;

/** Returns the items of the last two pages of a list that a host sorts by time, oldest first. */
export async function readNewest<Item>(
  readPage: (page: number) => Promise<{ items: Item[]; link: string | null | undefined }>,
): Promise<Item[]> {
  const first = await readPage(1);
  const lastPageNumber = Number(lastPagePattern.exec(first.link ?? "")?.[1] ?? 1);
  const items = lastPageNumber > 2 ? [] : first.items;
  for (const page of [lastPageNumber - 1, lastPageNumber].filter((number) => number > 1)) {
    items.push(...(await readPage(page)).items);
  }
  return items;
}
