import {
  type BackendChange,
  type Command,
  type CommandResult,
  RecordStore,
  type SessionBackend,
} from '@syncloop/core/debug';
import type { TraceRecord } from '@syncloop/core/trace';

/**
 * A session without a node, for tests of its server: it takes each command, and makes the records that a test wants.
 */
export class TestSession implements SessionBackend {
  readonly commands: Command[] = [];
  private readonly listeners = new Set<(change: BackendChange) => void>();
  readonly info = {
    id: 's1',
    title: 'test',
    capabilities: { control: true, speed: false, apply: false, intervene: false, choose: false, scenarios: false },
    scenario: '',
    seed: 0,
    runtime: '',
    node: 'node1',
    epochMillis: 0,
    virtual: false,
  };

  constructor(readonly store = new RecordStore({ capacity: 20_000, chunk: 5_000 })) {}

  runState() {
    const speed = { mode: 'max' } as const;
    const none = { time: 0, steps: 0, iterations: 0, choice: null, next: '', stopped: '' };
    return { running: true, seq: this.store.last, speed, ...none };
  }

  execute(command: Command, reply: (result: CommandResult) => void): void {
    this.commands.push(command);
    reply({ ok: true });
  }

  listen(listener: (change: BackendChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Makes `count` records with a text of `bytes` letters each. */
  make(count: number, bytes = 100): void {
    const args = ['y'.repeat(bytes)];
    for (let i = 0; i < count; i++) {
      const seq = this.store.last + 1;
      this.store.push({ seq, time: seq, g: 0, span: 0, cause: 0, kind: 'input', verb: 'x', args } as TraceRecord);
    }
    for (const listener of this.listeners) listener('records');
  }
}
