/** What versions of the kubelet do otherwise while the steps are the same. */
export interface RuntimeRules {
  /** Texts of events. */
  readonly texts: EventTexts;
  /** An override of the grace period replaces what the hook left of it, and goes below the least one. */
  readonly overrideReplacesGrace: boolean;
  /** The kubelet is told of a sandbox that is ready before containers start in it. */
  readonly tellsSandboxReady: boolean;
  /** The status of a pod is read from lists of that pod alone, not from the list in which it was seen. */
  readonly listsForStatus: boolean;
}

/** Texts of container events, by the name of the container. */
export interface EventTexts {
  readonly created: (container: string) => string;
  readonly started: (container: string) => string;
  /** `pod` as logs have it: name_namespace(uid). */
  readonly backOff: (container: string, pod: string) => string;
  /** Why the container waits, after its hook failed with this error. */
  readonly postStartReason: (cause: string) => string;
  /** `detail` says what the hook printed. */
  readonly postStartFailed: (detail: string) => string;
  readonly preStopFailed: (detail: string) => string;
}

/** v1.36. */
export const runtimeRules: RuntimeRules = {
  texts: {
    created: () => 'Container created',
    started: () => 'Container started',
    backOff: (container, pod) => `Back-off restarting failed container ${container} in pod ${pod}`,
    postStartReason: () => 'PostStartHookError',
    // Nothing of the output: it may hold secrets.
    postStartFailed: () => 'PostStartHook failed',
    preStopFailed: () => 'PreStopHook failed',
  },
  overrideReplacesGrace: false,
  listsForStatus: false,
  tellsSandboxReady: true,
};
