/** The parts of the ACME client that the service uses. */
export { Client, crypto } from "acme-client";
