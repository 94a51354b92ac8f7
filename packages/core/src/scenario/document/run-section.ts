import { isMap, isScalar, type Pair, parseDocument } from 'yaml';
import { availableEras } from '../../kubelet/era/index.js';
import { about, custom, duration, list, object, oneOf, optional, type Shape, whole } from '../../shape/index.js';
import { ScenarioError } from './errors.js';
import { readAction } from './parse-steps.js';
import type { LocalText, RunOfScenario } from './scenario.js';

const step: Shape<{ readonly action: ReturnType<typeof readAction>; readonly given: unknown }> = custom(
  { $ref: '#/$defs/step' },
  (r) => {
    const action = readAction(r);
    if (action.verb === 'wait' || action.verb === 'waitFor')
      throw r.error(`${action.verb} takes time`, 'put it into spec.steps; the actions of a run take no time');
    return { action, given: r.value };
  },
);

/** The section `run` of a scenario's file. */
export const runSection: Shape<RunOfScenario> = object({
  seed: optional(about('The seed of that run. Default: spec.seed.', whole(0, 2 ** 32 - 1))),
  era: optional(about('The version of the kubelet that ran. Default: spec.era.', oneOf(...availableEras))),
  deviations: optional(
    about(
      'Deviations from the seed: at this decision this goroutine goes next, or this ready case is taken.',
      list(
        object({ decision: whole(1), goroutine: optional(whole(1)), case: optional(whole(0, 1_000_000)) }) as Shape<
          NonNullable<RunOfScenario['deviations']>[number]
        >,
      ),
    ),
  ),
  interventions: optional(
    about(
      'Actions from outside: after how many decisions and records each came, and at which time of the clock.',
      list(
        object({
          at: duration,
          decision: whole(0),
          record: whole(0),
          do: step,
        }) as Shape<NonNullable<RunOfScenario['interventions']>[number]>,
      ),
    ),
  ),
});
/** A scenario's text without its section `run`. The lines before and after it keep their numbers. */
export function withoutRun(text: string): string {
  const { map, flow } = rootOf(text);
  const items = map.items as Pair[];
  const at = items.findIndex((p) => isScalar(p.key) && p.key.value === 'run');
  if (at < 0) return text;
  if (flow) {
    const { run: _, ...rest } = JSON.parse(JSON.stringify(map.toJSON())) as Record<string, unknown>;
    return `${JSON.stringify(rest, null, 2)}\n`;
  }
  const start = startOf(items[at] as Pair);
  const next = items[at + 1];
  const end = next ? startOf(next) : text.length;
  const cut = text.slice(start, end);
  return text.slice(0, start) + (next ? cut.replace(/[^\n]+/g, '') : '') + text.slice(end);
}

/**
 * A scenario's text with another name and title, and `section`, the text of its section `run`. The lines of what was
 * there keep their numbers, for messages of a run name them.
 */
export function withRun(text: string, { name, title }: { name: string; title: LocalText }, section: object): string {
  const { map, flow } = rootOf(text);
  if (flow) {
    const whole = JSON.parse(JSON.stringify(map.toJSON())) as { metadata: object };
    return `${JSON.stringify({ ...whole, metadata: { ...whole.metadata, name, title }, run: section }, null, 2)}\n`;
  }
  const metadata = map.get('metadata');
  let out = text;
  if (isMap(metadata) && !metadata.flow) {
    const edits = (metadata.items as Pair[]).flatMap((pair) => {
      const range = (pair.value as { range?: [number, number, number] } | null)?.range;
      const key = isScalar(pair.key) ? pair.key.value : '';
      if (!range) return [];
      if (key === 'name') return [{ range, by: name }];
      return key === 'title' ? [{ range, by: JSON.stringify(title) }] : [];
    });
    for (const { range, by } of edits.sort((a, b) => b.range[0] - a.range[0])) {
      const old = out.slice(range[0], range[1]).trimEnd();
      out = out.slice(0, range[0]) + by + '\n'.repeat(old.split('\n').length - 1) + out.slice(range[0] + old.length);
    }
  }
  return `${out.trimEnd()}\n${sectionText(section)}`;
}

/** The section as YAML. Leaves that are not plain words are written as JSON, so that every text stays the same text. */
function sectionText(section: object): string {
  const lines = ['run:'];
  for (const [key, value] of Object.entries(section)) {
    if (!Array.isArray(value)) lines.push(`  ${key}: ${JSON.stringify(value)}`);
    else lines.push(`  ${key}:`, ...value.flatMap((item) => itemLines(item as object)));
  }
  return `${lines.join('\n')}\n`;
}

function itemLines(item: object): string[] {
  return Object.entries(item).flatMap(([key, value], i) => {
    const lead = i === 0 ? '    - ' : '      ';
    const manifest = (value as { apply?: { manifest?: unknown } } | null)?.apply?.manifest;
    if (key !== 'do' || typeof manifest !== 'string' || !isBlock(manifest))
      return [`${lead}${key}: ${JSON.stringify(value)}`];
    const { apply } = value as { apply: Record<string, unknown> };
    const others = Object.entries(apply).filter(([k]) => k !== 'manifest');
    return [
      `${lead}do:`,
      '        apply:',
      ...others.map(([k, v]) => `          ${k}: ${JSON.stringify(v)}`),
      '          manifest: |2',
      ...manifest
        .slice(0, -1)
        .split('\n')
        .map((line) => (line === '' ? '' : `            ${line}`)),
    ];
  });
}

/**
 * True if a block of YAML holds the text as it is: it ends with one line feed, and has no letter that YAML would read
 * otherwise.
 */
const isBlock = (text: string): boolean =>
  /^(?![\s\S]*\n\n$)[\x20-\x7e\n\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe]*[^\n]\n$/.test(text) && !text.startsWith('\n');

const startOf = (pair: Pair): number => (pair.key as { range: [number, number, number] }).range[0];

function rootOf(text: string) {
  const doc = parseDocument(text, { logLevel: 'silent', version: '1.1' });
  const { contents } = doc;
  if (doc.errors.length > 0 || !isMap(contents)) throw new ScenarioError('the scenario cannot be read as a map');
  return { map: contents, flow: contents.flow === true };
}
