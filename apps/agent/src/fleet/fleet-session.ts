import { messageOf } from '@syncloop/core/base';
import {
  answered,
  type BackendChange,
  type Command,
  type CommandResult,
  type Hit,
  type RunState,
  type SessionBackend,
  type SessionInfo,
} from '@syncloop/core/debug/live';
import type { Json, Seq } from '@syncloop/core/trace';
import type { FleetStory } from '@syncloop/observe/fleet';

/** A node's session, as it can be played. */
export interface NodeSession extends SessionBackend {
  beginSlice?: (() => () => boolean) | null | undefined;
  pump(elapsed: number, expired: () => boolean): number | null;
}
/** A node that is open: its session, and what ends the reading of its files. */
export interface OpenNode {
  readonly session: NodeSession;
  close(): void;
}

/**
 * A fleet of which one node is shown. It answers what is about all nodes by itself, and all else by the session of the
 * node that is shown; another node is opened when it is asked for, and the one before is closed.
 */
export class FleetSession implements NodeSession {
  private shown: OpenNode;
  private unlisten: () => void;
  private readonly listeners = new Set<(change: BackendChange) => void>();
  private slices: NodeSession['beginSlice'] = null;
  /** Counts the nodes that were opened: each is another run. */
  private opened = 0;
  private opening = false;
  private isClosed = false;

  constructor(
    private readonly story: FleetStory,
    private name: string,
    first: OpenNode,
    private readonly open: (node: string) => Promise<OpenNode>,
  ) {
    this.shown = first;
    this.unlisten = this.follow();
  }

  private get current(): NodeSession {
    return this.shown.session;
  }
  get info(): SessionInfo {
    const { info } = this.current;
    return { ...info, id: `${info.id} ${this.opened}`, capabilities: { ...info.capabilities, fleet: true } };
  }
  get store() {
    return this.current.store;
  }
  get rewoundTo(): Seq | undefined {
    return this.current.rewoundTo;
  }
  runState(): RunState {
    return this.current.runState();
  }
  takeWritten(): readonly Hit[] {
    return this.current.takeWritten?.() ?? [];
  }
  get beginSlice(): NodeSession['beginSlice'] {
    return this.slices;
  }
  set beginSlice(begin: NodeSession['beginSlice']) {
    this.slices = begin;
    this.current.beginSlice = begin;
  }
  pump(elapsed: number, expired: () => boolean): number | null {
    return this.current.pump(elapsed, expired);
  }
  listen(listener: (change: BackendChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  close(): void {
    this.isClosed = true;
    this.leave();
  }

  execute(command: Command, reply: (result: CommandResult) => void): void {
    if (command.do === 'fleet') reply(answered({ story: this.story as unknown as Json, shown: this.name }));
    else if (command.do === 'node')
      void this.show(command.name).then(
        () => reply(answered({ id: this.info.id })),
        (error: unknown) => reply({ ok: false, error: messageOf(error) }),
      );
    else this.current.execute(command, reply);
  }

  private leave(): void {
    this.unlisten();
    this.shown.close();
  }
  private follow(): () => void {
    return this.current.listen((change) => this.tell(change));
  }
  private tell(change: BackendChange): void {
    for (const listener of [...this.listeners]) listener(change);
  }

  private async show(node: string): Promise<void> {
    if (node === this.name) return;
    if (!this.story.nodes.some(({ name, problem }) => name === node && problem === ''))
      throw new Error(`there is no node ${JSON.stringify(node)} that was read`);
    if (this.opening) throw new Error('another node is being opened: wait until it is shown');
    this.opening = true;
    try {
      const next = await this.open(node);
      if (this.isClosed) {
        next.close();
        throw new Error('the session has ended');
      }
      this.leave();
      this.shown = next;
      this.name = node;
      this.opened++;
      this.current.beginSlice = this.slices;
      this.unlisten = this.follow();
      this.tell('reset');
    } finally {
      this.opening = false;
    }
  }
}
