import { base64Decode } from '../../base/index.js';
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
} from '../../cri/index.js';
import {
  background,
  current,
  type Go,
  Millisecond,
  makeChan,
  receive,
  Second,
  send,
  sleep,
} from '../../kernel/index.js';
import type { ImageSpecification, RegistryBehaviour } from '../../mock/images/types.js';

/** A runtime to judge. Any: the mock itself, the mock behind gRPC, a real containerd. */
export interface ContractSubject {
  readonly services: CRIServices;
  /** Images that the node has. */
  readonly images: {
    /** One with busybox in it, and `sh` as its command. */
    readonly busybox: string;
    /** `contractImages`, by their names; null if the node does not have them: cases about them are left out. */
    readonly more: ContractImages | null;
  };
  /**
   * `host:port` of a registry that answers as `registryImages` says; null if there is none: such cases are left out.
   */
  readonly registry: string | null;
  /** A cgroup below which sandboxes may have theirs, such as `/contract`; null: cases that need one are left out. */
  readonly cgroupParent: string | null;
  /** A folder on the node for logs and mounts, in which the runtime may write. */
  readonly folder: string;
  /** Makes names unlike those of other runs. */
  readonly prefix: string;
  /** True: RPCs that older runtimes lack must be there, and what older ones do differently is not tolerated. */
  readonly strict: boolean;
}

/** One rule, and how to see whether a runtime keeps it. It uses nothing but the CRI and the kernel's clock. */
export interface ContractCase {
  readonly name: string;
  run(c: Contract): Go<void>;
}

/** Cases on one part of the CRI. */
export interface ContractArea {
  readonly area: string;
  readonly cases: readonly ContractCase[];
}

/** Images whose configuration the cases know. */
export interface ContractImages {
  /** Used by nothing; one case removes it. */
  readonly spare: string;
  /** Has an entrypoint, a command, an environment, a working folder and a user of its own. */
  readonly configured: string;
}

/** The images to make: each is busybox with this configuration. */
export const contractImages: readonly ImageSpecification[] = [
  { ref: 'localhost/contract-spare:1', cmd: ['true'], programs: 'busybox' },
  {
    ref: 'localhost/contract-configured:1',
    entrypoint: ['sh', '-c', 'echo "$GREETING from $(pwd): $0 $*"; id -u; id -g'],
    cmd: ['one', 'two'],
    env: ['GREETING=hello', 'KEPT=yes'],
    workingDir: '/var',
    user: '1234:2345',
    stopSignal: 'SIGUSR1',
    programs: 'busybox',
  },
];
export const contractImageNames: ContractImages = {
  spare: 'localhost/contract-spare:1',
  configured: 'localhost/contract-configured:1',
};

/**
 * The images of a registry for the cases: one that it serves, one that it denies to strangers, and one that it does not
 * have.
 */
export const registryImages = { good: 'contract/good:1', denied: 'contract/denied:1', absent: 'contract/absent:1' };

/** The same, for the mock's registry option. */
export const registryBehaviours = (host: string): Readonly<Record<string, RegistryBehaviour>> => ({
  [`${host}/${registryImages.good}`]: {
    kind: 'serve',
    image: { ref: `${host}/${registryImages.good}`, digest: `sha256:${'1'.repeat(64)}` },
  },
  [`${host}/${registryImages.denied}`]: { kind: 'unauthorized' },
  [`${host}/${registryImages.absent}`]: { kind: 'not-found' },
});

/** A breach of the contract by the runtime. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

/** A case that this runtime does not allow. */
class LeftOut extends Error {
  override readonly name = 'LeftOut';
}

/**
 * Runs one case; throws ContractError if the runtime does not do what it must. Removes what the case made. Returns
 * notes on what was tolerated; there are none if the subject is strict.
 */
export function* runContractCase(subject: ContractSubject, one: ContractCase): Go<readonly string[]> {
  const c = new Contract(subject);
  try {
    yield* one.run(c);
  } catch (error) {
    if (!(error instanceof LeftOut)) throw error;
    c.notes.push(error.message);
  } finally {
    yield* c.cleanUp();
  }
  return c.notes;
}

/** A sandbox that a case made. */
export interface SandboxHandle {
  readonly id: string;
  readonly config: PodSandboxConfig;
}

/** A line of a container's log, in the CRI's format. */
export interface LogLine {
  /** RFC 3339, its fraction without zeros at the end. */
  readonly time: string;
  /** The same in Unix nanoseconds. */
  readonly nanos: bigint;
  readonly stream: string;
  /** F: a whole line; P: a part of one. */
  readonly tag: string;
  readonly text: string;
}

let counter = 0;

/** Tools of a case: makes sandboxes and containers, asks, insists. */
export class Contract {
  readonly s: CRIServices;
  /** Notes on what was tolerated. */
  readonly notes: string[] = [];
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
  /** Compares maps like `same`; their order says nothing. */
  sameMap(
    got: Readonly<Record<string, string>> | undefined,
    want: Readonly<Record<string, string>>,
    what: string,
  ): void {
    this.same(Object.entries(got ?? {}).sort(), Object.entries(want).sort(), what);
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

  /**
   * Codes of a call whose caller waited no longer. A runtime knows the caller's deadline too: where its answer comes
   * before the caller's own clock, it may be about what the runtime did then.
   */
  late(): readonly GrpcCodeName[] {
    return this.subject.strict ? ['DeadlineExceeded'] : ['DeadlineExceeded', 'Unknown'];
  }

  /** Leaves the rest of the case out: this runtime does not have what it is about. */
  leaveOut(why: string): never {
    throw new LeftOut(why);
  }
  /** Insists, but older runtimes are let through with a note. */
  recent(condition: boolean, what: string): void {
    if (condition) return;
    if (this.subject.strict) throw new ContractError(what);
    this.notes.push(`older runtime: ${what}`);
  }
  /** The answer of an RPC that older runtimes do not have: for those the case ends here, with a note. */
  *implemented<T>(call: Go<T>): Go<T> {
    try {
      return yield* call;
    } catch (error) {
      if (errorCode(error) === GrpcCode.Unimplemented && error instanceof CRIError && !this.subject.strict)
        this.leaveOut(`older runtime: ${error.details}`);
      throw error;
    }
  }
  /**
   * Insists that a call succeeds, though what it is about is gone; older runtimes (containerd 1.6) may say NotFound.
   */
  *idempotent(call: Go<unknown>): Go<void> {
    try {
      yield* call;
    } catch (error) {
      if (errorCode(error) !== GrpcCode.NotFound) throw error;
      this.recent(false, `it must succeed, got ${(error as Error).message}`);
    }
  }

  sandboxConfig(): PodSandboxConfig {
    const name = `${this.subject.prefix}-${counter++}`;
    const uid = `${name}-uid`;
    return {
      metadata: { name, uid, namespace: 'contract' },
      hostname: name,
      logDirectory: `${this.subject.folder}/${name}`,
      labels: { 'io.kubernetes.pod.name': name, 'io.kubernetes.pod.uid': uid, contract: 'yes' },
      annotations: { 'contract/annotation': 'a' },
      linux: { securityContext: { namespaceOptions: { pid: 'CONTAINER' } } },
    };
  }
  *sandbox(config = this.sandboxConfig(), runtimeHandler = ''): Go<SandboxHandle> {
    const { podSandboxId = '' } = yield* this.s.runPodSandbox(background, {
      config,
      ...(runtimeHandler && { runtimeHandler }),
    });
    this.made.push(podSandboxId);
    return { id: podSandboxId, config };
  }
  /** A sandbox whose containers are in a cgroup of the sandbox's own, as a kubelet has it. */
  *sandboxWithCgroup(): Go<SandboxHandle> {
    const config = this.sandboxConfig();
    const parent = this.subject.cgroupParent ?? this.leaveOut('there is no cgroup for sandboxes');
    return yield* this.sandbox({
      ...config,
      linux: { ...config.linux, cgroupParent: `${parent}/${config.metadata?.name}` },
    });
  }
  containerConfig(command: readonly string[], more: Partial<ContainerConfig> = {}): ContainerConfig {
    return {
      metadata: { name: 'app' },
      image: { image: this.subject.images.busybox },
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
  *create(sandbox: SandboxHandle, command: readonly string[], more?: Partial<ContainerConfig>): Go<string> {
    const { containerId = '' } = yield* this.s.createContainer(background, {
      podSandboxId: sandbox.id,
      sandboxConfig: sandbox.config,
      config: this.containerConfig(command, more),
    });
    return containerId;
  }
  *start(sandbox: SandboxHandle, command: readonly string[], more?: Partial<ContainerConfig>): Go<string> {
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
  *exited(id: string, limit = 60 * Second): Go<ContainerStatus> {
    const { kernel } = current();
    const until = kernel.now() + limit;
    for (;;) {
      const status = yield* this.status(id);
      if (containerState(status) === 'CONTAINER_EXITED') return status;
      this.insist(kernel.now() < until, 'the container must have exited by now');
      yield* sleep(20 * Millisecond);
    }
  }
  /** Waits until something holds, at most `limit` Micros, asking every `pause`. */
  *eventually(what: string, holds: () => Go<boolean>, limit = 60 * Second, pause = 20 * Millisecond): Go<void> {
    const { kernel } = current();
    for (const until = kernel.now() + limit; !(yield* holds()); yield* sleep(pause))
      this.insist(kernel.now() < until, `in time: ${what}`);
  }
  /** A container that has the sandbox's folder of the node, where its logs are, at /node. */
  *window(sandbox: SandboxHandle, name = 'window'): Go<string> {
    return yield* this.start(sandbox, ['sleep', '3600'], {
      metadata: { name },
      mounts: [{ containerPath: '/node', hostPath: sandbox.config.logDirectory ?? '' }],
      logPath: `${name}.log`,
    });
  }
  /** A file's text, seen from a container; the file must be there. */
  *read(id: string, path: string): Go<string> {
    const { out, err, code } = yield* this.exec(id, 'cat', path);
    this.insist(code === 0, `${path} must be there: ${err}`);
    return out;
  }
  /** Returns the log of a container of the sandbox, read through a window. */
  *log(window: string, path: string): Go<LogLine[]> {
    const text = yield* this.read(window, `/node/${path}`);
    this.insist(text === '' || text.endsWith('\n'), 'a log ends with a newline');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const m =
          /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{0,8}[1-9]))?(Z|[+-]\d\d:\d\d) (stdout|stderr) ([FP]) (.*)$/s.exec(
            line,
          );
        if (!m) throw new ContractError(`a line of a log must be TIME STREAM TAG TEXT, got "${line.slice(0, 200)}"`);
        const [, seconds = '', fraction = '', zone = '', stream = '', tag = '', rest = ''] = m;
        const nanos = BigInt(Date.parse(`${seconds}${zone}`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
        return { time: `${seconds}${fraction && `.${fraction}`}${zone}`, nanos, stream, tag, text: rest };
      });
  }
  /** Runs all at once; gives their results, or what they threw. */
  *atOnce<T>(calls: readonly (() => Go<T>)[]): Go<(T | Error)[]> {
    const { kernel } = current();
    const results: (T | Error)[] = [];
    let left = calls.length;
    const done = makeChan<true>(kernel, 'at once', calls.length);
    for (const [i, one] of calls.entries())
      kernel.go('contract', function* () {
        try {
          results[i] = yield* one();
        } catch (error) {
          results[i] = error as Error;
        }
        yield* send(done, true);
      });
    for (; left > 0; left--) yield* receive(done);
    return results;
  }
  *exec(id: string, ...cmd: string[]): Go<{ out: string; err: string; code: number }> {
    const r = yield* this.s.execSync(background, { containerId: id, cmd });
    return { out: base64Decode(r.stdout ?? ''), err: base64Decode(r.stderr ?? ''), code: r.exitCode ?? 0 };
  }
  *cleanUp(): Go<void> {
    for (const id of this.made.splice(0)) {
      try {
        yield* this.s.stopPodSandbox(background, { podSandboxId: id });
      } catch (error) {
        if (errorCode(error) !== GrpcCode.NotFound) throw error;
      }
      yield* this.s.removePodSandbox(background, { podSandboxId: id });
    }
  }
}
