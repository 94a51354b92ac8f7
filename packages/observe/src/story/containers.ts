/** Finds the container or sandbox of an id. An id never changes what it stands for, so that later lines count, too. */
import { isObject } from '@syncloop/core/base';
import type { Json } from '@syncloop/core/trace';
import { containerId, Recent } from '../identity.js';
import { text } from './fields.js';

export interface Container {
  readonly id: string;
  /** '' for a sandbox; undefined if unknown. */
  name?: string;
  sandbox?: boolean;
  /** UID of its pod; undefined if unknown. */
  uid?: string;
}

export class Containers {
  private readonly byId = new Recent<string, Container>();

  get size(): number {
    return this.byId.size;
  }

  of(id: string): Container | undefined {
    return this.byId.get(id);
  }
  /** Learns the id of a container, and its name if a line has it. */
  container(id: string, name?: string): void {
    if (id === '') return;
    const one = this.known(id);
    one.sandbox = false;
    if (name) one.name = name;
  }
  /** Notes the pod of a container or sandbox. */
  owned(id: string, uid: string): void {
    if (id !== '' && uid !== '') this.known(id).uid = uid;
  }
  sandbox(id: string): void {
    if (id === '') return;
    const one = this.known(id);
    one.sandbox = true;
    one.name = '';
  }

  private known(id: string): Container {
    let one = this.byId.get(id);
    if (!one) {
      one = { id };
      this.byId.set(id, one);
    }
    return one;
  }

  /** Learns ids from the fields of a line, whatever else the line reports. */
  learn(fields: { readonly [key: string]: Json }): void {
    const { containerName, containerID, containerId: small, containerStatusID, podSandboxID, podSandboxId } = fields;
    if (typeof containerName === 'string' && containerName !== '')
      for (const id of [containerID, small, containerStatusID])
        if (id !== undefined) this.container(containerId(id), containerName);
    for (const id of [podSandboxID, podSandboxId]) {
      if (Array.isArray(id)) for (const each of id) this.sandbox(containerId(each as Json));
      else if (typeof id === 'string') for (const [each] of id.matchAll(/[0-9a-f]{64}/g)) this.sandbox(each);
    }
  }

  /** Learns from a pod's status. */
  learnStatus(status: Json | undefined): void {
    if (!isObject(status)) return;
    for (const list of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'])
      for (const one of Array.isArray(status[list]) ? (status[list] as readonly Json[]) : []) {
        if (!isObject(one)) continue;
        const name = text(one.name);
        if (name === '') continue;
        this.container(containerId(one.containerID), name);
        for (const state of [one.state, one.lastState]) {
          const ended = isObject(state) ? state.terminated : undefined;
          if (isObject(ended)) this.container(containerId(ended.containerID), name);
        }
      }
  }
}
