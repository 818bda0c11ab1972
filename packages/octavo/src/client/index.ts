/** Calls a running service over its API, as other programs do: with an address and an API key. */
export { createClient } from "./client.ts";
export type { Client, ServiceEvent } from "./client.ts";
export { removeLogin, readLogins, storeLogin } from "./logins.ts";
export type { Login, Logins } from "./logins.ts";
