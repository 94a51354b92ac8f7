import {
  type ContainerConfig,
  type ContainerStatus,
  CRIError,
  type CRIServices,
  containerState,
  errorCode,
  GrpcCode,
  type GrpcCodeName,
  type PodSandboxConfig,
  type PodSandboxStatus,
} from '../cri/index.js';
import { background, current, type Go, Millisecond, Second, sleep } from '../kernel/index.js';
import { decodeText } from './base64.js';

/** A runtime to judge. Any: the mock itself, the mock behind gRPC, a real containerd. */
export interface ContractSubject {
  readonly services: CRIServices;
  /** An image with busybox in it that the node has. */
  readonly busybox: string;
  /** A folder on the node in which the runtime may write logs. */
  readonly logDirectory: string;
  /** Makes names unlike those of other runs. */
  readonly prefix: string;
}

export interface ContractCase {
  readonly name: string;
  run(c: Contract): Go<void>;
}

/** What a runtime did not keep. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** Runs one case; throws ContractError where the runtime does not do what it must. What the case made is removed again. */
export function* runContractCase(subject: ContractSubject, one: ContractCase): Go<void> {
  const c = new Contract(subject);
  try {
    yield* one.run(c);
  } finally {
    yield* c.cleanUp();
  }
}

let counter = 0;

/** Tools of a case: makes sandboxes and containers, asks, insists. */
export class Contract {
  readonly s: CRIServices;
  private readonly made: string[] = [];
  constructor(readonly subject: ContractSubject) {
    this.s = subject.services;
  }

  insist(condition: boolean, what: string): void {
    if (!condition) throw new ContractError(what);
  }
  same(got: unknown, want: unknown, what: string): void {
    const [a, b] = [JSON.stringify(got), JSON.stringify(want)];
    if (a !== b) throw new ContractError(`${what}: want ${b}, got ${a}`);
  }
  /** Insists that a call fails with one of the codes, and its text contains `text`; returns the text. */
  *fails(call: Go<unknown>, codes: GrpcCodeName | readonly GrpcCodeName[], text = ''): Go<string> {
    try {
      yield* call;
    } catch (error) {
      if (!(error instanceof CRIError)) throw error;
      const allowed = (typeof codes === 'string' ? [codes] : codes).map((n) => GrpcCode[n] as number);
      this.insist(allowed.includes(errorCode(error)), `want code ${codes}, got ${error.message}`);
      this.insist(error.details.includes(text), `want an error that says "${text}", got "${error.details}"`);
      return error.details;
    }
    throw new ContractError(`the call must fail with ${codes}`);
  }

  /** Insists that a call succeeds, though what it is about is gone; runtimes of before 2023 (containerd 1.6) may say NotFound. */
  *idempotent(call: Go<unknown>): Go<void> {
    try {
      yield* call;
    } catch (error) {
      if (errorCode(error) !== GrpcCode.NotFound) throw error;
    }
  }

  sandboxConfig(): PodSandboxConfig {
    const name = `${this.subject.prefix}-${counter++}`;
    const uid = `${name}-uid`;
    return {
      metadata: { name, uid, namespace: 'contract' },
      hostname: name,
      logDirectory: `${this.subject.logDirectory}/${name}`,
      labels: { 'io.kubernetes.pod.name': name, 'io.kubernetes.pod.uid': uid, contract: 'yes' },
      annotations: { 'contract/annotation': 'a' },
      linux: { securityContext: { namespaceOptions: { pid: 'CONTAINER' } } },
    };
  }
  *sandbox(config = this.sandboxConfig()): Go<{ id: string; config: PodSandboxConfig }> {
    const { podSandboxId = '' } = yield* this.s.runPodSandbox(background, { config });
    this.made.push(podSandboxId);
    return { id: podSandboxId, config };
  }
  containerConfig(command: readonly string[], more: Partial<ContainerConfig> = {}): ContainerConfig {
    return {
      metadata: { name: 'app' },
      image: { image: this.subject.busybox },
      command: [...command],
      logPath: 'app/0.log',
      labels: { 'io.kubernetes.container.name': 'app' },
      annotations: { 'contract/container': 'c' },
      linux: {
        securityContext: { namespaceOptions: { pid: 'CONTAINER' } },
        resources: { cpuPeriod: '100000', cpuShares: '2' },
      },
      ...more,
    };
  }
  *create(
    sandbox: { id: string; config: PodSandboxConfig },
    command: readonly string[],
    more?: Partial<ContainerConfig>,
  ): Go<string> {
    const { containerId = '' } = yield* this.s.createContainer(background, {
      podSandboxId: sandbox.id,
      sandboxConfig: sandbox.config,
      config: this.containerConfig(command, more),
    });
    return containerId;
  }
  *start(
    sandbox: { id: string; config: PodSandboxConfig },
    command: readonly string[],
    more?: Partial<ContainerConfig>,
  ): Go<string> {
    const id = yield* this.create(sandbox, command, more);
    yield* this.s.startContainer(background, { containerId: id });
    return id;
  }
  *status(id: string): Go<ContainerStatus> {
    const { status } = yield* this.s.containerStatus(background, { containerId: id });
    if (!status) throw new ContractError('ContainerStatus must have a status');
    return status;
  }
  *sandboxStatus(id: string): Go<PodSandboxStatus> {
    const { status } = yield* this.s.podSandboxStatus(background, { podSandboxId: id });
    if (!status) throw new ContractError('PodSandboxStatus must have a status');
    return status;
  }
  /** The status once the container has exited, at most `limit` Micros from now. */
  *exited(id: string, limit = 5 * Second): Go<ContainerStatus> {
    const { kernel } = current();
    const until = kernel.now() + limit;
    for (;;) {
      const status = yield* this.status(id);
      if (containerState(status) === 'CONTAINER_EXITED') return status;
      this.insist(kernel.now() < until, 'the container must have exited by now');
      yield* sleep(20 * Millisecond);
    }
  }
  *exec(id: string, ...cmd: string[]): Go<{ out: string; err: string; code: number }> {
    const r = yield* this.s.execSync(background, { containerId: id, cmd });
    return { out: decodeText(r.stdout ?? ''), err: decodeText(r.stderr ?? ''), code: r.exitCode ?? 0 };
  }
  *cleanUp(): Go<void> {
    for (const id of this.made.splice(0)) {
      yield* this.idempotent(this.s.stopPodSandbox(background, { podSandboxId: id }));
      yield* this.s.removePodSandbox(background, { podSandboxId: id });
    }
  }
}
