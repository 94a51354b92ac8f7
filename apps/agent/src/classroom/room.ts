/**
 * The state of a classroom: one presenter, many followers, and the newest shared state. It knows no sockets and no
 * clock: peers and timers are passed in. Its size is bounded: one run, one view, one poll, and of each seat one answer
 * and one result of a stage.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  CLASS_PROTOCOL,
  type ClassAddress,
  ClassError,
  type ClassLesson,
  type ClassPointer,
  type ClassPoll,
  type ClassRun,
  type ClassState,
  type ClassView,
  canBeRight,
  type FollowerPlace,
  type Hand,
  type PollDraft,
  type PollPhase,
  parseFollowerMessage,
  parsePresenterMessage,
  type StageReport,
  type ToFollower,
  type ToPresenter,
} from '@syncloop/core/classroom';
import { Rate } from '../net/rate.js';
import { type Allowance, sessionAllowance } from '../server/limits.js';
import { Hands } from './hands.js';
import { type CodeRefusal, JoinCodes, RENEW_MILLIS } from './join-codes.js';
import { OnePerSeat } from './one-per-seat.js';
import { stageCounts } from './stage-results.js';
import { Tally } from './tally.js';

/** One connection. */
export interface Peer<M> {
  send(message: M): void;
  /** False while earlier messages have not gone out yet. */
  readonly writable: boolean;
  /** Ends the connection. */
  end(): void;
}

export interface RoomOptions {
  /** The limits of followers: how many there may be, and what each may do. */
  readonly allowance: Allowance;
  /** Addresses for the audience, the best one first. */
  readonly links: () => readonly string[];
  /** The addresses that the class can be served at. Default: none, its address is fixed. */
  readonly addresses?: () => readonly ClassAddress[];
  /** Serves it at one of them; resolves with why it cannot, or with null. */
  readonly listen?: (address: string) => Promise<string | null>;
  /** Calls later; returns a function that cancels the call. */
  readonly after: (millis: number, then: () => void) => () => void;
  /** Monotonic, ms. */
  readonly now: () => number;
}

/** A connection as its host sees it. */
export interface Seat {
  receive(message: unknown): void;
  /** The connection is no more. */
  close(): void;
}

type Shared = keyof ClassState;
const shared = ['here', 'run', 'view', 'poll', 'pointer', 'lesson', 'stage'] as const satisfies readonly Shared[];

interface Follower {
  readonly peer: Peer<ToFollower>;
  readonly id: string;
  readonly address: string;
  readonly rate: Rate;
  /** The shared parts of which it does not have the newest state yet. */
  readonly lacks: Set<Shared>;
  /** The presenter knows it by this alone. */
  readonly number: number;
  place: FollowerPlace;
  behind: number;
}

/** The present question, with its counts. */
interface Poll {
  readonly id: number;
  draft: PollDraft;
  phase: PollPhase;
  readonly tally: Tally;
}

/** The counts of one address. */
interface Place {
  seats: number;
  readonly newcomers: Rate;
  readonly wrongCodes: Rate;
}

/**
 * The interval in which slow followers get the newest state if they can take it, and the presenter gets answers, ms.
 */
const SWEEP = 100;
const TELL = 200;
/** Most addresses that are remembered before those without any counts are forgotten. */
const FEW_PLACES = 1_024;

/** Relays what the presenter sees, and counts answers. */
export class Room {
  private run: ClassRun | null = null;
  private view: ClassView | null = null;
  private pointer: ClassPointer | null = null;
  private lesson: ClassLesson | null = null;
  private presenter: Peer<ToPresenter> | null = null;
  private readonly looking = new Set<Peer<ToPresenter>>();
  private readonly followers = new Set<Follower>();
  /** The number of connections of each follower. */
  private readonly ids = new Map<string, number>();
  private poll: Poll | null = null;
  /** Each follower's answer to the poll, as it is counted. */
  private readonly answers: OnePerSeat<number>;
  /** The name of the stage that is open, and how far each follower is in it. */
  private stage: string | null = null;
  private readonly reports: OnePerSeat<StageReport>;
  private readonly places = new Map<string, Place>();
  private polls = 0;
  private joined = 0;
  private readonly secret = randomBytes(32);
  private sweep: (() => void) | null = null;
  private telling: (() => void) | null = null;
  private readonly codes: JoinCodes;
  private readonly hands: Hands;
  /** Shows the next code when it is time. */
  private renewing: (() => void) | null = null;

  constructor(private readonly options: RoomOptions) {
    this.codes = new JoinCodes(options);
    this.hands = new Hands(options.allowance.hands);
    const { seats, votesPerAddress: perAddress } = options.allowance;
    const isHere = (id: string) => this.ids.has(id);
    this.answers = new OnePerSeat({ seats, perAddress }, isHere, (answer) => this.poll?.tally.add(answer, -1));
    this.reports = new OnePerSeat({ seats, perAddress }, isHere);
  }

  /** Followers, each counted once however many pages it has open. */
  get followerCount(): number {
    return this.ids.size;
  }
  get full(): boolean {
    return this.followers.size >= this.options.allowance.seats;
  }

  // --- followers -----------------------------------------------------------------------------------------------------

  /**
   * Returns why there is no place for a follower; null if there is. A class may come from one address, as behind a
   * school's router, so an address has many seats, but not all of them; and a follower that was here before brings the
   * id that it was given.
   */
  refuses(id: unknown, address: string): string | null {
    const { allowance } = this.options;
    if (this.full) return `${allowance.seats} people follow already: there is no place left`;
    const place = this.place(address);
    if (place.seats >= allowance.seatsPerAddress)
      return `${allowance.seatsPerAddress} people follow from your address already: ask the presenter for more (--class-per-address)`;
    if (this.isOurs(id))
      return (this.ids.get(id) ?? 0) >= allowance.pagesPerFollower
        ? `this browser has ${allowance.pagesPerFollower} pages of the class open already: close one`
        : null;
    return place.newcomers.spent ? 'too many new followers come from your address: wait a minute' : null;
  }

  /** Returns why a code is refused; null if its sender may have the token of the audience. */
  refusesCode(code: string, address: string): CodeRefusal | null {
    if (!this.presenter) return { status: 401, reason: 'nobody presents now: wait until the presenter shows a code' };
    return this.codes.refuses(code, this.place(address).wrongCodes);
  }

  /**
   * Adds a follower. `id`: the one that it was given when it connected first; anything else gets a new one. Null if
   * there is no place.
   */
  join(peer: Peer<ToFollower>, id: unknown, address = ''): Seat | null {
    if (this.refuses(id, address) !== null) return null;
    const place = this.place(address);
    place.seats++;
    if (!this.isOurs(id)) place.newcomers.exceeded();
    const { allowance } = this.options;
    const follower: Follower = {
      peer,
      id: this.isOurs(id) ? id : this.newId(),
      address,
      rate: new Rate(allowance.followerMessages, 10_000, this.options.now),
      lacks: new Set(),
      number: ++this.joined,
      place: 'joining',
      behind: 0,
    };
    this.followers.add(follower);
    this.ids.set(follower.id, (this.ids.get(follower.id) ?? 0) + 1);
    peer.send({
      type: 'joined',
      protocol: CLASS_PROTOCOL,
      id: follower.id,
      number: follower.number,
      answer: this.answers.get(follower.id) ?? null,
      ...this.state(),
    });
    this.tellSoon();
    let gone = false;
    let refusals = 0;
    return {
      receive: (value) => {
        if (gone) return;
        const error = this.take(follower, value);
        if (error === null) return;
        // A client that goes on all the same is not our page.
        if (++refusals > allowance.followerRefusals) peer.end();
        else peer.send({ type: 'refused', error });
      },
      close: () => {
        if (gone) return;
        gone = true;
        this.followers.delete(follower);
        this.hands.lower(follower.number);
        place.seats--;
        const left = (this.ids.get(follower.id) ?? 1) - 1;
        if (left > 0) this.ids.set(follower.id, left);
        else this.ids.delete(follower.id);
        this.tellSoon();
      },
    };
  }

  /** Takes an answer, or a report of the page's place; returns why it was refused, or null. */
  private take(follower: Follower, value: unknown): string | null {
    if (follower.rate.exceeded()) return 'too many messages: wait ten seconds';
    let message: ReturnType<typeof parseFollowerMessage>;
    try {
      message = parseFollowerMessage(value);
    } catch (error) {
      return error instanceof ClassError ? error.message : 'the message cannot be read';
    }
    if (message.type === 'place') {
      follower.place = message.place;
      follower.behind = message.behind;
      this.tellSoon();
      return null;
    }
    if (message.type === 'hand') return this.raise(follower, message.hand);
    if (message.type === 'stage') return this.report(follower, message.stage, message.report);
    const { poll } = this;
    if (!poll || poll.id !== message.poll) return 'that question is over';
    if (poll.phase !== 'open') return 'this question accepts no more answers';
    const { tally } = poll;
    const answer = tally.read(message);
    if (typeof answer === 'string') return answer;
    const before = this.answers.get(follower.id);
    if (!this.answers.set(follower.id, follower.address, answer))
      return 'no more answers are accepted from your address';
    if (before !== undefined) tally.add(before, -1);
    tally.add(answer, 1);
    follower.peer.send({ type: 'answered', poll: poll.id, ...tally.asAnswer(answer) });
    this.tellSoon();
    return null;
  }

  private raise({ number, peer }: Follower, hand: Hand | undefined): string | null {
    if (!hand) this.lower([number]);
    else if (!this.presenter) return 'nobody presents now';
    else if (!this.hands.raise(number, hand))
      return `${this.options.allowance.hands} hands are up already: wait until the presenter has lowered some`;
    else {
      peer.send({ type: 'hand', up: true });
      this.tellSoon();
    }
    return null;
  }

  private report({ id, address }: Follower, stage: string, report: StageReport): string | null {
    // A result of the stage before, judged just before the presenter opened this one, is of no use and nobody's fault.
    if (stage !== this.stage) return null;
    if (!this.reports.set(id, address, report)) return 'no more results are accepted from your address';
    this.tellSoon();
    return null;
  }

  private place(address: string): Place {
    const known = this.places.get(address);
    if (known) return known;
    if (this.places.size >= FEW_PLACES)
      for (const [name, { seats, newcomers, wrongCodes }] of this.places)
        if (seats === 0 && newcomers.idle && wrongCodes.idle) this.places.delete(name);
    const { allowance, now } = this.options;
    const place = {
      seats: 0,
      newcomers: new Rate(allowance.newFollowersPerMinute, 60_000, now),
      wrongCodes: new Rate(allowance.wrongCodesPerAddress, 60_000, now),
    };
    this.places.set(address, place);
    return place;
  }

  /** Marks changes, and sends them to all who can take them; the others get the newest state when they can. */
  private publish(...changed: Shared[]): void {
    for (const follower of this.followers) for (const what of changed) follower.lacks.add(what);
    this.flush();
  }

  private flush(): void {
    const state = this.state();
    const sent = new Map<string, ToFollower>();
    let behind = false;
    for (const { peer, lacks } of this.followers) {
      if (lacks.size === 0) continue;
      if (!peer.writable) {
        behind = true;
        continue;
      }
      const key = [...lacks].join();
      let message = sent.get(key);
      if (!message) {
        message = {
          type: 'state',
          ...Object.fromEntries(shared.filter((s) => lacks.has(s)).map((s) => [s, state[s]])),
        };
        sent.set(key, message);
      }
      lacks.clear();
      peer.send(message);
    }
    if (behind && !this.sweep)
      this.sweep = this.options.after(SWEEP, () => {
        this.sweep = null;
        this.flush();
      });
  }

  private state(): ClassState {
    const { run, view, pointer, lesson, stage } = this;
    return { here: this.presenter !== null, run, view, poll: this.forFollowers(), pointer, lesson, stage };
  }

  private forFollowers(): ClassPoll | null {
    const { poll } = this;
    if (!poll) return null;
    const { id, phase, tally } = poll;
    const { right, ...asked } = poll.draft;
    const open = { id, phase, ...asked };
    if (phase === 'open') return open;
    return { ...open, ...tally.result(), ...(phase === 'revealed' && right !== undefined && { right }) };
  }

  // --- presenters ----------------------------------------------------------------------------------------------------

  /** Adds a page that may present. It gets the state of the room at once, and presents after it has asked to. */
  attend(peer: Peer<ToPresenter>): Seat {
    const most = sessionAllowance.presenterMessagesPerSecond;
    const rate = new Rate(most, 1_000, this.options.now);
    let gone = false;
    this.looking.add(peer);
    peer.send(this.room());
    this.renew();
    return {
      receive: (value) => {
        if (gone) return;
        const error = rate.exceeded() ? `more than ${most} messages in a second: slow down` : this.present(peer, value);
        if (error !== null) peer.send({ type: 'refused', error });
      },
      close: () => {
        if (gone) return;
        gone = true;
        this.looking.delete(peer);
        if (this.looking.size === 0) this.renew();
        if (this.presenter !== peer) return;
        // The last view stays: the presenter may come back.
        this.presenter = null;
        this.publish('here', ...this.withoutPointer());
      },
    };
  }

  private present(peer: Peer<ToPresenter>, value: unknown): string | null {
    let message: ReturnType<typeof parsePresenterMessage>;
    try {
      message = parsePresenterMessage(value);
    } catch (error) {
      return error instanceof ClassError ? error.message : 'the message cannot be read';
    }
    if (message.type === 'present') {
      if (this.presenter === peer) return null;
      this.presenter?.send({ type: 'replaced' });
      this.presenter = peer;
      this.publish('here', ...this.withoutPointer());
      return null;
    }
    if (this.presenter !== peer) return 'this page does not present: send "present" first';
    switch (message.type) {
      case 'stop':
        this.presenter = null;
        this.run = null;
        this.view = null;
        this.setPoll(null);
        this.lesson = null;
        this.setStage(null);
        this.publish('here', 'run', 'view', 'poll', 'lesson', 'stage', ...this.withoutPointer());
        return null;
      case 'listen':
        void this.listen(peer, message.address);
        return null;
      case 'run':
        this.run = message.run;
        this.publish('run');
        return null;
      case 'view':
        this.view = message.view;
        this.publish('view');
        return null;
      case 'pointer':
        this.pointer = message.pointer ?? null;
        this.publish('pointer');
        return null;
      case 'lesson':
        this.lesson = message.lesson ?? null;
        this.publish('lesson');
        return null;
      case 'stage':
        this.setStage(message.stage ?? null);
        this.publish('stage');
        return null;
      case 'openHand': {
        const moment = this.hands.momentOf(message.number);
        if (moment === null) return 'that hand is no longer up';
        peer.send({ type: 'moment', number: message.number, moment });
        return null;
      }
      case 'lower':
        this.lower(message.number === undefined ? this.hands.numbers() : [message.number]);
        return null;
      case 'poll':
        this.setPoll(message.poll);
        this.publish('poll');
        return null;
      case 'endPoll':
        this.setPoll(null);
        this.publish('poll');
        return null;
      case 'phase':
        if (!this.poll) return 'there is no question';
        this.poll.phase = message.phase;
        if (message.right !== undefined && canBeRight(this.poll.draft, message.right))
          this.poll.draft = { ...this.poll.draft, right: message.right };
        this.publish('poll');
        this.tell();
        return null;
    }
  }

  /** Nobody points at anything any more. Returns what has changed by that. */
  private withoutPointer(): readonly Shared[] {
    if (this.pointer === null) return [];
    this.pointer = null;
    return ['pointer'];
  }

  /** Lowers hands, and tells their followers. */
  private lower(numbers: readonly number[]): void {
    const lowered = new Set(numbers.filter((number) => this.hands.lower(number)));
    for (const { number, peer } of this.followers) if (lowered.has(number)) peer.send({ type: 'hand', up: false });
    if (lowered.size > 0) this.tell();
  }

  private async listen(peer: Peer<ToPresenter>, address: string): Promise<void> {
    const error = (await this.options.listen?.(address)) ?? (this.options.listen ? null : 'its address is fixed');
    if (error === null) this.tell();
    else if (this.looking.has(peer)) peer.send({ type: 'refused', error });
  }

  /** A stage that is opened again goes on. */
  private setStage(stage: string | null): void {
    if (stage !== this.stage) this.reports.clear();
    this.stage = stage;
    this.tell();
  }

  private setPoll(draft: PollDraft | null): void {
    this.answers.clear();
    this.poll = draft && { id: ++this.polls, draft, phase: 'open', tally: new Tally(draft) };
    this.tell();
  }

  private room(): ToPresenter {
    const { poll } = this;
    return {
      type: 'room',
      links: this.options.links(),
      code: this.codes.current,
      addresses: this.options.addresses?.() ?? [],
      followers: this.followerCount,
      most: this.options.allowance.seats,
      audience: [...this.followers].map(({ number, place, behind }) => ({ number, place, behind })),
      poll: poll && { id: poll.id, phase: poll.phase, ...poll.draft, ...poll.tally.result() },
      hands: this.hands.list(),
      stage: this.stage === null ? null : stageCounts(this.stage, this.reports.values()),
    };
  }

  private tellSoon(): void {
    if (this.looking.size === 0) return;
    this.telling ??= this.options.after(TELL, () => {
      this.telling = null;
      this.tell();
    });
  }
  private tell(): void {
    this.telling?.();
    this.telling = null;
    const room = this.room();
    for (const peer of this.looking) peer.send(room);
    this.renew();
  }

  /** As long as a page looks, it gets each new code. */
  private renew(): void {
    this.renewing?.();
    this.renewing = null;
    if (this.looking.size > 0) this.renewing = this.options.after(RENEW_MILLIS, () => this.tell());
  }

  /** Ends its timers; hosts close the connections. */
  close(): void {
    this.sweep?.();
    this.telling?.();
    this.renewing?.();
    this.sweep = null;
    this.telling = null;
    this.renewing = null;
  }

  // --- who is who ----------------------------------------------------------------------------------------------------

  /** The id is signed, so that nothing need be kept of earlier followers. */
  private newId(): string {
    const name = randomBytes(12).toString('base64url');
    return `${name}.${this.sign(name)}`;
  }
  private isOurs(id: unknown): id is string {
    if (typeof id !== 'string' || id.length > 100) return false;
    const [name = '', signature = ''] = id.split('.');
    const right = Buffer.from(this.sign(name));
    const given = Buffer.from(signature);
    return id === `${name}.${signature}` && given.length === right.length && timingSafeEqual(given, right);
  }
  private sign(name: string): string {
    return createHmac('sha256', this.secret).update(name).digest('base64url');
  }
}
