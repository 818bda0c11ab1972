export { parse, type DefaultTreeAdapterTypes } from "parse5";
