/** A follower's side of a class, without sockets and sessions: its knowledge, and what that means for its user. */
import type { ClassLesson, ClassPoll, ClassRun, ClassView, PollAnswer, ToFollower } from '@syncloop/core/classroom';

/**
 * `code`: it has no token yet, and asks for the code. `lost`: it was connected, or will be; it tries again by itself.
 * `refused`: trying again changes nothing.
 */
export type Link = 'code' | 'connecting' | 'on' | 'lost' | 'refused';

export interface Following {
  readonly link: Link;
  /** The server's reason for the loss or refusal. */
  readonly reason: string;
  readonly here: boolean;
  readonly run: ClassRun | null;
  readonly view: ClassView | null;
  /** It looks around on its own: views are remembered, and not shown. */
  readonly away: boolean;
  readonly poll: ClassPoll | null;
  readonly lesson: ClassLesson | null;
  /** The stage of the workshop that is open for all, by its name. */
  readonly stage: string | null;
  /** Its hand is up. */
  readonly hand: boolean;
  /** Its number in the presenter's list; 0 before it has one. */
  readonly number: number;
  /** Its own answer as it was counted: the place of an option, or a number. */
  readonly answer: number | null;
  /** Why the presenter's moment could not be reached, or ''. */
  readonly problem: string;
}

export const FOLLOWING_BEFORE: Following = {
  link: 'connecting',
  reason: '',
  here: false,
  run: null,
  view: null,
  away: false,
  poll: null,
  lesson: null,
  stage: null,
  hand: false,
  number: 0,
  answer: null,
  problem: '',
};

const placeOrNumber = (given: PollAnswer): number => ('number' in given ? given.number : given.option);

/** Returns the state after a message. */
export function received(before: Following, message: ToFollower): Following {
  switch (message.type) {
    case 'joined': {
      const { here, run, view, poll, lesson, number, answer } = message;
      // An older agent has no stages.
      const stage = message.stage ?? null;
      return { ...before, link: 'on', reason: '', here, run, view, poll, lesson, stage, number, answer, hand: false };
    }
    case 'state': {
      const { type: _, pointer: __, ...state } = message;
      const poll = state.poll === undefined ? before.poll : state.poll;
      return { ...before, ...state, poll, answer: poll?.id === before.poll?.id ? before.answer : null };
    }
    case 'hand':
      return { ...before, hand: message.up };
    case 'answered':
      return before.poll?.id === message.poll ? { ...before, answer: placeOrNumber(message) } : before;
    case 'refused':
    case 'token':
      return before;
  }
}

/**
 * `waiting`: nobody presents yet. `gone`: the presenter was there. `unshown`: the presenter's run cannot be followed.
 * `live`: this page shows what the presenter sees.
 */
export type FollowerStatus =
  | 'code'
  | 'connecting'
  | 'refused'
  | 'lost'
  | 'waiting'
  | 'gone'
  | 'unshown'
  | 'stuck'
  | 'away'
  | 'live';

export function followerStatus(f: Following): FollowerStatus {
  if (f.link === 'refused' || f.link === 'connecting' || f.link === 'code') return f.link;
  if (f.link === 'lost') return 'lost';
  if (!f.here) return f.view ? 'gone' : 'waiting';
  if (f.away) return 'away';
  if (!f.view) return 'waiting';
  if (f.view.run === 0) return 'unshown';
  return f.problem === '' ? 'live' : 'stuck';
}

/** Returns the view to show, with the run that it is of; null if there is none. */
export function shown(f: Following): { readonly run: ClassRun; readonly view: ClassView } | null {
  const { run, view } = f;
  return run && view && run.n === view.run ? { run, view } : null;
}

/** True if the poll can be answered now. */
export const canAnswer = (f: Following): boolean => f.link === 'on' && f.poll?.phase === 'open';
