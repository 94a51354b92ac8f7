import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';
import { type SessionState, useSession } from '../../run/session-store.js';

export interface TransportState {
  /** The menu of other steps; `go`: with the field "go to" at hand. */
  readonly menu: 'steps' | 'go' | null;
  /** True if steps are limited to the selection, if that is a pod or a goroutine. */
  readonly limited: boolean;
  /** A step or a jump is under way for longer than one notices. */
  readonly going: boolean;
}

export const useTransport = create<TransportState>(() => ({
  menu: null,
  limited: recall('steps.limited') === 'yes',
  going: false,
}));

export function setLimited(limited: boolean): void {
  remember('steps.limited', limited ? 'yes' : 'no');
  useTransport.setState({ limited });
}

/** Another page of the session has sent it on its way. */
const goesByOther = ({ run, company }: SessionState): boolean => run.going === true && company.moved?.by === 'other';

/** It is on its way, by a step of this page that takes longer than one notices, or by one of another page. */
export const isGoing = (): boolean => useTransport.getState().going || goesByOther(useSession.getState());
export function useGoing(): boolean {
  const own = useTransport((s) => s.going);
  const other = useSession(goesByOther);
  return own || other;
}
