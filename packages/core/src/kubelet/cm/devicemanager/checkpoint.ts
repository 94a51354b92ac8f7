import { base64Bytes, base64Encode, fnv32a, utf8Bytes } from '../../../base/index.js';
import { anyText, custom, list, object, read, record, type Shape, whole } from '../../../shape/index.js';

/** Ids of devices by NUMA node; -1 for those without. upstream: checkpoint.DevicesPerNUMA */
export type DevicesPerNUMA = ReadonlyMap<number, readonly string[]>;

/** upstream: checkpoint.PodDevicesEntry. `allocResp`: the plug-in's answer as protobuf. */
export interface PodDevicesEntry {
  readonly podUID: string;
  readonly containerName: string;
  readonly resourceName: string;
  readonly deviceIDs: DevicesPerNUMA;
  readonly allocResp: Uint8Array;
}

/** The data that the device manager keeps over restarts. upstream: checkpoint.checkpointData */
export interface CheckpointData {
  readonly podDeviceEntries: readonly PodDevicesEntry[];
  /** Ids of the healthy devices by resource. */
  readonly registeredDevices: ReadonlyMap<string, readonly string[]>;
}

/** upstream: checkpointmanager/errors CorruptCheckpointError */
export class CorruptCheckpointError extends Error {
  constructor() {
    super('checkpoint is corrupted');
  }
}

/** Every id once, in order. upstream: DevicesPerNUMA.Devices */
export const devicesOf = (deviceIDs: DevicesPerNUMA): ReadonlySet<string> =>
  new Set([...deviceIDs.values()].flat().sort());

/** The content of the checkpoint's file. upstream: (*Data).MarshalCheckpoint */
export function marshalCheckpoint(data: CheckpointData): string {
  const { podDeviceEntries: entries, registeredDevices } = data;
  return JSON.stringify({
    Data: {
      // Go's empty list that was never made is null.
      PodDeviceEntries:
        entries.length === 0
          ? null
          : entries.map((e) => ({
              PodUID: e.podUID,
              ContainerName: e.containerName,
              ResourceName: e.resourceName,
              DeviceIDs: Object.fromEntries(e.deviceIDs),
              AllocResp: base64Encode(e.allocResp),
            })),
      RegisteredDevices: Object.fromEntries(registeredDevices),
    },
    Checksum: checksumOf(data, entries.length === 0),
  });
}

const nullable = <T>(shape: Shape<T>): Shape<T | null> =>
  custom({ anyOf: [shape.schema, { type: 'null' }] }, (r) => (r.value === null ? null : shape.read(r)));
const ids = list(anyText);
/** The file as JSON. Go's null stands for an empty value. */
const fileShape = object(
  {
    Data: object(
      {
        PodDeviceEntries: nullable(
          list(
            object(
              {
                PodUID: anyText,
                ContainerName: anyText,
                ResourceName: anyText,
                DeviceIDs: record(ids),
                AllocResp: anyText,
              },
              'drop',
            ),
          ),
        ),
        RegisteredDevices: nullable(record(nullable(ids))),
      },
      'drop',
    ),
    Checksum: whole(0),
  },
  'drop',
);

/**
 * Reads a checkpoint of this version, upstream's or our own; throws if the text is another version's or damaged.
 * upstream: (*Data).UnmarshalCheckpoint, VerifyChecksum
 */
export function unmarshalCheckpoint(text: string): CheckpointData {
  const { Data, Checksum } = read(fileShape, JSON.parse(text), 'checkpoint');
  const data: CheckpointData = {
    podDeviceEntries: (Data.PodDeviceEntries ?? []).map((e) => ({
      podUID: e.PodUID,
      containerName: e.ContainerName,
      resourceName: e.ResourceName,
      deviceIDs: new Map(Object.entries(e.DeviceIDs).map(([node, devices]) => [Number(node), devices])),
      allocResp: base64Bytes(e.AllocResp),
    })),
    registeredDevices: new Map(Object.entries(Data.RegisteredDevices ?? {}).map(([name, of]) => [name, of ?? []])),
  };
  if (checksumOf(data, Data.PodDeviceEntries === null) !== Checksum) throw new CorruptCheckpointError();
  return data;
}

/** upstream: checkpointmanager/checksum New: the hash of the data as spew prints it with types and sorted keys */
function checksumOf({ podDeviceEntries, registeredDevices }: CheckpointData, noEntries: boolean): number {
  const map = <K extends string | number>(of: ReadonlyMap<K, readonly string[]>) =>
    `map[${[...of]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, values]) => `${key}:[${values.join(' ')}]`)
      .join(' ')}]`;
  const entries = podDeviceEntries.map(
    (e) =>
      `{PodUID:(string)${e.podUID} ContainerName:(string)${e.containerName} ResourceName:(string)${e.resourceName} DeviceIDs:(checkpoint.DevicesPerNUMA)${map(e.deviceIDs)} AllocResp:([]uint8)[${e.allocResp.join(' ')}]}`,
  );
  return fnv32a(
    utf8Bytes(
      `(checkpoint.checkpointData){PodDeviceEntries:([]checkpoint.PodDevicesEntry)${noEntries ? '<nil>' : `[${entries.join(' ')}]`} RegisteredDevices:(map[string][]string)${map(registeredDevices)}}`,
    ),
  );
}
