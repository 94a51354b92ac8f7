import type { ScenarioGroup as LibraryGroup } from '@syncloop/core/scenario';
import { isMessageKey } from '../../../i18n/index.js';

/** `other`: in no group that this page has a title for. */
export type ScenarioGroup = LibraryGroup | 'other';

interface Grouped {
  readonly name: string;
  readonly group?: string;
}

const groupOf = ({ group }: Grouped): ScenarioGroup =>
  isMessageKey(`scenarios.group.${group}`) ? (group as ScenarioGroup) : 'other';

/**
 * Returns the scenarios whose words have all of the typed ones, by group. Groups and scenarios keep the order of the
 * list, but for those of no group, which come last; empty groups are left out.
 */
export function grouped<S extends Grouped>(
  scenarios: readonly S[],
  typed: string,
  wordsOf: (scenario: S, group: ScenarioGroup) => string,
): readonly { readonly group: ScenarioGroup; readonly scenarios: readonly S[] }[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<ScenarioGroup, S[]>();
  for (const s of scenarios) {
    const group = groupOf(s);
    const words = `${s.name} ${wordsOf(s, group)}`.toLowerCase();
    if (!wanted.every((w) => words.includes(w))) continue;
    const members = groups.get(group);
    if (members) members.push(s);
    else groups.set(group, [s]);
  }
  const others = groups.get('other');
  groups.delete('other');
  if (others) groups.set('other', others);
  return [...groups].map(([group, members]) => ({ group, scenarios: members }));
}
