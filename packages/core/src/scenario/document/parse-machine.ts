import { quantityValue, readQuantity } from '../../base/index.js';
import type { Latencies, MockRuntimeOptions } from '../../mock/index.js';
import {
  about,
  anyText,
  custom,
  duration,
  flag,
  list,
  matching,
  object,
  optional,
  type Read,
  real,
  refine,
  type Shape,
  text,
  texts,
  whole,
} from '../../shape/index.js';
import { instant } from './instant.js';

/** An amount such as 24684092Ki or 8Gi, in whole units. */
const amount: Shape<number> = custom({ type: ['string', 'integer'] }, (r) => {
  try {
    const value = quantityValue(readQuantity(typeof r.value === 'number' ? String(r.value) : r.string()).nano);
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return value;
  } catch {
    // Said below.
  }
  throw r.mustBe('an amount such as 24684092Ki or 8Gi');
});

const version: Shape<1 | 2> = custom({ enum: [1, 2] }, (r) => {
  if (r.value === 1 || r.value === 2) return r.value;
  throw r.mustBe('1 or 2');
});
const prefix = refine(matching(/^\d{1,3}(\.\d{1,3}){2}$/, 'three numbers such as 10.89.0'), (value, r) => {
  if (value.split('.').some((n) => Number(n) > 255)) throw r.mustBe('three numbers of at most 255');
});

const calls = [
  'read',
  'runPodSandbox',
  'stopPodSandbox',
  'removePodSandbox',
  'createContainer',
  'startContainer',
  'exit',
  'removeContainer',
  'execSync',
  'removeImage',
] as const satisfies readonly Exclude<keyof Latencies, 'jitter'>[];
const latencies = object({
  ...(Object.fromEntries(calls.map((name) => [name, optional(duration)])) as {
    [K in (typeof calls)[number]]: Shape<number | undefined> & { readonly optional: true };
  }),
  jitter: optional(about('The fraction by which each varies, drawn from the seed. Default: 0.25.', real(0, 1))),
});

const fields = {
  cpus: optional(about('Default: 4.', real(0.001, 100_000))),
  memory: optional(about('Default: 8Gi.', amount)),
  swap: optional(about('Default: none.', amount)),
  ephemeralStorage: optional(about('How much of it pods may request. Default: 100Gi.', amount)),
  imageDisk: optional(about('Size of the disk that holds images. Default: 100Gi.', amount)),
  hugePages: optional(
    about('The page sizes that its kernel knows; no such pages are in use. Default: none.', list(amount)),
  ),
  maxPID: optional(whole(1, 2 ** 31)),
  cgroupVersion: optional(about('Default: 2.', version)),
  appArmor: optional(about('Default: true.', flag)),
  hostname: optional(about('Default: the node name.', text)),
  addresses: optional(about('The first is the primary one. Default: 192.168.0.10.', texts)),
  podNetwork: optional(about('First three numbers of the addresses of pods. Default: 10.89.0.', prefix)),
  resolvConf: optional(anyText),
  machineID: optional(text),
  systemUUID: optional(text),
  bootID: optional(text),
  bootedAt: optional(about('When the machine booted.', instant)),
  kernelVersion: optional(text),
  osImage: optional(text),
  architecture: optional(about('Its architecture, as Go names it. Default: amd64.', text)),
  runtimeVersion: optional(about('The version of containerd, such as v2.1.9.', text)),
  containerEvents: optional(
    about('false: the runtime has no GetContainerEvents and RuntimeConfig, like containerd 1.6. Default: true.', flag),
  ),
  privateMounts: optional(about('Whether the root is mounted privately. Default: false.', flag)),
  userNamespaces: optional(
    about('Whether runc can make user namespaces; false stands for a version before 1.2. Default: true.', flag),
  ),
  offline: optional(about('true: no registry can be reached. Default: false.', flag)),
  pullBytesPerSecond: optional(whole(1, 2 ** 40)),
  defaultImages: optional(about('false: the node has no images but those of spec.images. Default: true.', flag)),
  latencies: optional(about('How long runtime calls take for which spec.calls does not say it.', latencies)),
};
type Fields = Read<typeof fields>;

/** The machine and its runtime, if they are other than those of every simulation. */
export const machine: Shape<MockRuntimeOptions> = custom(object(fields).schema, (r) => {
  const m: Fields = object(fields).read(r);
  const node = {
    cpuMillis: m.cpus === undefined ? undefined : Math.round(m.cpus * 1000),
    memoryCapacityBytes: m.memory,
    swapCapacityBytes: m.swap,
    ephemeralStorageBytes: m.ephemeralStorage,
    hugePages: m.hugePages?.map((size) => ({ pageSizeKB: size / 1024, pages: 0 })),
    maxPID: m.maxPID,
    cgroupVersion: m.cgroupVersion,
    appArmorEnabled: m.appArmor,
    hostname: m.hostname,
    addresses: m.addresses,
    resolvConf: m.resolvConf,
    machineID: m.machineID,
    systemUUID: m.systemUUID,
    bootID: m.bootID,
    bootTimeMillis: m.bootedAt === undefined ? undefined : m.bootedAt / 1000,
    kernelVersion: m.kernelVersion,
    osImage: m.osImage,
    architecture: m.architecture,
  };
  return given({
    node: given(node),
    imageDiskBytes: m.imageDisk,
    podNetwork: m.podNetwork,
    runtimeVersion: m.runtimeVersion,
    modern: m.containerEvents,
    privateMounts: m.privateMounts,
    userNamespaces: m.userNamespaces,
    offline: m.offline,
    pullBytesPerSecond: m.pullBytesPerSecond,
    noDefaultImages: m.defaultImages === undefined ? undefined : !m.defaultImages,
    latencies: m.latencies && given(m.latencies),
  }) as MockRuntimeOptions;
});

/** Drops the fields that are not set. */
const given = (all: object): object => Object.fromEntries(Object.entries(all).filter(([, v]) => v !== undefined));
