import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { select, useUI } from '../../page/ui-store.js';
import { RUN_BEFORE, type SessionState, useSession } from '../../run/session-store.js';
import { endHints, followHints, hintsFrom, nextHint, useHints } from './hints.js';

const all = { control: true, back: true };
const info = { id: 'x' } as unknown as NonNullable<SessionState['info']>;
const at = (seq: number, of = info) => useSession.setState({ info: of, run: { ...RUN_BEFORE, seq } });
const hint = () => nextHint(useHints.getState().done, all);
let end: () => void;

describe('hints', () => {
  beforeEach(() => {
    useHints.setState({ done: [] });
    useUI.setState({ selection: null, inspectorOpen: false, inspectorTab: 'what' });
    at(0);
    end = followHints();
  });
  afterEach(() => {
    end();
    useSession.setState({ info: null, run: RUN_BEFORE });
  });

  it('lead from the first step to the first why, each until it was done', () => {
    expect(hint()).toBe('step');
    at(1);
    expect(hint()).toBe('back');
    at(0);
    expect(hint()).toBe('select');
    select({ kind: 'part', part: 'pleg' });
    expect(hint()).toBe('why');
    useUI.setState({ inspectorTab: 'why' });
    expect(hint()).toBeNull();
  });
  it('leave out what was found without them', () => {
    select({ kind: 'part', part: 'pleg' });
    at(1);
    at(0);
    expect(hint()).toBe('why');
  });
  it('take another run for no step back', () => {
    at(5);
    at(0, { ...info, id: 'y' } as typeof info);
    expect(hint()).toBe('back');
  });
  it('tell of nothing that the session cannot do', () => {
    expect(nextHint([], { control: false, back: false })).toBe('select');
    expect(nextHint(['step'], { control: true, back: false })).toBe('select');
  });
  it('can be put away', () => {
    endHints();
    expect(hint()).toBeNull();
  });
  it('drop what was kept and is none', () => {
    expect(hintsFrom('step nonsense why')).toEqual(['step', 'why']);
    expect(hintsFrom(null)).toEqual([]);
  });
});
