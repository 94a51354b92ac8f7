/**
 * A class: one presenter, many followers, and the newest state of what is shown. It knows no sockets and no clock: peers and
 * timers are given to it. What it holds is bounded: one run, one view, one poll, and one small number per answer.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  CLASS_PROTOCOL,
  ClassError,
  type ClassPoll,
  type ClassRun,
  type ClassState,
  type ClassView,
  type PollDraft,
  type PollPhase,
  parseFollowerMessage,
  parsePresenterMessage,
  type ToFollower,
  type ToPresenter,
} from '@syncloop/core/class';
import { Rate } from '../server/rate.js';

/** One connection. */
export interface Peer<M> {
  send(message: M): void;
  /** False while what was sent before has not gone out yet. */
  readonly writable: boolean;
  /** Ends the connection. */
  end(): void;
}

export interface RoomOptions {
  /** Most connections of followers at once. */
  readonly most: number;
  /** Addresses for the audience, the best one first. */
  readonly links: () => readonly string[];
  /** Calls later; returns what takes that back. */
  readonly after: (millis: number, then: () => void) => () => void;
  /** Monotonic, ms. */
  readonly now: () => number;
}

/** What a host holds of a connection. */
export interface Seat {
  receive(message: unknown): void;
  /** The connection is no more. */
  close(): void;
}

type Shared = keyof ClassState;
const shared = ['here', 'run', 'view', 'poll'] as const satisfies readonly Shared[];

interface Follower {
  readonly peer: Peer<ToFollower>;
  readonly id: string;
  readonly rate: Rate;
  /** What it has not been sent the newest of. */
  readonly lacks: Set<Shared>;
}

/** How often it looks whether slow followers can take the newest, and how often the presenter is told of answers, ms. */
const SWEEP = 100;
const TELL = 200;
const REFUSALS = 40;

/** Relays what the presenter sees, and counts answers. */
export class Room {
  private run: ClassRun | null = null;
  private view: ClassView | null = null;
  private presenter: Peer<ToPresenter> | null = null;
  private readonly looking = new Set<Peer<ToPresenter>>();
  private readonly followers = new Set<Follower>();
  /** How many connections each follower has. */
  private readonly ids = new Map<string, number>();
  private poll: { readonly id: number; readonly draft: PollDraft; phase: PollPhase; counts: number[] } | null = null;
  /** What each follower answered to the poll. */
  private readonly answers = new Map<string, number>();
  private polls = 0;
  private readonly secret = randomBytes(32);
  private sweep: (() => void) | null = null;
  private telling: (() => void) | null = null;

  constructor(private readonly options: RoomOptions) {}

  /** Followers, each counted once however many pages it has open. */
  get followerCount(): number {
    return this.ids.size;
  }
  get full(): boolean {
    return this.followers.size >= this.options.most;
  }

  // --- followers -----------------------------------------------------------------------------------------------------

  /** `id`: what it was given when it connected first; anything else gets a new one. Null where there is no place. */
  join(peer: Peer<ToFollower>, id: unknown): Seat | null {
    if (this.full) return null;
    const follower: Follower = {
      peer,
      id: this.isOurs(id) ? id : this.newId(),
      rate: new Rate(10, 10_000, this.options.now),
      lacks: new Set(),
    };
    this.followers.add(follower);
    this.ids.set(follower.id, (this.ids.get(follower.id) ?? 0) + 1);
    peer.send({
      type: 'joined',
      protocol: CLASS_PROTOCOL,
      id: follower.id,
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
        // Whoever goes on all the same is no page of ours.
        if (++refusals > REFUSALS) peer.end();
        else peer.send({ type: 'refused', error });
      },
      close: () => {
        if (gone) return;
        gone = true;
        this.followers.delete(follower);
        const left = (this.ids.get(follower.id) ?? 1) - 1;
        if (left > 0) this.ids.set(follower.id, left);
        else this.ids.delete(follower.id);
        this.tellSoon();
      },
    };
  }

  /** An answer; why it was not taken, or null. */
  private take(follower: Follower, value: unknown): string | null {
    if (follower.rate.exceeded()) return 'too many messages: wait ten seconds';
    let message: ReturnType<typeof parseFollowerMessage>;
    try {
      message = parseFollowerMessage(value);
    } catch (error) {
      return error instanceof ClassError ? error.message : 'the message cannot be read';
    }
    const { poll } = this;
    if (!poll || poll.id !== message.poll) return 'that question is over';
    if (poll.phase !== 'open') return 'no more answers are taken to this question';
    if (message.option >= poll.draft.options.length) return `this question has ${poll.draft.options.length} answers`;
    const before = this.answers.get(follower.id);
    if (before === undefined && this.answers.size >= 4 * this.options.most) return 'no more answers are taken';
    if (before !== undefined) poll.counts[before] = (poll.counts[before] ?? 1) - 1;
    poll.counts[message.option] = (poll.counts[message.option] ?? 0) + 1;
    this.answers.set(follower.id, message.option);
    follower.peer.send({ type: 'answered', poll: poll.id, option: message.option });
    this.tellSoon();
    return null;
  }

  /** Marks what has changed, and sends it to all who can take it; the others get what is newest when they can. */
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
    return { here: this.presenter !== null, run: this.run, view: this.view, poll: this.forFollowers() };
  }

  private forFollowers(): ClassPoll | null {
    const { poll } = this;
    if (!poll) return null;
    const { id, phase, counts } = poll;
    const { right, ...asked } = poll.draft;
    const open = { id, phase, ...asked };
    return phase === 'revealed' ? { ...open, counts: [...counts], ...(right !== undefined && { right }) } : open;
  }

  // --- presenters ----------------------------------------------------------------------------------------------------

  /** Somebody who may present. Told of the room at once, presents when it says so. */
  attend(peer: Peer<ToPresenter>): Seat {
    const rate = new Rate(60, 1_000, this.options.now);
    let gone = false;
    this.looking.add(peer);
    peer.send(this.room());
    return {
      receive: (value) => {
        if (gone) return;
        const error = rate.exceeded() ? 'more than 60 messages in a second: slow down' : this.present(peer, value);
        if (error !== null) peer.send({ type: 'refused', error });
      },
      close: () => {
        if (gone) return;
        gone = true;
        this.looking.delete(peer);
        if (this.presenter !== peer) return;
        // What was shown last stays: the presenter may come back.
        this.presenter = null;
        this.publish('here');
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
      this.publish('here');
      return null;
    }
    if (this.presenter !== peer) return 'this page does not present: send "present" first';
    switch (message.type) {
      case 'stop':
        this.presenter = null;
        this.run = null;
        this.view = null;
        this.setPoll(null);
        this.publish('here', 'run', 'view', 'poll');
        return null;
      case 'run':
        this.run = message.run;
        this.publish('run');
        return null;
      case 'view':
        this.view = message.view;
        this.publish('view');
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
        this.publish('poll');
        this.tell();
        return null;
    }
  }

  private setPoll(draft: PollDraft | null): void {
    this.answers.clear();
    this.poll = draft && { id: ++this.polls, draft, phase: 'open', counts: draft.options.map(() => 0) };
    this.tell();
  }

  private room(): ToPresenter {
    const { poll } = this;
    return {
      type: 'room',
      links: this.options.links(),
      followers: this.followerCount,
      most: this.options.most,
      poll: poll && { id: poll.id, phase: poll.phase, ...poll.draft, counts: [...poll.counts] },
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
  }

  /** Ends its timers; hosts close the connections. */
  close(): void {
    this.sweep?.();
    this.telling?.();
    this.sweep = null;
    this.telling = null;
  }

  // --- who is who ----------------------------------------------------------------------------------------------------

  /** Signed, so that nothing need be kept of who was here once. */
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
