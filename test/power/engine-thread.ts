import { syncBuiltinESMExports } from "node:module";
import workers from "node:worker_threads";
import type { WorkerOptions } from "node:worker_threads";

/**
 * Lets the threads of embedded databases that are opened from now on load `module` before their own code, which
 * finds `data` in `workerData`. Returns how to stop that.
 */
export function preloadInEngine(module: string, data: object): () => void {
  const { Worker } = workers;
  workers.Worker = class extends Worker {
    constructor(file: string | URL, options: WorkerOptions = {}) {
      super(file, {
        ...options,
        execArgv: [...(options.execArgv ?? []), "--import", new URL(module, import.meta.url).href],
        workerData: { ...(options.workerData as object), ...data },
      });
    }
  };
  syncBuiltinESMExports();
  return () => {
    workers.Worker = Worker;
    syncBuiltinESMExports();
  };
}
