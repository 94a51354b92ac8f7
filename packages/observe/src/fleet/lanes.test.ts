import { describe, expect, it } from 'vitest';
import {
  clockBasis,
  clockOffset,
  fleetHtml,
  fleetStory,
  lanesOf,
  MOST_ROWS,
  ticksOf,
  tickText,
  unreadNode,
} from './index.js';
import type { FleetIncident, FleetNode } from './types.js';

const T = Date.UTC(2026, 10, 22, 11);
const at = (time: string) => Date.parse(`2026-11-22T${time}Z`);
const incident = (kind: FleetIncident['kind'], begin: string, more: Partial<FleetIncident> = {}): FleetIncident => ({
  kind,
  ...{ pod: '', container: '', text: { en: `${kind} at ${begin}.`, zh: `${begin} ${kind}。` }, what: '', image: '' },
  ...{ count: 1, begin: at(begin), last: at(begin), end: at(begin) + 30_000, pods: [], consequences: [] },
  ...more,
});
const node = (name: string, incidents: readonly FleetIncident[], more: Partial<FleetNode> = {}): FleetNode => ({
  ...{ name, source: `logs/${name}`, version: 'v1.33.1', level: incidents.length > 0 ? 'wrong' : 'calm' },
  ...{ lines: 500, read: 500, from: T, to: T + 3_600_000, clock: null, incidents, landings: [], evictions: [] },
  ...{ dropped: 0, problem: '' },
  ...more,
});
const lost = (name: string, time: string, ahead: number) =>
  node(name, [incident('api-unreachable', time)], { clock: { ahead, uncertainty: 1000, pods: 5 } });

describe('lanes', () => {
  const story = fleetStory(
    [lost('a', '11:20:05', 5000), lost('b', '11:20:01', 0), lost('c', '11:19:58', -3000), node('d', [])],
    'test',
  );
  const lanes = lanesOf(story);

  it('are on one clock, and have what the nodes share', () => {
    expect(story.causes).toHaveLength(1);
    expect(lanes.map(({ bars }) => bars.map(({ begin }) => begin))).toEqual([
      [at('11:20:00')],
      [at('11:20:01')],
      [at('11:20:01')],
      [],
    ]);
    expect(lanes.map(({ from }) => from)).toEqual([T - 5000, T, T + 3000, T]);
    expect(lanes.map(({ marks }) => marks)).toEqual([
      [{ cause: 0, at: at('11:20:00') }],
      [{ cause: 0, at: at('11:20:01') }],
      [{ cause: 0, at: at('11:20:01') }],
      [],
    ]);
    expect(lanes[0]?.bars[0]).toMatchObject({ causes: [0], grave: true, open: false, row: 0, end: at('11:20:30') });
  });

  it('have bars that overlap in different rows, and the last ones together', () => {
    const all = ['11:00:00', '11:00:10', '11:00:20', '11:00:25', '11:00:40'].map((time) => incident('oom', time));
    const [lane] = lanesOf(fleetStory([node('a', all)], 'test'));
    expect(lane?.bars.map(({ row }) => row)).toEqual([0, 1, 2, MOST_ROWS - 1, 0]);
    expect(lane?.rows).toBe(3);
  });

  it('show what had no end up to the end of the log', () => {
    const open = incident('oom', '11:00:00', { end: null });
    const [lane] = lanesOf(fleetStory([node('a', [open])], 'test'));
    expect(lane?.bars[0]).toMatchObject({ open: true, end: T + 3_600_000 });
  });
});

it('says how far a clock is, and how that was estimated', () => {
  expect([5000, -3000, 0].map((ahead) => clockOffset({ clock: { ahead, uncertainty: 1000, pods: 4 } }))).toEqual([
    '+5.0 s',
    '−3.0 s',
    '±1.0 s',
  ]);
  expect(clockOffset({ clock: null })).toBe('?');
  expect(clockBasis({ clock: { ahead: -3000, uncertainty: 1000, pods: 4 } }).en).toBe(
    'Its clock is 3.0 s behind the API server’s (± 1.0 s), estimated from 4 pods, whose creation the API server dates and whose arrival the kubelet dates; its times are corrected here.',
  );
  expect(clockBasis({ clock: null }).zh).toContain('时钟偏差未知');
});

it('has ticks that people read, whatever the span', () => {
  expect(ticksOf(T + 1, T + 3_600_000, 8).map((tick) => tickText(tick, undefined))).toEqual([
    ...['11:10', '11:20', '11:30', '11:40', '11:50', '12:00'],
  ]);
  expect(tickText(at('00:00:00') + 86_400_000, at('23:00:00'))).toBe('11-23 00:00');
  for (const span of [1, 500, 9000, 86_400_000, 40 * 86_400_000, 4000 * 86_400_000])
    expect(ticksOf(T, T + span, 8).length).toBeLessThanOrEqual(9);
});

describe('a report as HTML', () => {
  const evil = '<script>alert(1)</script>';
  const story = fleetStory(
    [
      lost('a', '11:20:00', 0),
      lost('b', '11:20:01', 0),
      lost('c', '11:20:02', 0),
      node(`x"${evil}`, [incident('oom', '11:00:00', { text: { en: evil, zh: evil } })], { source: evil }),
      unreadNode('z', evil, 'error', `it is ${evil}`),
    ],
    evil,
  );
  it.each(['en', 'zh'] as const)('has a lane for each node and no markup of a source (%s)', (lang) => {
    const html = fleetHtml(story, lang);
    expect(html.match(/<details class="lane">/g)).toHaveLength(5);
    expect(html.match(/class="bar/g)).toHaveLength(4);
    expect(html.match(/class="band"/g)).toHaveLength(3);
    expect(html).not.toContain('<script');
    expect(html).toContain("default-src 'none'");
  });
});
