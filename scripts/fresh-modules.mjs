/**
 * Set-up of the page's tests: each file loads the page's modules again, so that stores begin empty, but in the same
 * process and on the same core, whose modules hold no state. What an earlier file put into the process in a browser's
 * place is gone. The page's texts, which features add when they are registered, are there at once.
 */
const PAGE = new URL('../apps/web/', import.meta.url).pathname;
/** The index of all our sources takes seconds, and nobody writes to it. */
const KEPT = `${PAGE}src/fixtures/own-sources.ts`;

// `vi.resetModules` would also load core again, a thousand modules that run slowly at first.
for (const [id, node] of globalThis.__vitest_worker__.evaluatedModules.idToModuleMap) {
  if (!id.startsWith(PAGE) || id === KEPT) continue;
  node.promise = undefined;
  node.exports = undefined;
  node.evaluated = false;
  node.importers.clear();
}
// Each file puts in place for itself whatever a browser has and Node has not.
for (const name of ['localStorage', 'sessionStorage', 'requestAnimationFrame', 'indexedDB', 'window', 'Worker'])
  delete globalThis[name];
await import('../apps/web/src/fixtures/words.ts');
