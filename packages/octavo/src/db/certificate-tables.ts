import type { Generated } from "kysely";

/** The accounts at ACME authorities, by the addresses of their directories. */
interface AcmeAccountsTable {
  directory: string;
  /** The private key, encrypted. */
  key: Uint8Array;
  url: string | null;
  created_at: Generated<Date>;
}

/** The certificates of hosts. The database announces a new one on the channel `octavo_certificates` with the name. */
interface CertificatesTable {
  name: string;
  /** The private key and the chain, encrypted; null until there is a certificate. */
  sealed: Uint8Array | null;
  expires_at: Date | null;
  renew_at: Date | null;
  /** The number of failed attempts since the last certificate. */
  attempts: Generated<number>;
  next_attempt_at: Generated<Date>;
  /** Why the last attempt failed. */
  problem: string | null;
}

/** The challenges that authorities are to find at hosts now. They are announced as certificates are. */
interface AcmeChallengesTable {
  name: string;
  sealed: Uint8Array;
  created_at: Generated<Date>;
}

/** The one row of the node that orders certificates now. */
interface AcmeTurnTable {
  is_only: Generated<boolean>;
  holder: string | null;
  ends_at: Generated<Date>;
}

/** The tables of certificates that the service orders itself. */
export interface CertificateTables {
  acme_accounts: AcmeAccountsTable;
  acme_challenges: AcmeChallengesTable;
  acme_turn: AcmeTurnTable;
  certificates: CertificatesTable;
}
