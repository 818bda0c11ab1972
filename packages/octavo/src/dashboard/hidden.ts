/** Options of a route: pages stand in no description of the API. */
export const hidden = { schema: { hide: true } } as const;
