/** How long a runtime went on with a call that the kubelet had given up: as long as it kept the name reserved. */
import type { Micros, RecordSink } from '@syncloop/core/trace';
import { objectOf, textOf } from '../base/json.js';
import type { TwinText } from '../base/types.js';

interface Held {
  /** When the call that was given up began, and when the name was last refused. */
  readonly from: Micros;
  refused: Micros | null;
  /** When the name was free again. */
  free: Micros | null;
}

/** Follows calls that create a container; the first one of a name that ran out of time counts. */
export class HeldNames {
  private readonly calls = new Map<number, { readonly key: string; readonly from: Micros }>();
  private readonly held = new Map<string, Held>();

  readonly take: RecordSink = (r) => {
    if (r.kind === 'cri-call' && r.method === 'CreateContainer') {
      const { name } = objectOf(objectOf(objectOf(r.request).config).metadata);
      this.calls.set(r.seq, { key: `${r.uid} ${textOf(name)}`, from: r.time });
    } else if (r.kind === 'cri-return') {
      const call = this.calls.get(r.call);
      if (!call) return;
      this.calls.delete(r.call);
      const held = this.held.get(call.key);
      const error = r.error?.details ?? '';
      if (/deadline ?exceeded|timed out/i.test(error)) {
        if (!held) this.held.set(call.key, { from: call.from, refused: null, free: null });
      } else if (held && held.free === null) {
        if (/reserve/i.test(error)) held.refused = r.time;
        else if (error === '') held.free = r.time;
      }
    }
  };

  /** The longest that a name was seen to be kept and then free; null if there is none. */
  get fact(): TwinText | null {
    let longest: { readonly least: number; readonly most: number } | null = null;
    for (const { from, refused, free } of this.held.values()) {
      if (refused === null || free === null) continue;
      const least = Math.floor((refused - from) / 1e6);
      if (!longest || least > longest.least) longest = { least, most: Math.ceil((free - from) / 1e6) };
    }
    if (!longest) return null;
    const { least, most } = longest;
    return {
      en: `how long the runtime would have taken: ${least} s after the call it still kept the name reserved, and ${most} s after it no longer did, so a runtimeRequestTimeout of ${most}s would have been enough`,
      zh: `运行时本来需要多久：调用之后 ${least} 秒它仍保留着名字，${most} 秒时已不再保留，因此 runtimeRequestTimeout 为 ${most}s 就足够`,
    };
  }
}
