import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ClusterEvents, writeApiLines } from './api-evidence.js';

const SINCE = Date.UTC(2026, 10, 22, 10);
const at = (minute: number) => new Date(SINCE + minute * 60_000).toISOString().replace('.000', '');
const event = (kind: string, name: string, reason: string, minute: number, more: object = {}) => ({
  involvedObject: { kind, ...(kind === 'Pod' && { namespace: 'shop', uid: `u-${name}` }), name },
  ...{
    type: 'Warning',
    reason,
    message: `${reason} of ${name}`,
    firstTimestamp: at(minute),
    lastTimestamp: at(minute),
  },
  ...more,
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'syncloop-api-'));
  return () => rmSync(folder, { recursive: true, force: true });
});
const linesOf = (file: string) =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];

describe('events of a cluster', () => {
  it('are those about the node and its pods, whoever reports them; those of pods are asked for once', async () => {
    const asked: string[] = [];
    const events = new ClusterEvents(async (path) => {
      asked.push(path);
      const query = new URL(path, 'http://x').searchParams;
      if (query.get('fieldSelector')?.includes('kind=Node'))
        return JSON.stringify({ items: [event('Node', 'n1', 'NodeNotReady', 3)] });
      return JSON.stringify(
        query.has('continue')
          ? { items: [event('Pod', 'other', 'BackOff', 1, { source: { host: 'n2' } })] }
          : {
              metadata: { continue: 'more' },
              items: [
                event('Pod', 'web', 'FailedAttachVolume', 1, { source: { component: 'attachdetach-controller' } }),
                event('Pod', 'gone', 'Evicted', 2, { source: { host: 'n1' } }),
              ],
            },
      );
    });
    const { events: found, cut } = await events.of('n1', new Set(['shop/web']));
    expect(found.map(({ reason }) => reason)).toEqual(['NodeNotReady', 'FailedAttachVolume', 'Evicted']);
    expect(cut).toBe(false);
    expect((await events.of('n2', new Set())).events.map(({ reason }) => reason)).toEqual(['NodeNotReady', 'BackOff']);
    expect(asked.filter((path) => path.includes('Pod'))).toHaveLength(2);
    expect(asked.every((path) => path.includes('limit=500'))).toBe(true);
  });

  it('have the times of the first and the last one; conditions that are well say so only if they became so', async () => {
    const file = join(folder, 'api.ndjson');
    const events = [
      event('Pod', 'web', 'BackOff', 5, { firstTimestamp: at(-30) }),
      event('Pod', 'web', 'Failed', 2, { lastTimestamp: at(8) }),
      event('Pod', 'old', 'Failed', -10),
      event('Pod', 'new', 'Failed', 0, { firstTimestamp: null, lastTimestamp: null, eventTime: at(4) }),
    ];
    const conditions = [
      { type: 'Ready', status: 'True', lastTransitionTime: at(-600) },
      { type: 'MemoryPressure', status: 'False', lastTransitionTime: at(6) },
      { type: 'DiskPressure', status: 'True', lastTransitionTime: at(-20) },
    ];
    expect(await writeApiLines(file, SINCE, events, conditions)).toBe(6);
    expect(
      linesOf(file).map(({ at: time, apiEvent, apiCondition }) => [
        (time - SINCE) / 60_000,
        apiEvent?.reason ?? apiCondition.type,
      ]),
    ).toEqual([
      [0, 'DiskPressure'],
      [2, 'Failed'],
      [4, 'Failed'],
      [5, 'BackOff'],
      [6, 'MemoryPressure'],
      [8, 'Failed'],
    ]);
  });
});
