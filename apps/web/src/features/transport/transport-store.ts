import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';

export interface TransportState {
  /** The menu of other steps; `go`: with the field "go to" at hand. */
  readonly menu: 'steps' | 'go' | null;
  /** Steps are only of what is selected, where that is a pod or a goroutine. */
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
