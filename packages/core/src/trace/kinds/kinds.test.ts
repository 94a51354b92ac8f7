import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { narrate, recordProblem, type TraceRecord } from '../index.js';
import { initialState } from '../state/index.js';
import { allSamples } from '../testing/samples.js';
import {
  families,
  hasFailed,
  importanceOf,
  isMilestone,
  kindOf,
  kinds,
  kindsAt,
  markOf,
  placeOf,
  recordKinds,
} from './index.js';

const top = fileURLToPath(new URL('../../../../..', import.meta.url));
const sources = [
  'packages/core/src',
  'packages/observe/src',
  'packages/workshop/src',
  'apps/agent/src',
  'apps/web/src',
].flatMap((folder) =>
  readdirSync(path.join(top, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.split(path.sep).join('/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.d\.ts$|\/gen\//.test(file)),
);
const text = new Map(sources.map((file) => [file, readFileSync(path.join(top, file), 'utf8')]));
const having = (pattern: RegExp): string[] => sources.filter((file) => pattern.test(text.get(file) ?? '')).sort();

const record = (body: object): TraceRecord =>
  ({ seq: 1, time: 1, g: 1, span: 0, cause: 0, ...body }) as unknown as TraceRecord;
const stranger = record({ kind: 'from-the-future' });

/** CONTRIBUTING.md shows how a kind is added on this one. When this list grows, adding a kind has become harder. */
describe('a kind of record', () => {
  it('is named in six files, and in those that need it: findings and incidents if it may fail, pseudonyms if it has a name, twins', () => {
    expect(having(/'node-lease'/)).toEqual([
      'packages/core/src/debug/findings/rules.ts',
      'packages/core/src/debug/incidents/rules-node.ts',
      'packages/core/src/kubelet/nodelease/controller.ts',
      'packages/core/src/trace/kinds/node.ts',
      'packages/core/src/trace/narrator/en.ts',
      'packages/core/src/trace/narrator/zh.ts',
      'packages/core/src/trace/pseudonyms/roles.ts',
      'packages/core/src/trace/state/node.ts',
      'packages/core/src/trace/testing/samples.ts',
      // They read the times at which the API server answered from a capture.
      'packages/observe/src/twin/make/node.ts',
      'packages/observe/src/twin/make/outages.ts',
    ]);
  });
  it('is asked for by no other table: those that must have every kind are these', () => {
    const all =
      /\[\w+ in (RecordKind|TraceRecord\['kind'\])\]:|(?<!Partial<)Record<(RecordKind|TraceRecord\['kind'\]),/;
    expect(having(all)).toEqual([
      // The narrators of both languages.
      'packages/core/src/trace/narrator/parts.ts',
      // The type of records, which is derived.
      'packages/core/src/trace/records.ts',
      'packages/core/src/trace/testing/samples.ts',
    ]);
  });
  it('belongs to one family', () => {
    expect(Object.values(families).flatMap((family) => Object.keys(family))).toEqual(recordKinds);
  });
});

describe('a declaration', () => {
  it('touches parts that the state has', () => {
    const parts = Object.keys(initialState());
    for (const kind of recordKinds) for (const part of kinds[kind].touches) expect(parts, kind).toContain(part);
  });
  it('accepts every sample, and none without a field that it needs or with one of another type', () => {
    let refused = 0;
    for (const body of allSamples) {
      const { kind, ...own } = body as { readonly [key: string]: unknown };
      const whole = record({ kind, ...own });
      expect(recordProblem(whole as never), JSON.stringify(whole)).toBe('');
      for (const name of Object.keys(own)) {
        const field = kindOf(kind as string)?.fields[name];
        expect(field, `${kind}.${name}`).toBeDefined();
        if (!field || field.want === 'a JSON value') continue;
        const wrong = `the ${name} of its ${kind} is not ${field.want}`;
        expect(recordProblem({ ...whole, [name]: () => 0 })).toBe(wrong);
        const { [name]: _, ...without } = whole as unknown as { readonly [key: string]: unknown };
        expect(recordProblem(without)).toBe(field.optional ? '' : wrong);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(300);
  });
  it('looks into what a field holds', () => {
    const wait = (on: object) => recordProblem(record({ kind: 'wait', on }) as never);
    expect(wait({ op: 'sleep', until: 5 })).toBe('');
    for (const on of [{}, { op: 1 }, { op: 'select', chans: ['1'] }, { op: 'lock', name: 4 }, []])
      expect(wait(on), JSON.stringify(on)).toBe('the on of its wait is not a wait');
    const source = (pods: unknown) =>
      recordProblem(record({ kind: 'source', source: 'file', origin: 'list', pods }) as never);
    expect(source([{ pod: 'default/web', uid: 'u' }])).toBe('');
    for (const pods of [{}, [1], [{ pod: 'default/web' }], [{ pod: 'default/web', uid: 'u' }, null]])
      expect(source(pods), JSON.stringify(pods)).toBe('the pods of its source is not a list of pods');
    const named = JSON.parse('{"kind":"node-status","op":"set","node":"n","capacity":{"__proto__":"1"}}') as object;
    expect(recordProblem(record(named) as never)).toBe('');
  });
  it('has one milestone for the admission of a pod, and one for its refusal', () => {
    const asked = (verdict: string) => record({ kind: 'decision', rule: 'canAdmitPod', verdict, values: {} });
    const step = (name: string, admit: boolean) =>
      record({ kind: 'call-step', fn: 'HandlePodAdditions', n: 5, name, found: { admit } });
    expect([asked('admit'), asked('NodePorts')].map(isMilestone)).toEqual([false, true]);
    for (const name of ['canAdmitPod', 'allocationManager.AddPod'])
      expect([step(name, true), step(name, false)].map(isMilestone), name).toEqual([true, false]);
    expect(isMilestone(step('podManager.AddPod', true))).toBe(false);
  });
  it('tells importance, place and mark, and of a kind that is not known nothing but that it is there', () => {
    const relist = (changed: number) => record({ kind: 'relist', pods: 1, changed, scope: 'global' });
    expect([importanceOf(relist(0)), importanceOf(relist(1))]).toEqual([1, 2]);
    const lease = record({ kind: 'node-lease', op: 'failed', name: 'node1', error: 'refused' });
    expect([placeOf(lease), markOf(lease), hasFailed(lease)]).toEqual(['lease', ['time', 'ring'], true]);
    expect(hasFailed(record({ kind: 'node-lease', op: 'renewed', name: 'node1' }))).toBe(false);
    expect(kindsAt('node')).toEqual(['node-condition', 'node-status']);
    expect([importanceOf(stranger), placeOf(stranger), markOf(stranger), hasFailed(stranger)]).toEqual([
      1,
      null,
      ['plain', 'tick'],
      false,
    ]);
    expect(recordProblem(stranger as never)).toBe('');
    expect(kindOf('constructor')).toBeUndefined();
    const names = {
      channel: () => '',
      goroutine: () => '',
      container: () => null,
      containerId: () => '',
      pod: () => '',
    };
    expect(narrate(stranger, names, 'en').text).toContain('from-the-future');
  });
});
