import { quantityValue, readQuantity } from '../../base/index.js';
import {
  about,
  custom,
  flag,
  list,
  object,
  oneOf,
  optional,
  type Shape,
  text,
  texts,
  whole,
} from '../../shape/index.js';
import type { Machine } from './scenario.js';

/** An amount such as 8Gi, or bytes. */
const bytes: Shape<number> = custom({ type: ['string', 'integer'] }, (r) => {
  try {
    const amount = quantityValue(readQuantity(String(r.value)).nano);
    if (amount >= 0 && amount <= 2 ** 50) return amount;
  } catch {
    // Said below.
  }
  throw r.mustBe('an amount such as 8Gi');
});

const version: Shape<1 | 2> = custom({ enum: [1, 2] }, (r) => {
  if (r.value === 1 || r.value === 2) return r.value;
  throw r.mustBe('1 or 2');
});

const machineObject = object({
  cpus: optional(about('Default: 4.', whole(1, 100_000))),
  memory: optional(about('Default: 8Gi.', bytes)),
  swap: optional(about('Default: none.', bytes)),
  cgroupVersion: optional(about('Default: 2.', version)),
  hugePages: optional(about('Sizes that its kernel knows. Default: none.', list(bytes))),
  addresses: optional(about('Default: 192.168.0.10.', texts)),
  nameservers: optional(about('Of its /etc/resolv.conf. Default: 10.255.255.53.', texts)),
  kernelVersion: optional(text),
  osImage: optional(text),
  runtimeVersion: optional(about('Of containerd.', text)),
  userNamespaces: optional(about('The runtime has user namespaces. Default: true.', flag)),
  appArmor: optional(about('Default: true.', flag)),
  mounts: optional(about("How the node's root is mounted. Default: shared.", oneOf('shared', 'private'))),
  registries: optional(
    about('none: no registry can be reached but those of spec.registry. Default: known.', oneOf('known', 'none')),
  ),
});

/** The machine that a node runs on. */
export const machine: Shape<Machine> = machineObject;
