/** Reads an EncryptionConfiguration, the file of kube-apiserver's --encryption-provider-config. */
import { statSync } from 'node:fs';
import { list, object, optional, read, ShapeError, text } from '@syncloop/core/shape';
import { SetupError, UsageError } from '../base/errors.js';
import { readRegularSync, settingsLimit } from '../base/read-file.js';
import { parseYAML } from '../base/yaml.js';
import type { EncryptionKey, EncryptionProvider, EncryptionRule } from './encryption.js';

const apiVersion = 'apiserver.config.k8s.io/v1';
const keys = object({ keys: list(object({ name: text, secret: text })) });
const anything = object({}, 'keep');
const provider = object({
  identity: optional(object({})),
  aescbc: optional(keys),
  aesgcm: optional(keys),
  secretbox: optional(anything),
  kms: optional(anything),
});
const configuration = object({
  apiVersion: text,
  kind: text,
  resources: list(object({ resources: list(text), providers: list(provider) })),
});
/** upstream: aesKeySizes in validation_encryption.go */
const keySizes = [16, 24, 32];

/**
 * Reads the rules of a file of mode 0600. Throws a UsageError that names file and place, a SetupError if others may
 * read the file.
 */
export function readEncryptionConfiguration(flag: string, file: string): EncryptionRule[] {
  let source: string;
  let mode: number;
  try {
    mode = statSync(file).mode;
    source = readRegularSync(file, { limit: settingsLimit }).toString('utf8');
  } catch (err) {
    throw new UsageError(`cannot read ${flag} ${file}: ${(err as Error).message}`);
  }
  if ((mode & 0o077) !== 0)
    throw new SetupError(`${flag} ${file} has keys and can be read by others: chmod 600 ${file}`);
  const document = parseYAML(file, source);
  const wrong = (why: string, ...path: (string | number)[]): never => {
    throw new UsageError(`${document.place(...path)}: ${why}`);
  };
  const { value } = document;
  const given = value as { apiVersion?: unknown; kind?: unknown } | null;
  if (given?.apiVersion !== apiVersion || given.kind !== 'EncryptionConfiguration')
    wrong(`it must be an EncryptionConfiguration of ${apiVersion}`);
  try {
    const { resources } = read(configuration, value, document.source);
    if (resources.length === 0) wrong('it lists no resources', 'resources');
    return resources.map((rule, i) => {
      const at = ['resources', i] as const;
      if (rule.resources.length === 0) wrong('name a resource, such as secrets', ...at, 'resources');
      for (const [j, name] of rule.resources.entries())
        if (name !== '*.*' && !/^[a-z]+(\.[a-z0-9.-]+)?$/.test(name))
          wrong(
            `${JSON.stringify(name)} is not known here: name resources one by one, or all with "*.*"`,
            ...at,
            'resources',
            j,
          );
      if (rule.providers.length === 0) wrong('name a provider, such as aesgcm', ...at, 'providers');
      return {
        resources: rule.resources,
        providers: rule.providers.map((one, j): EncryptionProvider => {
          const place = [...at, 'providers', j] as const;
          const kinds = Object.keys(one);
          const kind = kinds[0];
          if (kinds.length !== 1 || kind === undefined) return wrong('it must have one provider', ...place);
          if (kind === 'secretbox' || kind === 'kms')
            return wrong(`the provider ${kind} is not supported: use aesgcm, aescbc or identity`, ...place, kind);
          if (kind === 'identity') return { kind };
          const found = one[kind as 'aescbc' | 'aesgcm']?.keys ?? [];
          if (found.length === 0) wrong('it needs a key', ...place, kind);
          const names = new Set<string>();
          return {
            kind: kind as 'aescbc' | 'aesgcm',
            keys: found.map(({ name, secret }, k): EncryptionKey => {
              const key = [...place, kind, 'keys', k] as const;
              if (name.includes(':') || Buffer.byteLength(name) > 128 || names.has(name))
                wrong(`a key's name must be its own, without ":", of at most 128 bytes`, ...key, 'name');
              names.add(name);
              const bytes = Buffer.from(secret, 'base64');
              // The secret itself is in no message.
              if (!keySizes.includes(bytes.length) || bytes.toString('base64') !== secret.trim())
                wrong(
                  `the secret must be base64 of 16, 24 or 32 bytes (head -c 32 /dev/urandom | base64)`,
                  ...key,
                  'secret',
                );
              return { name, secret: new Uint8Array(bytes) };
            }),
          };
        }),
      };
    });
  } catch (err) {
    if (err instanceof ShapeError) throw new UsageError(`${file}: ${err.message}`);
    throw err;
  }
}
