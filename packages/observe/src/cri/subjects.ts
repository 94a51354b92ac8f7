/** Finds the sandbox, container and pod of calls from requests and answers of a conversation. */
import { isObject, own } from '@syncloop/core/base';
import { type Subject, subjectOf } from '@syncloop/core/cri';
import type { Json } from '@syncloop/core/trace';
import type { CallSubject } from '../evidence/index.js';

/** Ids that are remembered: a node has some hundreds, and thousands over its life. */
const REMEMBERED = 20_000;
const POD_UID = 'io.kubernetes.pod.uid';

interface Owner {
  readonly uid: string;
  /** '' for a sandbox. */
  readonly sandbox: string;
}

export class Subjects {
  private readonly owners = new Map<string, Owner>();

  /** Returns the subject of a call. */
  ofCall(request: Json): CallSubject {
    if (!isObject(request)) return {};
    const subject = subjectOf(request);
    const filter = field(request, 'filter');
    const filtered = text(filter, 'labelSelector', POD_UID);
    if (filtered) subject.uid ??= filtered;
    return this.complete(subject);
  }

  /**
   * Returns the subject of an answer: that of its call, and what the answer adds. It is remembered for calls to come.
   */
  ofReturn(method: string, request: Json, response: Json, subject: CallSubject): CallSubject {
    this.learn(method, request, response, subject);
    const sandbox = method === 'RunPodSandbox' ? text(response, 'podSandboxId') : '';
    const container = method === 'CreateContainer' ? text(response, 'containerId') : '';
    return this.complete({ ...subject, ...(sandbox && { sandbox }), ...(container && { container }) });
  }

  /** Learns a sandbox from a status, or an item of a list. */
  learnSandbox(item: Json | undefined): void {
    this.put(text(item, 'id'), text(item, 'metadata', 'uid') || text(item, 'labels', POD_UID), '');
  }
  learnContainer(item: Json | undefined, sandbox = text(item, 'podSandboxId')): void {
    this.put(text(item, 'id'), text(item, 'labels', POD_UID), sandbox);
  }

  private learn(method: string, request: Json, response: Json, { uid = '', sandbox = '' }: CallSubject): void {
    switch (method) {
      case 'RunPodSandbox':
        this.put(text(response, 'podSandboxId'), uid, '');
        return;
      case 'CreateContainer':
        this.put(text(response, 'containerId'), uid, sandbox);
        return;
      case 'ListPodSandbox':
        for (const item of list(response, 'items')) this.learnSandbox(item);
        return;
      case 'ListContainers':
        for (const item of list(response, 'containers')) this.learnContainer(item);
        return;
      case 'PodSandboxStatus':
        this.learnSandbox(field(response, 'status'));
        for (const item of list(response, 'containersStatuses'))
          this.learnContainer(item, text(request, 'podSandboxId'));
        return;
      case 'ContainerStatus': {
        const status = field(response, 'status');
        this.learnContainer(status, this.owners.get(text(status, 'id'))?.sandbox ?? '');
        return;
      }
    }
  }

  private put(id: string, uid: string, sandbox: string): void {
    if (id === '' || uid === '') return;
    if (!this.owners.has(id) && this.owners.size >= REMEMBERED) {
      const [oldest] = this.owners.keys();
      this.owners.delete(oldest as string);
    }
    this.owners.set(id, { uid, sandbox });
  }

  private complete(subject: Subject): CallSubject {
    const owner = this.owners.get(subject.container ?? '') ?? this.owners.get(subject.sandbox ?? '');
    if (!owner) return subject;
    return {
      uid: owner.uid,
      ...(owner.sandbox && { sandbox: owner.sandbox }),
      ...subject,
    };
  }
}

/** The value at a path of fields; undefined if it is missing. */
export function field(value: Json | undefined, ...path: string[]): Json | undefined {
  let here = value;
  for (const key of path) {
    if (!isObject(here)) return undefined;
    here = own(here, key);
  }
  return here;
}
/** The text at a path of fields; '' if there is none. */
export function text(value: Json | undefined, ...path: string[]): string {
  const found = field(value, ...path);
  return typeof found === 'string' ? found : '';
}
/** The list at a path of fields; empty if there is none. */
export function list(value: Json | undefined, ...path: string[]): readonly Json[] {
  const found = field(value, ...path);
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}
