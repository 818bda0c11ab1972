import { z } from "zod";

/** Hosts as people type them; `projects/` and `jobs/` parse and check them. */
export const remoteScripts = z.array(z.string().min(1).max(300)).max(100);
