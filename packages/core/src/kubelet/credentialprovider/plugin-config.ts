import { isObject, parseDuration } from '../../base/index.js';
import type { Micros } from '../../trace/index.js';
import { parseSchemelessURL } from './urls-match.js';

/** One plug-in that gives credentials. upstream: kubeletconfig.CredentialProvider */
export interface CredentialProvider {
  readonly name: string;
  /** Patterns of the images that the plug-in is called for. */
  readonly matchImages: readonly string[];
  readonly defaultCacheDuration: Micros;
  /** API version of its requests and responses. */
  readonly apiVersion: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** The API versions of plug-ins, the newest last. */
export const pluginAPIVersions: readonly string[] = [
  'credentialprovider.kubelet.k8s.io/v1',
  'credentialprovider.kubelet.k8s.io/v1alpha1',
  'credentialprovider.kubelet.k8s.io/v1beta1',
];
const configVersions = ['v1', 'v1beta1', 'v1alpha1'].map((v) => `kubelet.config.k8s.io/${v}`);

const known = {
  config: ['apiVersion', 'kind', 'providers'],
  provider: ['name', 'matchImages', 'defaultCacheDuration', 'apiVersion', 'args', 'env', 'tokenAttributes'],
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a CredentialProviderConfig that was parsed already. Throws an Error that names all that is wrong, each with its
 * field. upstream: pkg/credentialprovider/plugin validateCredentialProviderConfig
 */
export function parseCredentialProviderConfig(value: unknown): CredentialProvider[] {
  const errors: string[] = [];
  if (!isObject(value))
    throw new Error('it is not a CredentialProviderConfig: it must be a map with apiVersion, kind and providers');
  if (value.kind !== 'CredentialProviderConfig')
    errors.push(`kind: ${JSON.stringify(value.kind ?? null)}: must be CredentialProviderConfig`);
  if (!configVersions.includes(String(value.apiVersion)))
    errors.push(`apiVersion: ${JSON.stringify(value.apiVersion ?? null)}: must be one of ${configVersions.join(', ')}`);
  for (const name of Object.keys(value)) if (!known.config.includes(name)) errors.push(`${name}: unknown field`);
  const list = Array.isArray(value.providers) ? (value.providers as unknown[]) : [];
  if (list.length === 0) errors.push('providers: Required value: at least 1 item in plugins is required');
  const names = new Set<string>();
  const providers = list.map((p, i): CredentialProvider => {
    const at = (field: string) => `providers[${i}].${field}`;
    const fields: Fields = isObject(p) ? p : {};
    if (!isObject(p)) errors.push(`providers[${i}]: must be a map`);
    for (const name of Object.keys(fields))
      if (!known.provider.includes(name)) errors.push(`${at(name)}: unknown field`);
    const texts = (field: string): string[] => {
      const v = fields[field];
      if (v === undefined || v === null) return [];
      if (Array.isArray(v) && v.every((x) => typeof x === 'string')) return v as string[];
      errors.push(`${at(field)}: must be a list of texts`);
      return [];
    };
    const name = typeof fields.name === 'string' ? fields.name : '';
    if (name === '') errors.push(`${at('name')}: Required value`);
    const shown = JSON.stringify(name);
    if (name.includes('/')) errors.push(`${at('name')}: Invalid value: ${shown}: provider name cannot contain '/'`);
    if (name.includes(' ')) errors.push(`${at('name')}: Invalid value: ${shown}: provider name cannot contain spaces`);
    if (name === '.' || name === '..')
      errors.push(`${at('name')}: Invalid value: ${shown}: provider name cannot be '${name}'`);
    if (names.has(name)) errors.push(`${at('name')}: Duplicate value: ${shown}`);
    names.add(name);
    const apiVersion = typeof fields.apiVersion === 'string' ? fields.apiVersion : '';
    if (apiVersion === '') errors.push(`${at('apiVersion')}: Required value`);
    else if (!pluginAPIVersions.includes(apiVersion))
      errors.push(
        `${at('apiVersion')}: Unsupported value: ${JSON.stringify(apiVersion)}: supported values: ${pluginAPIVersions.map((v) => `"${v}"`).join(', ')}`,
      );
    const matchImages = texts('matchImages');
    if (matchImages.length === 0)
      errors.push(`${at('matchImages')}: Required value: at least 1 item in matchImages is required`);
    for (const image of matchImages) {
      try {
        parseSchemelessURL(image);
      } catch (err) {
        errors.push(
          `${at('matchImages')}: Invalid value: ${JSON.stringify(image)}: match image is invalid: ${(err as Error).message}`,
        );
      }
    }
    const duration =
      typeof fields.defaultCacheDuration === 'string' ? parseDuration(fields.defaultCacheDuration) : null;
    if (fields.defaultCacheDuration === undefined) errors.push(`${at('defaultCacheDuration')}: Required value`);
    else if (duration === null) errors.push(`${at('defaultCacheDuration')}: must be a duration such as 12h`);
    else if (duration < 0)
      errors.push(
        `${at('defaultCacheDuration')}: Invalid value: defaultCacheDuration must be greater than or equal to 0`,
      );
    if (fields.tokenAttributes !== undefined && fields.tokenAttributes !== null)
      errors.push(
        `${at('tokenAttributes')}: Forbidden: plug-ins that are given a service account's token are not supported here; remove tokenAttributes`,
      );
    const env = (Array.isArray(fields.env) ? (fields.env as unknown[]) : []).map((e, j) => {
      const { name: key, value: v } = isObject(e) ? e : ({} as Fields);
      if (typeof key !== 'string' || key === '') errors.push(`${at(`env[${j}].name`)}: Required value`);
      return { name: String(key ?? ''), value: typeof v === 'string' ? v : '' };
    });
    return { name, matchImages, defaultCacheDuration: duration ?? 0, apiVersion, args: texts('args'), env };
  });
  if (errors.length > 0) throw new Error(errors.join('; '));
  return providers;
}
