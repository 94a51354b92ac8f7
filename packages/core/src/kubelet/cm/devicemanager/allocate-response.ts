import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import type { ContainerAllocateResponse } from '../../../host/device-plugins.js';

/** Field numbers of v1beta1 ContainerAllocateResponse and of the messages in it. */
const Envs = 1;
const Mounts = 2;
const Devices = 3;
const Annotations = 4;
const CDIDevices = 5;

const text = (n: number, value: string) => (w: BinaryWriter) => {
  if (value !== '') w.tag(n, 2).string(value);
};
/** Writes one embedded message. */
function embed(w: BinaryWriter, n: number, ...fields: readonly ((w: BinaryWriter) => unknown)[]): void {
  w.tag(n, 2).fork();
  for (const field of fields) field(w);
  w.join();
}

/** The response as protobuf bytes, as the checkpoint keeps it; maps in the order of their keys. */
export function marshalAllocateResponse(resp: ContainerAllocateResponse): Uint8Array {
  const w = new BinaryWriter();
  const map = (n: number, entries: Readonly<Record<string, string>>) => {
    for (const key of Object.keys(entries).sort()) {
      const value = entries[key] as string;
      // Entries of a map have both fields, empty or not.
      embed(
        w,
        n,
        (e) => e.tag(1, 2).string(key),
        (e) => e.tag(2, 2).string(value),
      );
    }
  };
  map(Envs, resp.envs);
  for (const m of resp.mounts)
    embed(w, Mounts, text(1, m.containerPath), text(2, m.hostPath), (e) => m.readOnly && e.tag(3, 0).bool(true));
  for (const d of resp.devices)
    embed(w, Devices, text(1, d.containerPath), text(2, d.hostPath), text(3, d.permissions));
  map(Annotations, resp.annotations);
  for (const name of resp.cdiDevices) embed(w, CDIDevices, text(1, name));
  return w.finish();
}

/** The fields of one embedded message: text by number, and whether a varint field is set. */
function readFields(bytes: Uint8Array): { text(n: number): string; flag(n: number): boolean } {
  const texts = new Map<number, string>();
  const flags = new Map<number, boolean>();
  const r = new BinaryReader(bytes);
  while (r.pos < r.len) {
    const [n, wire] = r.tag();
    if (wire === 2) texts.set(n, r.string());
    else if (wire === 0) flags.set(n, r.bool());
    else r.skip(wire, n);
  }
  return { text: (n) => texts.get(n) ?? '', flag: (n) => flags.get(n) ?? false };
}

/** Reads what {@link marshalAllocateResponse} or upstream wrote; throws if the bytes are no such message. */
export function unmarshalAllocateResponse(bytes: Uint8Array): ContainerAllocateResponse {
  const envs: Record<string, string> = Object.create(null);
  const annotations: Record<string, string> = Object.create(null);
  const mounts: ContainerAllocateResponse['mounts'][number][] = [];
  const devices: ContainerAllocateResponse['devices'][number][] = [];
  const cdiDevices: string[] = [];
  const r = new BinaryReader(bytes);
  while (r.pos < r.len) {
    const [n, wire] = r.tag();
    if (wire !== 2) {
      r.skip(wire, n);
      continue;
    }
    const f = readFields(r.bytes());
    if (n === Envs) envs[f.text(1)] = f.text(2);
    else if (n === Mounts) mounts.push({ containerPath: f.text(1), hostPath: f.text(2), readOnly: f.flag(3) });
    else if (n === Devices) devices.push({ containerPath: f.text(1), hostPath: f.text(2), permissions: f.text(3) });
    else if (n === Annotations) annotations[f.text(1)] = f.text(2);
    else if (n === CDIDevices) cdiDevices.push(f.text(1));
  }
  return { envs, mounts, devices, annotations, cdiDevices };
}
