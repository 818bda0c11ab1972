import { workerData } from "node:worker_threads";
import { startRecording } from "./record.ts";
import type { RecordingPlace } from "./record.ts";

/** Loaded into the embedded database's thread before its own code, by `record-engine.ts`. */
startRecording((workerData as { recording: RecordingPlace }).recording);
