/** The names along a path from the root, without `.`, `..` or empty ones. */
export function pathNames(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names;
}

/** A path made absolute, without `.`, `..` or double slashes. upstream: filepath.Join("/", path) */
export const cleanPath = (path: string): string => `/${pathNames(path).join('/')}`;
