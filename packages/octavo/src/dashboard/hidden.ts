/** Route options that keep pages out of the API's OpenAPI document. */
export const hiddenFromApiDocs = { schema: { hide: true } } as const;
