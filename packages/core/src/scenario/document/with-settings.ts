import { isMap, parseDocument } from 'yaml';

/**
 * Returns the text of a scenario whose node has these settings, by their path below `spec.node` with dots between
 * names: `{syncFrequency: '10s', 'constants.plegChannelCapacity': 3}`. The rest of the text stays as it is. A path that
 * no setting has, and a value that a setting may not have, are found when the scenario is read.
 */
export function withNodeSettings(text: string, settings: Readonly<Record<string, string | number | boolean>>): string {
  const yaml = parseDocument(text);
  const spec = yaml.get('spec');
  if (!isMap(spec)) throw new Error('spec is missing: this is not a scenario');
  for (const [path, value] of Object.entries(settings)) yaml.setIn(['spec', 'node', ...path.split('.')], value);
  return yaml.toString({ lineWidth: 0 });
}
