import type { KubeletConfig } from '../config.js';
import { minorOf, minorOfEra } from './nearest.js';
import type { Era } from './types.js';

/** Returns an era with the rules of the version that a node is to have, if it is another one of the same design. */
export function eraOfMinor(era: Era, { emulatedVersion }: Pick<KubeletConfig, 'emulatedVersion'>): Era {
  const minor = minorOf(emulatedVersion ?? '');
  const none = era.rules.config === undefined;
  if (none || minor === null || minor === minorOfEra(era.version)) return era;
  const { config } = era.rules;
  const own = era.rulesOf?.(minor);
  const version = { ...config, ...own?.config, emulatedVersion: `1.${minor}` };
  return { ...era, rules: { ...era.rules, ...own, config: version } };
}
