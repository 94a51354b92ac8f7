import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SessionState, useSession } from '../../run/session-store.js';
import { askToJoin, joined, useJoin } from './join-store.js';

const before = useSession.getState();
const info = { virtual: true, capabilities: { control: true } } as unknown as NonNullable<SessionState['info']>;
const alone = before.company;
const two = { ...alone, pages: 2, later: true } as const;
const comes = (state: Partial<SessionState> = {}) =>
  useSession.setState({ kind: 'agent', phase: 'ready', info, company: two, ...state });
const asks = () => useJoin.getState().asks;
let end = () => {};

describe('the question of a second page', () => {
  beforeEach(() => {
    useSession.setState(before, true);
    joined();
    end = askToJoin(false);
  });
  afterEach(() => {
    end();
    useSession.setState(before, true);
  });

  it('is asked of the page that comes second, until it is answered', () => {
    comes();
    expect(asks()).toBe(true);
    joined();
    comes({ company: { ...two, pages: 3 } });
    expect(asks()).toBe(false);
  });
  it('is not asked of the page that was there first', () => {
    comes({ company: alone });
    comes({ company: { pages: 2 } });
    expect(asks()).toBe(false);
  });
  it('is not asked where there is only one kubelet, where nothing can be moved, or of a page that is loaded again', () => {
    comes({ info: { ...info, virtual: false } });
    expect(asks()).toBe(false);
    end();
    end = askToJoin(false);
    comes({ info: { ...info, capabilities: { ...info.capabilities, control: false } } });
    expect(asks()).toBe(false);
    end();
    end = askToJoin(true);
    comes();
    expect(asks()).toBe(false);
  });
  it('is answered by moving the run, and by the other page going away', () => {
    comes();
    comes({ company: { ...two, moved: { by: 'other', do: 'step' } } as SessionState['company'] });
    expect(asks()).toBe(true);
    comes({ company: { ...two, moved: { by: 'this', do: 'step' } } as SessionState['company'] });
    expect(asks()).toBe(false);
    end();
    end = askToJoin(false);
    comes();
    comes({ company: alone });
    expect(asks()).toBe(false);
  });
});
