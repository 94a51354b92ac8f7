/** The abilities of a session. The UI asks these, never what kind of session it is. */
export interface Capabilities {
  /** pause, resume, step. */
  readonly control: boolean;
  readonly speed: boolean;
  /** Manifests can be applied and deleted. */
  readonly apply: boolean;
  /** Containers and sandboxes can be killed, commands run in them. */
  readonly intervene: boolean;
  /** Choice points can be asked and answered. */
  readonly choose: boolean;
  /** Scenarios can be loaded. */
  readonly scenarios: boolean;
  /** It can go back and take other ways from there: step back, go, branches. */
  readonly rewind?: boolean;
  /** It can be stopped by breakpoints. */
  readonly breakpoints?: boolean;
  /** The same run is available with another version of the kubelet. */
  readonly eras?: boolean;
  /** It shows a kubelet that was observed from outside: records rest on evidence; what no source reports is unknown. */
  readonly observed?: boolean;
  /** The run that it shows was observed; a twin can re-enact it and be compared with it (see docs/users/twin.md). */
  readonly twin?: boolean;
  /** The node that it shows is one of several, which are on one clock and can be shown in its place. */
  readonly fleet?: boolean;
}
