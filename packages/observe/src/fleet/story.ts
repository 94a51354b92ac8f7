import { kindRows } from '@syncloop/core/debug/incidents';
import { type Aligned, align, type Sign } from './aligned.js';
import { movesOf } from './moves.js';
import { type Group, groupsOf } from './rules.js';
import type { FleetNode, FleetStory, SharedCause } from './types.js';
import { groupText, readWords, verdictWords } from './words.js';

/** A part of the control plane that fails this long before the API server is lost may be why. */
const BEFORE = 5 * 60_000;

/** Makes the verdict on many nodes. The order in which they come does not matter. */
export function fleetStory(given: readonly FleetNode[], by: string): FleetStory {
  const nodes = [...given].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.source < b.source ? -1 : 1));
  const aligned = align(nodes);
  const causes = groupsOf(aligned)
    .map((group) => causeOf(group, aligned))
    .sort((a, b) => weightOf(b) - weightOf(a) || a.from - b.from || (a.text.en < b.text.en ? -1 : 1));
  // An incident of which pods were evicted for a shared cause is said with it.
  const isSaid = ({ root, kind }: { root: boolean; kind: string }) => root || kind === 'eviction';
  const taken = new Set(
    causes.flatMap(({ kind, members }) =>
      members.filter(({ root }) => isSaid({ root, kind })).map(({ node, incident }) => `${node} ${incident}`),
    ),
  );
  const alone = aligned.signs
    .filter(({ root, node, incident }) => root && !taken.has(`${node.name} ${incident}`))
    .map(({ node, begin, one }) => ({ node: node.name, begin, incident: one }))
    .sort((a, b) => a.begin - b.begin);
  const wrong = causes.length > 0 || alone.length > 0;
  const all = (level: FleetNode['level']) => nodes.length > 0 && nodes.every((node) => node.level === level);
  return {
    verdict: {
      level: wrong ? 'wrong' : all('calm') ? 'calm' : all('nothing') ? 'nothing' : 'little',
      text: verdictWords(causes, alone.length, nodes),
      read: readWords(nodes),
    },
    by,
    from: Number.isFinite(aligned.from) ? aligned.from : null,
    to: Number.isFinite(aligned.to) ? aligned.to : null,
    causes,
    alone,
    moves: movesOf(aligned),
    nodes,
  };
}

function causeOf(group: Group, { signs }: Aligned): SharedCause {
  const { rule, kind, key, chance } = group;
  const begins = group.signs.map(({ begin }) => begin);
  return {
    rule,
    kind,
    key,
    text: groupText(group, rule === 'window' && kind === 'api-unreachable' ? controlPlane(signs, group) : undefined),
    nodes: group.signs.map(({ node }) => node.name),
    from: Math.min(...begins),
    to: Math.max(...begins),
    chance,
    members: group.signs.map(({ node, incident, root, begin, end }) => ({
      node: node.name,
      incident,
      root,
      begin,
      end,
    })),
  };
}

/** The control plane's own trouble on one of the nodes, if it was there when the API server was lost. */
function controlPlane(signs: readonly Sign[], { signs: lost }: Group): Sign | undefined {
  const from = (lost[0] as Sign).begin;
  const to = (lost.at(-1) as Sign).begin;
  return signs.find(
    ({ kind, root, begin, end }) =>
      root && kind === 'control-plane' && begin >= from - BEFORE && begin <= to && (end === null || end >= from),
  );
}

/** The gravest first, and of those what most nodes have. */
const weightOf = ({ kind, nodes }: SharedCause): number => kindRows[kind].weight * 100_000 + nodes.length;
