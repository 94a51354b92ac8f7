import type { SessionInfo } from '@syncloop/core/debug/live';

/** The facts about its node that a session shows. */
export interface LiveNode {
  /** `live-NODE-TIME`, or another text that is unique to this run. */
  readonly id: string;
  readonly title: string;
  readonly runtime: string;
  readonly node: string;
  /** True if the kubelet may be paused and stepped by whoever has the token for it. */
  readonly control: boolean;
  /** The kubelet is looked at from outside. */
  readonly observed?: boolean;
}

/** The session of a real node: it can only be paused; nothing can be applied, changed or undone. */
export function liveInfo({ id, title, runtime, node, control, observed }: LiveNode, epochMillis: number): SessionInfo {
  return {
    id,
    title,
    capabilities: {
      control,
      speed: false,
      apply: false,
      intervene: false,
      choose: false,
      scenarios: false,
      breakpoints: control,
      ...(observed && { observed }),
    },
    scenario: '',
    seed: 0,
    runtime,
    node,
    epochMillis,
    virtual: false,
  };
}
