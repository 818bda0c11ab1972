import type { ApiKey, KeyOptions } from "../../projects/index.ts";
import { everyListed } from "./every-listed.ts";
import { everyPage } from "./every-page.ts";
import type { Places } from "./place-flags.ts";

/** A key as both places show it; a running service sends times as text. */
export type ShownKey = Pick<ApiKey, "id" | "name" | "prefix" | "projectId" | "scopes"> & {
  readonly expiresAt: Date | string | null;
  readonly lastUsedAt: Date | string | null;
};

export interface NewKey extends Omit<KeyOptions, "memberId"> {
  readonly name: string;
  /** Null for the whole organisation. */
  readonly projectId: string | null;
}

/** The keys of one organisation, wherever they are stored. Errors as those of `Keys`. */
export interface ManagedKeys {
  create(key: NewKey): Promise<ShownKey & { readonly secret: string }>;
  list(): Promise<readonly ShownKey[]>;
  revoke(id: string): Promise<void>;
}

const path = "/v2/keys";

export const keyPlaces: Places<ManagedKeys> = {
  remote: (client) => ({
    async create({ projectId, ...key }) {
      const body = { ...key, ...(projectId !== null && { projectId }) };
      return (await client.call("POST", path, body)) as Awaited<ReturnType<ManagedKeys["create"]>>;
    },
    list: () => everyListed<ShownKey>(client, path, "keys"),
    revoke: async (id) => void (await client.call("DELETE", `${path}/${encodeURIComponent(id)}`)),
  }),
  local: ({ keys, projects }, scope) => ({
    async create({ name, projectId, ...options }) {
      // Says that there is no such project before a key is made for it.
      if (projectId !== null) await projects.get(scope, projectId);
      return await keys.create({ ...scope, projectId }, name, options);
    },
    list: () => everyPage((page) => keys.list(scope, page)),
    revoke: (id) => keys.revoke(scope, id),
  }),
};
