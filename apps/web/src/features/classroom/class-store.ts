import type { AudienceMember, ClassAddress, PresentedPoll, RaisedHand, StageCounts } from '@syncloop/core/classroom';
import { create } from 'zustand';
import type { LoadCommand } from '../share/share.js';
import { FOLLOWING_BEFORE, type Following } from './follower/follow.js';
import type { RunVisibility } from './presenter/publisher.js';

/** `none`: the agent was started without a class. `replaced`: another page presents now. */
export type PresentingState = 'off' | 'connecting' | 'on' | 'lost' | 'refused' | 'none' | 'replaced';

export interface Presenting {
  readonly state: PresentingState;
  /** The agent's reason for the loss or refusal. */
  readonly reason: string;
  readonly links: readonly string[];
  /** The code that is good now. */
  readonly code: string;
  /** The addresses that the class can be served at; none if it cannot be moved. */
  readonly addresses: readonly ClassAddress[];
  readonly followers: number;
  readonly most: number;
  readonly audience: readonly AudienceMember[];
  readonly poll: PresentedPoll | null;
  readonly hands: readonly RaisedHand[];
  /** How the class does in the stage of the workshop that is open for it. */
  readonly stage: StageCounts | null;
  /** A follower's moment was opened: whose, and the presenter's own, to go back to. */
  readonly visit: { readonly number: number; readonly from: LoadCommand } | null;
  readonly shown: RunVisibility;
  /** The class sees where this page's pointer is on the map. */
  readonly pointing: boolean;
}

export interface ClassStore {
  /** This page follows: a link of a class opened it. */
  readonly follows: boolean;
  readonly following: Following;
  readonly presenting: Presenting;
  /** The question that the follower has put away for now, by its id. */
  readonly hidden: number;
}

/** A tab that presents keeps this for its reload. */
export const PRESENTS = 'class.presents';

export const PRESENTING_BEFORE: Presenting = {
  state: 'off',
  reason: '',
  links: [],
  code: '',
  addresses: [],
  followers: 0,
  most: 0,
  audience: [],
  poll: null,
  hands: [],
  stage: null,
  visit: null,
  shown: 'run',
  pointing: false,
};

/** The page's part in a class: it follows, or it presents. */
export const useClass = create<ClassStore>(() => ({
  follows: false,
  following: FOLLOWING_BEFORE,
  presenting: PRESENTING_BEFORE,
  hidden: 0,
}));

export const setPresenting = (change: Partial<Presenting>): void =>
  useClass.setState((s) => ({ presenting: { ...s.presenting, ...change } }));
