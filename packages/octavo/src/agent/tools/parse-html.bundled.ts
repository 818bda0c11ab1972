export { parse, serialize, type DefaultTreeAdapterTypes } from "parse5";
