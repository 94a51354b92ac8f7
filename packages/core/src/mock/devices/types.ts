import type { PluginDevice } from '../../host/device-plugins.js';
import type { Micros } from '../../trace/index.js';

/** The answer of a plug-in to Allocate. */
export interface AllocateBehaviour {
  /** The time that the answer takes. */
  readonly took?: Micros;
  /** It fails with this text. */
  readonly error?: string;
  /** Default: one variable, named after the resource, with the ids of the devices. */
  readonly envs?: Readonly<Record<string, string>>;
  readonly mounts?: readonly {
    readonly containerPath: string;
    readonly hostPath: string;
    readonly readOnly?: boolean;
  }[];
  /** Paths on the host, which are the same in the container. Default: /dev/ with the id of each device. */
  readonly deviceFiles?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** Fully qualified names of CDI devices. */
  readonly cdiDevices?: readonly string[];
}

/** A device plug-in as a scenario declares it. */
export interface DevicePluginSpec {
  /** The extended resource that its devices are: example.com/gpu. */
  readonly resource: string;
  readonly devices: readonly PluginDevice[];
  /** The way in which it registers: at the kubelet's socket, or by its own in `plugins_registry`. Default: kubelet. */
  readonly registers?: 'kubelet' | 'watcher';
  /** False: it does not run before a step starts it. */
  readonly runs?: boolean;
  /** From the moment that it can until it registers. Default: 100 ms. */
  readonly registersAfter?: Micros;
  /** The version of the protocol that it speaks. Default: v1beta1. */
  readonly version?: string;
  /** It wants to be asked before a container starts. */
  readonly preStart?: boolean;
  /** PreStartContainer fails with this text. */
  readonly preStartError?: string;
  /** It is asked which devices it would rather give, and names the first of these that is available. */
  readonly preferred?: readonly string[];
  readonly allocate?: AllocateBehaviour;
}

/** The changes that a step makes to a plug-in, in this order. */
export interface DevicePluginChange {
  readonly resource: string;
  /** `restart`: it stops, and starts again after `down`. */
  readonly run?: 'start' | 'stop' | 'restart';
  readonly down?: Micros;
  /** All its devices from now on. */
  readonly devices?: readonly PluginDevice[];
  /** Ids of devices whose health changes. */
  readonly unhealthy?: readonly string[];
  readonly healthy?: readonly string[];
  /** Its answer to Allocate from now on. */
  readonly allocate?: AllocateBehaviour;
}
