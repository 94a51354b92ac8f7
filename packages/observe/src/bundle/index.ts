/** Bundles: what a collector of logs left behind, as an archive or a folder, as nodes with their files. */
export { type Packing, packingOf } from './archive.js';
export { bundleOf } from './bundle.js';
export { LAYOUTS, type Layout } from './layouts.js';
export { nodesOf } from './many.js';
export { type Bundle, BundleError, type BundleFile, type BundleNode, type NodeFile, type Role } from './types.js';
export { headOf, unpacked } from './unpack.js';
