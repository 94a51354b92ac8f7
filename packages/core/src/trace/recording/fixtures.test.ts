import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { foldAll } from '../index.js';
import { allSamples, Tape } from '../testing/samples.js';
import { bytesSource, openRecording, RECORDING_VERSION, STATE_VERSION } from './index.js';
import { BLOCK } from './layout.js';

const folder = new URL('../../../testdata/recordings/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.syncloop'));
const open = (name: string) => openRecording(bytesSource(readFileSync(new URL(name, folder))));
const versionOf = (name: string): number => Number(/^v(\d+)\./.exec(name)?.[1]);

/** The known contents of each file, whatever version reads it. */
const known: Readonly<Record<string, { last: number; closed: boolean; warning: string; phase: string }>> = {
  'v1.hello.syncloop': { last: 552, closed: true, warning: '', phase: 'Running' },
  'v1.cut-off.syncloop': {
    last: 186,
    closed: true,
    warning: 'The recording is cut off in line 188; it ends with record 186.',
    phase: '',
  },
  'v2.hello.syncloop': { last: 552, closed: true, warning: '', phase: 'Running' },
  'v2.cut-off.syncloop': {
    last: 300,
    closed: false,
    warning: 'The recording is cut off in block 10 at byte 22317; it ends with record 300.',
    phase: 'Pending',
  },
};

describe('recordings of every version that was', () => {
  it('are here', () => {
    for (let v = 1; v <= RECORDING_VERSION; v++)
      expect(
        files.filter((name) => versionOf(name) === v).length,
        `testdata/recordings has no v${v}.*`,
      ).toBeGreaterThan(0);
    expect(Object.keys(known).sort()).toEqual([...files].sort());
  });

  it.each(files)('%s opens', (name) => {
    const file = open(name);
    const { last, closed, warning, phase } = known[name] as (typeof known)[string];
    expect(file.writtenVersion).toBe(versionOf(name));
    expect({ last: file.last, closed: file.closed, warning: file.warning }).toEqual({ last, closed, warning });
    expect(file.header).toMatchObject({ version: RECORDING_VERSION, title: 'Hello, pod', scenario: 'hello', seed: 7 });
    const records = [...file];
    expect(records.map((r) => r.seq)).toEqual(Array.from({ length: last }, (_, i) => i + 1));
    const state = file.stateAt(last);
    expect(state).toEqual(foldAll(records));
    expect(Object.values(state.pods)[0]?.phase ?? '').toBe(phase);
  });

  it('the same run is the same in each of them', () => {
    const [first, ...others] = files.filter((name) => name.endsWith('.hello.syncloop'));
    for (const name of others) expect([...open(name)]).toEqual([...open(first as string)]);
  });

  it.each(files.filter((name) => name.endsWith('.hello.syncloop')))(
    'goroutines in %s have the places that their names say',
    (name) => {
      const { goroutines, pods } = foldAll([...open(name)]);
      const of = (start: string) => Object.values(goroutines).find((g) => g.name.startsWith(start))?.place ?? null;
      expect(of('syncLoop')).toEqual({ at: 'select', uid: '' });
      expect(of('genericPLEG')).toEqual({ at: 'pleg', uid: '' });
      const uid = Object.keys(pods)[0];
      expect(of('podWorker ')).toEqual({ at: 'pod/worker', uid });
    },
  );

  it('has a block of every kind', () => {
    const file = open('v2.hello.syncloop');
    const types = new Set(file.blocks.map((b) => b.type));
    // The index is not a block of the list.
    expect([...types].sort()).toEqual(
      Object.values(BLOCK)
        .filter((t) => t !== BLOCK.index)
        .sort(),
    );
    expect(file.header.run).toMatchObject({
      deviations: [{ decision: 12, goroutine: 3 }],
      interventions: [{ step: 90 }],
    });
  });
});

/** Names and types of a state's fields, wherever they are; maps by what is in them. */
function shapeOf(value: unknown, path = '', into = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const v of value) shapeOf(v, `${path}[]`, into);
  else if (typeof value === 'object' && value !== null) {
    const map = Object.getPrototypeOf(value) === null;
    for (const [key, v] of Object.entries(value)) shapeOf(v, `${path}.${map ? '*' : key}`, into);
  } else into.add(value === null ? path : `${path}: ${typeof value}`);
  return into;
}

it('checkpoints in old recordings are of the state that this program has', () => {
  const tape = new Tape();
  const shape = new Set<string>();
  for (const body of allSamples) {
    tape.add(body);
    shapeOf(foldAll(tape.records), '', shape);
  }
  const lines = [...shape].filter((p) => !/^\.(events|pods\.\*\.(status|actions)|loop\.handlerArgs)/.test(p)).sort();
  // When this fails, the shape of NodeState was changed: raise STATE_VERSION (recording/header.ts) and update this
  // number and the snapshot (vitest -u), or old checkpoints will be taken for what they are not.
  expect(STATE_VERSION).toBe(5);
  expect(lines).toMatchSnapshot();
});
