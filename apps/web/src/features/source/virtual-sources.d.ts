/** Made by vite/sources.ts when the page is built. */
declare module 'virtual:sources' {
  export const sources: import('./logic/source-types.js').Sources;
}
