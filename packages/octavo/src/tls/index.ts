/**
 * Certificates from an ACME authority for the hosts of sites: ordering (`order-certificates.ts`), the records that all
 * nodes share (`certificate-store.ts`), and the server that uses them (`tls-server.ts`).
 */
export { createAuthority } from "./authority.ts";
export { createCertificateStore, type CertificateStore } from "./certificate-store.ts";
export { orderCertificates } from "./order-certificates.ts";
export {
  certificatePollIntervalMs,
  openCertificateTable,
  openTlsServer,
  type CertificateTable,
} from "./tls-server.ts";
