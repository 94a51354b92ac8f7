import type { RpcMethod } from '../../cri/index.js';
import { type FaultSubject, methodNamed } from '../faults/faults.js';
import { Numbered } from './numbered.js';
import type { ScriptedCall } from './types.js';

/** A scenario's rules for calls to the runtime. */
export class ScriptedCalls {
  private readonly methods = new Map<RpcMethod, Numbered<ScriptedCall>>();

  /** Throws a TypeError on a method that does not exist. */
  constructor(calls: readonly ScriptedCall[], nodeName: string) {
    const byMethod = new Map<RpcMethod, ScriptedCall[]>();
    for (const call of calls) {
      const method = methodNamed(call.method);
      if (!method) throw new TypeError(`calls: there is no CRI method '${call.method}'`);
      const list = byMethod.get(method);
      if (list) list.push(call);
      else byMethod.set(method, [call]);
    }
    for (const [method, list] of byMethod) this.methods.set(method, new Numbered(list, nodeName));
  }

  /** Continues the counts of `before`, which has other entries. */
  countOn(before: ScriptedCalls): void {
    for (const [method, numbered] of this.methods) {
      const was = before.methods.get(method);
      if (was) numbered.countOn(was);
    }
  }

  has(method: RpcMethod): boolean {
    return this.methods.has(method);
  }

  /** The entry for this call, if there is one; it counts. */
  next(subject: FaultSubject): ScriptedCall | null {
    return this.methods.get(subject.method)?.next(subject)?.entry ?? null;
  }
}
