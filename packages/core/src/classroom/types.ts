/**
 * Following a presenter. Followers compute the simulation themselves, so what goes to them is small: the run, the
 * presenter's place in it, and the sight. All of it is state of which only the newest counts: whoever comes late, comes
 * back or is slow gets that, and nothing else is kept.
 */
import type { Speed } from '../debug/protocol/commands.js';
import type { Json, Micros, Seq } from '../trace/index.js';

export const CLASS_PROTOCOL = 1;
/** The namespace of a class on a socket.io server, and the one event that carries its messages, both ways. */
export const CLASS_NAMESPACE = '/class';
export const CLASS_EVENT = 'c';

/** The code that a follower types: no letter of it looks like another one or like a digit. */
export const CODE_LENGTH = 6;
export const CODE_LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ';

/** An address of the presenter's machine. `name`: its network interface, '' for the machine itself. */
export interface ClassAddress {
  readonly address: string;
  readonly name: string;
}

/**
 * A run as a link holds it (`v1.…`), without a position. `n` counts up whenever the presenter's run becomes another
 * one.
 */
export interface ClassRun {
  readonly n: number;
  readonly moment: string;
}

/**
 * The presenter's page besides the run, by name: the selection, open panels. Small; a page takes over what it knows of
 * it.
 */
export type Sight = { readonly [name: string]: Json };

/** The view of the presenter. `n` counts up with each. */
export interface ClassView {
  readonly n: number;
  /** The run's number; 0 while the presenter shows what nobody else can compute: a node, or a recording of one. */
  readonly run: number;
  readonly step: number;
  readonly seq: Seq;
  readonly time: Micros;
  readonly running: boolean;
  readonly speed: Speed;
  readonly sight: Sight;
}

/**
 * The place that the presenter points at: a box of the map, and the place relative to it, so that it is the same at
 * every size and zoom. 0 and 1 are the edges of the box.
 */
export interface ClassPointer {
  readonly box: string;
  readonly x: number;
  readonly y: number;
}

/** A text in the languages that there are of it, at least one. */
export interface LocalText {
  readonly en?: string;
  readonly 'zh-CN'?: string;
}

/** A step of a lesson of the library, from 0. */
export interface LessonPosition {
  readonly name: string;
  readonly step: number;
}

/** The number that a question wants: its unit, '' for none, and how far from the right number is still right. */
export interface WantedNumber {
  readonly unit: string;
  readonly tolerance: number;
}

/** A question with two to six answers, or one for a number. */
export interface PollDraft {
  readonly question: LocalText;
  /** The answers to choose from; none if it wants a number. */
  readonly options: readonly LocalText[];
  readonly number?: WantedNumber;
  /** Place of the right answer, or the right number; missing if there is none, or it is not known yet. */
  readonly right?: number;
  /** It is the question of this step. */
  readonly lesson?: LessonPosition;
}

/**
 * The lesson that the presenter shows. Followers have its text, and need only what stands in its blanks in the
 * presenter's run, by expression: where the step begins, and once its question is answered.
 */
export interface ClassLesson extends LessonPosition {
  readonly values: { readonly [expression: string]: string };
  readonly ended?: { readonly [expression: string]: string };
  /** The run's answer to the question. */
  readonly answer?: string | number | boolean;
}

/** The levels on which a stage of the workshop is judged, easiest first. */
export const stageLevels = ['examples', 'recordings', 'explorer'] as const;
export type StageLevel = (typeof stageLevels)[number];

/** The place at which a code first differs from what it should do, by names of the stage: nothing of the code. */
export interface FirstDifference {
  readonly level: StageLevel;
  /** The name of the example, the recording or the scenario. */
  readonly case: string;
  /** The code failed there; absent if it did something else. */
  readonly problem?: StageProblem;
}
export const stageProblems = ['syntax', 'exception', 'steps', 'memory', 'stack', 'missing', 'shape'] as const;
export type StageProblem = (typeof stageProblems)[number];

/** How far a follower is in the stage that the presenter opened. */
export interface StageReport {
  /** Levels that some code of the follower has passed. */
  readonly passed: readonly StageLevel[];
  /** The place of the code that was judged last; absent if it passed everything. */
  readonly first?: FirstDifference;
}

/** How far the class is in a stage. */
export interface StageCounts {
  readonly stage: string;
  /** Followers whose code was judged. */
  readonly judged: number;
  /** How many have passed each level, in the order of the levels. */
  readonly passed: readonly number[];
  /** The most frequent first differences, with their numbers. */
  readonly firsts: readonly (FirstDifference & { readonly n: number })[];
  /** The number of those whose first difference is another one. */
  readonly others: number;
}

/** A follower's own moment, as a link holds it, and the name that the follower chose to give. */
export interface Hand {
  readonly moment: string;
  readonly time: Micros;
  readonly name?: string;
}

/** A hand as its presenter sees it. */
export interface RaisedHand extends Omit<Hand, 'moment'> {
  /** The follower's number. */
  readonly number: number;
}

/**
 * Answers are taken while it is `open`; once it is `closed` everybody sees the counts, and once it is `revealed` the
 * right answer, too, until it is put away.
 */
export type PollPhase = 'open' | 'closed' | 'revealed';
export const pollPhases = ['open', 'closed', 'revealed'] as const;

/** How a poll was answered. */
export interface PollCounts {
  /** The number of answers by option, or by number in `values`. */
  readonly counts: readonly number[];
  /** The numbers that were given most often, in ascending order, if the question wants a number. */
  readonly values?: readonly number[];
  /** The number of answers that are other numbers; missing if there are none. */
  readonly others?: number;
}

/** A poll as followers see it: what they are not to know yet is missing. */
export interface ClassPoll extends PollDraft, Partial<PollCounts> {
  readonly id: number;
  readonly phase: PollPhase;
}

/** A poll as the presenter sees it. */
export type PresentedPoll = ClassPoll & PollCounts;

/** A follower's answer: the place of an option, or a number. */
export type PollAnswer = { readonly option: number } | { readonly number: number };

/**
 * The relation of a follower's page to the presenter. `joining`: it has not said yet. `with`: it follows, and may be
 * behind. `own`: it looks around on its own. `away`: nobody sees it, the screen is dark or another page is in front.
 * `stuck`: it cannot reach the presenter's moment.
 */
export const followerPlaces = ['with', 'own', 'away', 'stuck'] as const;
export type FollowerPlace = (typeof followerPlaces)[number] | 'joining';

/** One page of the audience, as the presenter sees it: a number by order of arrival, and nothing of who it is. */
export interface AudienceMember {
  readonly number: number;
  readonly place: FollowerPlace;
  /** Decisions between it and the presenter when it last said so. */
  readonly behind: number;
}

/** Everything that followers share. */
export interface ClassState {
  /** A presenter is connected and presents. */
  readonly here: boolean;
  readonly run: ClassRun | null;
  readonly view: ClassView | null;
  readonly poll: ClassPoll | null;
  readonly pointer: ClassPointer | null;
  readonly lesson: ClassLesson | null;
  /** The name of the workshop's stage that the presenter has opened for all. */
  readonly stage: string | null;
}

export type FollowerMessage =
  | ({ readonly type: 'answer'; readonly poll: number } & PollAnswer)
  /** Raises a hand, or gives it another moment; without one it is lowered. */
  | { readonly type: 'hand'; readonly hand?: Hand }
  /** How far it is in the stage that is open. */
  | { readonly type: 'stage'; readonly stage: string; readonly report: StageReport }
  /** The follower's position, sent when it changes. */
  | { readonly type: 'place'; readonly place: Exclude<FollowerPlace, 'joining'>; readonly behind: number };

export type PresenterMessage =
  /** Begins to present, and takes over from whoever did. */
  | { readonly type: 'present' }
  | { readonly type: 'stop' }
  /** Serves the class at another of this machine's addresses. */
  | { readonly type: 'listen'; readonly address: string }
  | { readonly type: 'run'; readonly run: ClassRun }
  | { readonly type: 'view'; readonly view: ClassView }
  /** Without a place it points at nothing on the map. */
  | { readonly type: 'pointer'; readonly pointer?: ClassPointer }
  /** Asks; a poll before it is over. */
  | { readonly type: 'poll'; readonly poll: PollDraft }
  /** `right`: the answer that turned out to be right, as in the question, if that did not have one. */
  | { readonly type: 'phase'; readonly phase: PollPhase; readonly right?: number }
  /** Without a lesson none is shown any more. */
  | { readonly type: 'lesson'; readonly lesson?: ClassLesson }
  /** Opens a stage of the workshop for all; without one it is open for nobody any more. */
  | { readonly type: 'stage'; readonly stage?: string }
  /** Asks for the moment of a raised hand. */
  | { readonly type: 'openHand'; readonly number: number }
  /** Lowers a hand; without a number all of them. */
  | { readonly type: 'lower'; readonly number?: number }
  | { readonly type: 'endPoll' };

export type ToFollower =
  /**
   * First message. `id`: to be sent when connecting again, so that nobody counts twice. `answer`: what it answered to
   * the poll, the place of an option or a number.
   */
  | ({
      readonly type: 'joined';
      readonly protocol: number;
      readonly id: string;
      /** Its number in the presenter's list. */
      readonly number: number;
      readonly answer: number | null;
    } & ClassState)
  /** The fields that have changed. */
  | ({ readonly type: 'state' } & Partial<ClassState>)
  /** In exchange for a code, and the last message then: the token to come back with. */
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'hand'; readonly up: boolean }
  | ({ readonly type: 'answered'; readonly poll: number } & PollAnswer)
  | { readonly type: 'refused'; readonly error: string };

export type ToPresenter =
  | {
      readonly type: 'room';
      /** Addresses for the audience, the best one first. */
      readonly links: readonly string[];
      /** The code that is valid now, for those who type the address. */
      readonly code: string;
      /** The addresses that the class can be served at; none if its address was chosen at the start. */
      readonly addresses: readonly ClassAddress[];
      /** The number of followers, and the most that there may be. */
      readonly followers: number;
      readonly most: number;
      /** Their pages, in the order in which they came. */
      readonly audience: readonly AudienceMember[];
      readonly poll: PresentedPoll | null;
      /** In the order in which they were raised. */
      readonly hands: readonly RaisedHand[];
      /** How the class does in the stage that is open. */
      readonly stage: StageCounts | null;
    }
  | { readonly type: 'moment'; readonly number: number; readonly moment: string }
  /** Another page presents now. */
  | { readonly type: 'replaced' }
  | { readonly type: 'refused'; readonly error: string };
