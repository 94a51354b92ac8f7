import { type ContainerEventResponse, CRIError, containerEventType, containerState } from '../../cri/index.js';
import { after, background, current, recv, Second, select, withCancel } from '../../kernel/index.js';
import type { Contract, ContractCase, SandboxHandle } from './contract.js';
import { script } from './scripts.js';

function* fails(error: CRIError): Generator<never, never> {
  throw error;
}

/** Returns the stream's events of a sandbox while `act` goes on, up to the one that `last` accepts. */
function* eventsOf(
  c: Contract,
  sandbox: () => SandboxHandle | null,
  act: () => Generator<unknown, void, unknown>,
  last: (event: ContainerEventResponse) => boolean,
) {
  const { kernel } = current();
  const [ctx, cancel] = withCancel(kernel, background);
  try {
    const stream = yield* c.s.getContainerEvents(ctx, {});
    // A runtime without the RPC says so on the stream, sooner or later.
    const first = yield* select({ item: recv(stream), time: recv(after(kernel, Second / 2)) });
    if (first.case === 'item' && first.value instanceof CRIError) yield* c.implemented(fails(first.value));
    yield* act() as ReturnType<typeof c.cleanUp>;
    const events: ContainerEventResponse[] = [];
    const limit = after(kernel, 60 * Second);
    for (;;) {
      const next = yield* select({ item: recv(stream), time: recv(limit) });
      c.insist(next.case === 'item', `events come in time; so far ${events.map(containerEventType).join(', ')}`);
      const event = next.value as ContainerEventResponse | CRIError | undefined;
      if (event instanceof CRIError) return yield* c.implemented(fails(event));
      if (!event) throw new Error('the stream ended');
      if (event.podSandboxStatus?.id !== sandbox()?.id) continue;
      events.push(event);
      if (last(event)) return events;
    }
  } finally {
    cancel();
  }
}

/** GetContainerEvents. */
export const eventCases: readonly ContractCase[] = [
  {
    name: 'a container: created, started, stopped, deleted',
    *run(c) {
      const sandbox = yield* c.sandbox();
      let id = '';
      const events = yield* eventsOf(
        c,
        () => sandbox,
        function* () {
          id = yield* c.start(sandbox, script('exit 3'));
          yield* c.exited(id);
          yield* c.s.removeContainer(background, { containerId: id });
        },
        (e) => containerEventType(e) === 'CONTAINER_DELETED_EVENT',
      );
      const own = events.filter((e) => e.containerId === id);
      c.same(
        own.map(containerEventType),
        ['CONTAINER_CREATED_EVENT', 'CONTAINER_STARTED_EVENT', 'CONTAINER_STOPPED_EVENT', 'CONTAINER_DELETED_EVENT'],
        'the kinds',
      );
      const of = (e: ContainerEventResponse | undefined) => e?.containersStatuses?.find((s) => s.id === id);
      c.same(of(own[1]) && containerState(of(own[1]) ?? {}), 'CONTAINER_RUNNING', 'status with the second');
      c.same([of(own[2])?.exitCode, of(own[2])?.reason], [3, 'Error'], 'status with the third');
    },
  },
  {
    name: 'a sandbox: stopped and deleted',
    *run(c) {
      const sandbox = yield* c.sandbox();
      const events = yield* eventsOf(
        c,
        () => sandbox,
        function* () {
          yield* c.s.stopPodSandbox(background, { podSandboxId: sandbox.id });
          yield* c.s.removePodSandbox(background, { podSandboxId: sandbox.id });
        },
        (e) => containerEventType(e) === 'CONTAINER_DELETED_EVENT',
      );
      c.same(
        events.filter((e) => e.containerId === sandbox.id).map(containerEventType),
        ['CONTAINER_STOPPED_EVENT', 'CONTAINER_DELETED_EVENT'],
        'the kinds',
      );
    },
  },
];
