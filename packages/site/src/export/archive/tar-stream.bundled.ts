export { pack } from "tar-stream";
export type { Pack } from "tar-stream";
