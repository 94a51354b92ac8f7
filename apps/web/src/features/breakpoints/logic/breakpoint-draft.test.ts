import { type BreakpointSpec, breakpointFields, breakpointKinds } from '@syncloop/core/debug/breakpoints';
import { compile, compileTemplate } from '@syncloop/core/expression';
import { initialState, type NodeState, type TraceRecord } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { CATALOGUES } from '../../../fixtures/words.js';
import type { MessageKey } from '../../../i18n/index.js';
import { draftOf, emptyDraft, markedAt, ofKind, problemIn, specOf } from './breakpoint-draft.js';
import { namesFor } from './breakpoint-names.js';

describe('drafts of breakpoints', () => {
  it('make breakpoints of every kind, and come of them again', () => {
    for (const on of breakpointKinds) {
      const made = specOf(emptyDraft('b1', on));
      expect(made, on).toEqual({ spec: { id: 'b1', on } });
    }
    const specs: BreakpointSpec[] = [
      { id: 'a', on: 'cri', method: 'PullImage', when: 'error', pod: 'web', condition: 'error.code == 5', once: true },
      { id: 'b', on: 'step', step: 3, fn: 'SyncPod', hitCount: { every: 4 }, enabled: false },
      { id: 'c', on: 'step', step: 'sandbox' },
      { id: 'd', on: 'select', several: false, channel: 'plegCh', log: 'took {channel.name}' },
      { id: 'e', on: 'probe', stage: 'result', hitCount: { at: 2 } },
    ];
    for (const spec of specs) expect(specOf(draftOf(spec))).toEqual({ spec });
  });
  it('keep the container when the kind changes, and nothing else of it', () => {
    const draft = { ...emptyDraft('b1', 'cri'), fields: { method: 'PullImage', when: 'error', container: 'app' } };
    expect(ofKind(draft, 'backoff').fields).toEqual({ of: '', when: 'both', container: 'app' });
  });
  it('say what is wrong, and in which field', () => {
    const draft = emptyDraft('b1', 'cri');
    expect(specOf({ ...draft, condition: 'knd == 1' })).toMatchObject({
      problem: { field: 'condition', position: 0, end: 3, reason: expect.stringContaining('kind') },
    });
    expect(specOf({ ...draft, count: 'at', n: 'many' })).toMatchObject({ problem: { field: 'n' } });
    expect(specOf({ ...draft, pod: 'x'.repeat(501) })).toMatchObject({ problem: { field: 'pod' } });
    expect(specOf({ ...draft, writes: true, log: ' ' })).toMatchObject({ problem: { field: 'log' } });
    expect(specOf({ ...draft, writes: true, log: 'a {b' })).toMatchObject({
      problem: { field: 'log', position: expect.any(Number) },
    });
    expect(problemIn('condition', '  ')).toBeNull();
  });
  it('mark the wrong part of a source', () => {
    expect(markedAt('a ==', { field: 'condition', reason: '', position: 4, end: 4 })).toEqual(['a ==', ' ', '']);
    expect(markedAt('a $ b', { field: 'condition', reason: '', position: 2, end: 3 })).toEqual(['a ', '$', ' b']);
  });
});

describe('the form', () => {
  it('has words for every field in every language', () => {
    for (const catalogue of Object.values(CATALOGUES))
      for (const on of breakpointKinds)
        for (const field of Object.keys(breakpointFields[on]))
          expect(catalogue[`breakpoints.field.${field}` as MessageKey], `${on}.${field}`).toBeTruthy();
  });
  it('gives examples that can be read', () => {
    for (const catalogue of Object.values(CATALOGUES)) {
      expect(() => compile(catalogue['breakpoints.ifHint'].replace(/^.*?\s\s/, ''))).not.toThrow();
      expect(() => compileTemplate(catalogue['breakpoints.logHint'].replace(/^.*?\s\s/, ''))).not.toThrow();
    }
  });
  it('offers names from what is there and has happened', () => {
    const state = initialState();
    state.channels[1] = { id: 1, name: 'plegCh' } as NodeState['channels'][number];
    const records = [
      { kind: 'step', fn: 'SyncPod', name: 'sandbox' },
      { kind: 'log', msg: 'SyncLoop ADD' },
      { kind: 'step', fn: 'SyncPod', name: 'init' },
    ] as unknown as TraceRecord[];
    expect(namesFor('channel', 'name', state, records)).toEqual(['plegCh']);
    expect(namesFor('step', 'step', state, records)).toEqual(['init', 'sandbox']);
    expect(namesFor('step', 'fn', state, records)).toEqual(['SyncPod']);
    expect(namesFor('log', 'message', state, records)).toEqual(['SyncLoop ADD']);
    expect(namesFor('pleg-event', 'type', state, records)).toContain('ContainerDied');
  });
});
