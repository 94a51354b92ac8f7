import { stringify } from 'yaml';
import { parseManifest } from '../../api/yaml.js';
import { deepEqual } from '../../base/deep.js';

/**
 * A JSON value as YAML which the kubelet reads as that very value (`"yes"` is not a boolean); as JSON where YAML would
 * not do.
 */
export function yamlText(value: unknown): string {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  const text = stringify(plain, { version: '1.1', lineWidth: 0 });
  try {
    if (deepEqual(parseManifest(text), plain)) return text;
  } catch {
    // It stays JSON.
  }
  return `${JSON.stringify(plain, null, 2)}\n`;
}
