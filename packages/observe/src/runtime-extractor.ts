/** Concludes the runtime's content from its answers to clients other than the kubelet, and from its events. */
import type { Json, RecordBody } from '@syncloop/core/trace';
import { field, list, text } from './cri/subjects.js';
import type { Evidence } from './evidence/index.js';
import type { KubeletFacts } from './observer.js';
import type { Extractor, RecordWriter } from './record-writer.js';

type Sandbox = Extract<RecordBody, { kind: 'actual-sandbox' }>;
type Container = Extract<RecordBody, { kind: 'actual-container' }>;

const LABEL = {
  uid: 'io.kubernetes.pod.uid',
  name: 'io.kubernetes.pod.name',
  namespace: 'io.kubernetes.pod.namespace',
};

/**
 * Writes the runtime's content, and each change. With a log or calls it begins with the first lists of sandboxes and
 * containers: before them only the subjects of events are known.
 */
export class RuntimeExtractor implements Extractor {
  facts: KubeletFacts = { version: '', node: '', runtime: '' };
  private readonly sandboxes = new Map<string, Sandbox>();
  private readonly containers = new Map<string, Container>();
  private readonly images = new Map<string, string>();
  /** No other source reports sandboxes and containers: only the subjects of events are known. */
  private alone = true;
  /** Kinds of lists that have been seen. */
  private readonly listed = new Set<string>();

  hear(evidence: Evidence, _seq: number, writer: RecordWriter): void {
    if (evidence.kind === 'container-event') {
      const listed = this.listed.has('ListPodSandbox') && this.listed.has('ListContainers');
      if (listed || this.alone) this.event(evidence.event, writer);
      return;
    }
    if (evidence.kind === 'line' || evidence.kind === 'call') this.alone = false;
    if (evidence.kind !== 'runtime' || evidence.response === undefined) return;
    const { method, response } = evidence;
    if (method === 'Version')
      this.facts = {
        ...this.facts,
        runtime: `${text(response, 'runtimeName')} ${text(response, 'runtimeVersion')}`.trim(),
      };
    else if (method === 'ListPodSandbox') {
      this.listed.add(method);
      const ids = list(response, 'items').map((item) => this.sandbox(item, writer));
      this.gone(this.sandboxes, new Set(ids), writer);
    } else if (method === 'ListContainers') {
      this.listed.add(method);
      const ids = list(response, 'containers').map((item) => this.container(item, text(item, 'podSandboxId'), writer));
      this.gone(this.containers, new Set(ids), writer);
    } else if (method === 'ContainerStatus') {
      const status = field(response, 'status') ?? null;
      const known = this.containers.get(text(status, 'id'));
      if (known) this.container(status, known.sandbox, writer);
    } else if (method === 'ListImages') this.listImages(response, writer);
  }

  private event(event: Json, writer: RecordWriter): void {
    const sandbox = field(event, 'podSandboxStatus') ?? null;
    const type = text(event, 'containerEventType') || 'CONTAINER_CREATED_EVENT';
    const id = text(event, 'containerId');
    if (text(sandbox, 'id') !== '' && !(type === 'CONTAINER_DELETED_EVENT' && id === text(sandbox, 'id')))
      this.sandbox(sandbox, writer);
    for (const status of list(event, 'containersStatuses')) this.container(status, text(sandbox, 'id'), writer);
    if (type !== 'CONTAINER_DELETED_EVENT') return;
    for (const known of [this.sandboxes, this.containers])
      if (known.has(id)) this.remove(known as Map<string, Sandbox | Container>, id, writer);
  }

  private sandbox(item: Json, writer: RecordWriter): string {
    const id = text(item, 'id');
    if (id === '') return id;
    const [uid, name] = [text(item, 'metadata', 'uid'), text(item, 'metadata', 'name')];
    const pod = name === '' ? '' : `${text(item, 'metadata', 'namespace')}/${name}`;
    if (uid !== '' && pod !== '') writer.pods.learn(pod, uid);
    const ip = text(item, 'network', 'ip') || this.sandboxes.get(id)?.ip;
    this.put(this.sandboxes, id, writer, {
      kind: 'actual-sandbox',
      id,
      uid,
      pod,
      attempt: Number(field(item, 'metadata', 'attempt') ?? 0),
      state: text(item, 'state') === 'SANDBOX_NOTREADY' ? 'notready' : 'ready',
      ...(ip && { ip }),
    });
    return id;
  }

  /** An item of a list, or a status, which also says how it ended. */
  private container(item: Json, sandbox: string, writer: RecordWriter): string {
    const id = text(item, 'id');
    const state = STATES[text(item, 'state') || 'CONTAINER_CREATED'];
    if (id === '' || state === undefined) return id;
    const before = this.containers.get(id);
    const exitCode = field(item, 'exitCode');
    const reason = text(item, 'reason') || before?.reason;
    // A status has no exit code if that is 0; an item of a list never has one.
    const ended = text(item, 'finishedAt') !== '';
    const code = typeof exitCode === 'number' ? exitCode : ended && state === 'exited' ? 0 : before?.exitCode;
    this.put(this.containers, id, writer, {
      kind: 'actual-container',
      id,
      sandbox: sandbox || (before?.sandbox ?? ''),
      uid: text(item, 'labels', LABEL.uid),
      name: text(item, 'metadata', 'name'),
      attempt: Number(field(item, 'metadata', 'attempt') ?? 0),
      state,
      ...(code !== undefined && { exitCode: code }),
      ...(reason && { reason }),
    });
    return id;
  }

  private put<T extends Sandbox | Container>(known: Map<string, T>, id: string, writer: RecordWriter, body: T): void {
    if (JSON.stringify(known.get(id)) === JSON.stringify(body)) return;
    known.set(id, body);
    writer.write(body);
  }

  private gone(
    known: Map<string, Sandbox | Container> | Map<string, Sandbox> | Map<string, Container>,
    there: ReadonlySet<string>,
    writer: RecordWriter,
  ): void {
    for (const id of [...known.keys()])
      if (!there.has(id)) this.remove(known as Map<string, Sandbox | Container>, id, writer);
  }

  private remove(known: Map<string, Sandbox | Container>, id: string, writer: RecordWriter): void {
    const last = known.get(id);
    known.delete(id);
    if (last) writer.write({ ...last, state: 'removed' });
  }

  private listImages(response: Json, writer: RecordWriter): void {
    const there = new Map(
      list(response, 'images').map((image) => {
        const [tag] = list(image, 'repoTags');
        return [text(image, 'id'), typeof tag === 'string' ? tag : text(image, 'id')];
      }),
    );
    for (const [id, image] of there) {
      if (this.images.get(id) === image) continue;
      this.images.set(id, image);
      writer.write({ kind: 'actual-image', image, state: 'present' });
    }
    for (const [id, image] of [...this.images]) {
      if (there.has(id)) continue;
      this.images.delete(id);
      writer.write({ kind: 'actual-image', image, state: 'removed' });
    }
  }
}

const STATES: { readonly [state: string]: Container['state'] } = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'exited',
};
