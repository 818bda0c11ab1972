/** How a page of a bundle is addressed: `guides/start.html` or `guides/start/index.html`. */
export const addressForms = ["file", "folder"] as const;

export type AddressForm = (typeof addressForms)[number];
