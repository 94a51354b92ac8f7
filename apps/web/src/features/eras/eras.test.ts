import type { SessionInfo } from '@syncloop/core/debug';
import type { Lesson } from '@syncloop/core/lessons';
import { describe, expect, it } from 'vitest';
import { addWords } from '../../i18n/index.js';
import { RUN_BEFORE, type SessionState, useSession } from '../../run/session-store.js';
import { en } from './en.js';
import { eraOf, fixedBecause, hasEras, sameSelection } from './eras.js';

addWords({ en, others: { 'zh-CN': async () => ({}) } });

const session = (info: Partial<SessionInfo>, more: Partial<SessionState> = {}): SessionState => ({
  ...useSession.getState(),
  phase: 'ready',
  run: RUN_BEFORE,
  info: { capabilities: { eras: true }, ...info } as unknown as SessionInfo,
  ...more,
});
const none = { lesson: null, where: 'here' } as const;

describe('the version of the kubelet', () => {
  it('is that of the session, the newest where it names none', () => {
    expect(eraOf(session({}))).toBe('v1.36');
    expect(eraOf(session({ era: 'v1.12' }))).toBe('v1.12');
    expect(eraOf({ info: null })).toBe('v1.36');
  });
  it('can be chosen in a simulation alone', () => {
    expect(hasEras(session({}))).toBe(true);
    expect(hasEras(session({}, { phase: 'closed' }))).toBe(false);
    const recording = session({ capabilities: {} as never, era: 'v1.21' });
    expect(hasEras(recording)).toBe(false);
    expect(fixedBecause(recording, none)).toContain('recorded with v1.21');
  });
  it('is fixed while a lesson is open, and while it explores', () => {
    expect(fixedBecause(session({}), none)).toBe('');
    const lesson = { title: { en: 'A pod', zh: 'Pod' } } as unknown as Lesson;
    expect(fixedBecause(session({}), { lesson, where: 'away' })).toContain('“A pod” is written for v1.36');
    expect(fixedBecause(session({}), { lesson, where: 'left' })).toBe('');
    const exploring = { schedules: 1, of: 2, findings: 0 };
    expect(fixedBecause(session({}, { run: { ...RUN_BEFORE, exploring } }), none)).toContain('exploring');
  });
  it('keeps a selected pod by its name, and parts; records are others', () => {
    const before = { u1: { pod: 'default/web-node1' } };
    const after = [{ uid: 'u2', pod: 'default/web-node1' }];
    expect(sameSelection({ kind: 'pod', uid: 'u1' }, before, after)).toEqual({ kind: 'pod', uid: 'u2' });
    expect(sameSelection({ kind: 'pod', uid: 'gone' }, before, after)).toBeNull();
    expect(sameSelection({ kind: 'part', part: 'pleg' }, before, after)).toEqual({ kind: 'part', part: 'pleg' });
    expect(sameSelection({ kind: 'record', seq: 3 }, before, after)).toBeNull();
    expect(sameSelection(null, before, after)).toBeNull();
  });
});
