import { type ContainerConfig, type CRIServices, inProcessClient, type PodSandboxConfig } from '../../cri/index.js';
import { background, type Go, Kernel, seeded } from '../../kernel/index.js';
import type { TraceRecord } from '../../trace/index.js';
import { type MockRuntime, type MockRuntimeOptions, newMockRuntime } from '../index.js';

export const loop = ['sh', '-c', "trap 'exit 0' TERM; while true; do sleep 0.2; done"];

/** A mock on a kernel, and short ways to use it. */
export class Bench {
  readonly records: TraceRecord[] = [];
  readonly k: Kernel;
  readonly mock: MockRuntime;
  readonly s: CRIServices;
  constructor(options: MockRuntimeOptions = {}) {
    this.k = new Kernel({ policy: seeded(7), sink: (r) => this.records.push(r) });
    this.mock = newMockRuntime(this.k, options);
    this.s = inProcessClient({ ...this.mock.runtime, ...this.mock.image });
  }
  /** Runs `body` to its end, at most `limit` seconds; throws what it throws. */
  do<T>(body: (b: Bench) => Go<T>, limit = 600): T {
    let result: { value: T } | { error: unknown } | undefined;
    const b = this;
    this.k.go('bench', function* () {
      try {
        result = { value: yield* body(b) };
      } catch (error) {
        result = { error };
      }
    });
    this.k.run({ until: this.k.now() + limit * 1e6, stop: () => result !== undefined });
    if (!result) throw new Error(`not done within ${limit} s`);
    if ('error' in result) throw result.error;
    return result.value;
  }
  seconds(n: number): void {
    this.k.run({ until: this.k.now() + n * 1e6 });
  }
  sandboxConfig(name: string, more: Partial<PodSandboxConfig> = {}): PodSandboxConfig {
    return {
      metadata: { name: `${name}-node1`, uid: `uid-${name}`, namespace: 'default' },
      hostname: `${name}-node1`,
      logDirectory: `/var/log/pods/default_${name}-node1_uid-${name}`,
      linux: { securityContext: { namespaceOptions: { pid: 'CONTAINER' } } },
      ...more,
    };
  }
  *pod(
    name: string,
    command: readonly string[],
    more: Partial<ContainerConfig> = {},
  ): Go<{ sandbox: string; id: string }> {
    const config = this.sandboxConfig(name);
    const { podSandboxId = '' } = yield* this.s.runPodSandbox(background, { config });
    const { containerId = '' } = yield* this.s.createContainer(background, {
      podSandboxId,
      sandboxConfig: config,
      config: {
        metadata: { name: 'app' },
        image: { image: 'localhost/busybox:dev' },
        command: [...command],
        logPath: 'app/0.log',
        linux: { securityContext: { namespaceOptions: { pid: 'CONTAINER' } }, resources: {} },
        ...more,
      },
    });
    yield* this.s.startContainer(background, { containerId });
    return { sandbox: podSandboxId, id: containerId };
  }
  status(id: string) {
    return this.do(() => this.s.containerStatus(background, { containerId: id })).status;
  }
  /** Returns code and text of the error that a call fails with. */
  failure(call: Go<unknown>): string {
    return this.do(function* () {
      try {
        yield* call;
        return 'succeeded';
      } catch (error) {
        return (error as Error).message;
      }
    });
  }
}
