export { type Density, DensityFold } from './density.js';
export { type Found, finding, type Searchable } from './find.js';
export { type Readable, type RunWindow, windowOf } from './window.js';
