/**
 * A plugin of Vite for `npm test`, which has just built everything: tests take the product's modules as they were
 * compiled. Node runs those itself, without the wrapping of the test runner, which costs a quarter of the tests' time.
 */
import fs from 'node:fs';

/** Sources that `tsc` compiles: of each package and of the agent. */
const SOURCE = /^(.*\/(?:packages\/[^/]+|apps\/agent))\/src\/(.*)\.ts$/;

/** The compiled modules, which Node loads itself. */
export const BUILT = /\/(?:packages\/[^/]+|apps\/agent)\/dist\//;

/** Returns the compiled module of a source of the product; undefined for tests, for `?raw`, and if there is none. */
export function builtOf(file, exists = fs.existsSync) {
  const [, root, name] = SOURCE.exec(file) ?? [];
  if (!root || name.endsWith('.test') || /(^|\/)testing\//.test(name)) return undefined;
  const built = `${root}/dist/${name}.js`;
  return exists(built) ? built : undefined;
}

export const builtModules = {
  name: 'built-modules',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
    const built = resolved && builtOf(resolved.id);
    return built ? { ...resolved, id: built } : resolved;
  },
};
