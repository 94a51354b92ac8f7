import { describe, expect, it } from 'vitest';
import { base64Encode } from '../../../base/index.js';
import { marshalAllocateResponse, unmarshalAllocateResponse } from './allocate-response.js';
import { marshalCheckpoint, unmarshalCheckpoint } from './checkpoint.js';

/** Two files that kubelets of clusters with GPUs wrote, as they were published. */
const published = [
  '{"Data":{"PodDeviceEntries":[{"PodUID":"bf52b2cd-b611-4e79-86b1-280b283185c3","ContainerName":"check","ResourceName":"nvidia.com/gpu","DeviceIDs":{"-1":["tegra"]},"AllocResp":"Ch8KFk5WSURJQV9WSVNJQkxFX0RFVklDRVMSBXRlZ3Jh"}],"RegisteredDevices":{"nvidia.com/gpu":["tegra"]}},"Checksum":3660592824}',
  '{"Data":{"PodDeviceEntries":[{"PodUID":"9a15d2b5-c152-46b9-96e0-d57032629e1f","ContainerName":"app","ResourceName":"nvidia.com/gpu","DeviceIDs":{"1":["GPU-9b341c59-f96b-ba85-c137-78c3652fea65","GPU-c1e9f249-b37b-81c2-a8d9-ba5ca0294841"]},"AllocResp":"CmsKFk5WSURJQV9WSVNJQkxFX0RFVklDRVMSUUdQVS1jMWU5ZjI0OS1iMzdiLTgxYzItYThkOS1iYTVjYTAyOTQ4NDEsR1BVLTliMzQxYzU5LWY5NmItYmE4NS1jMTM3LTc4YzM2NTJmZWE2NRokCg4vZGV2L252aWRpYWN0bBIOL2Rldi9udmlkaWFjdGwaAnJ3GiYKDy9kZXYvbnZpZGlhLXV2bRIPL2Rldi9udmlkaWEtdXZtGgJydxoyChUvZGV2L252aWRpYS11dm0tdG9vbHMSFS9kZXYvbnZpZGlhLXV2bS10b29scxoCcncaLgoTL2Rldi9udmlkaWEtbW9kZXNldBITL2Rldi9udmlkaWEtbW9kZXNldBoCcncaIAoML2Rldi9udmlkaWExEgwvZGV2L252aWRpYTEaAnJ3GiAKDC9kZXYvbnZpZGlhMhIML2Rldi9udmlkaWEyGgJydw=="}],"RegisteredDevices":{"nvidia.com/gpu":["GPU-77a702db-e37f-3a74-d46d-c5713f66058c","GPU-9b341c59-f96b-ba85-c137-78c3652fea65","GPU-c1e9f249-b37b-81c2-a8d9-ba5ca0294841"]}},"Checksum":2530956716}',
];

describe('the checkpoint of devices', () => {
  it('[3:DEV-19] reads and writes the files of real kubelets byte for byte, with their checksums', () => {
    for (const text of published) expect(marshalCheckpoint(unmarshalCheckpoint(text))).toBe(text);
    const [entry] = unmarshalCheckpoint(published[1] as string).podDeviceEntries;
    const resp = unmarshalAllocateResponse(entry?.allocResp ?? new Uint8Array());
    expect(resp.envs.NVIDIA_VISIBLE_DEVICES).toBe(
      'GPU-c1e9f249-b37b-81c2-a8d9-ba5ca0294841,GPU-9b341c59-f96b-ba85-c137-78c3652fea65',
    );
    expect(resp.devices.map((d) => d.containerPath)).toEqual([
      '/dev/nvidiactl',
      '/dev/nvidia-uvm',
      '/dev/nvidia-uvm-tools',
      '/dev/nvidia-modeset',
      '/dev/nvidia1',
      '/dev/nvidia2',
    ]);
    expect(base64Encode(marshalAllocateResponse(resp))).toBe(base64Encode(entry?.allocResp ?? ''));
  });

  it('keeps an answer with every field through protobuf', () => {
    const resp = {
      envs: { A: '1', B: '' },
      mounts: [
        { containerPath: '/lib', hostPath: '/opt/lib', readOnly: true },
        { containerPath: '/data', hostPath: '/data', readOnly: false },
      ],
      devices: [{ containerPath: '/dev/x', hostPath: '/dev/x0', permissions: 'mrw' }],
      annotations: { 'example.com/slot': 'ü' },
      cdiDevices: ['example.com/gpu=0'],
    };
    expect(unmarshalAllocateResponse(marshalAllocateResponse(resp))).toEqual(resp);
  });

  it('[3:DEV-20] refuses a damaged file and the format of versions before 1.20', () => {
    const [text = ''] = published;
    expect(() => unmarshalCheckpoint(text.replace('tegra', 'tegrb'))).toThrow('checkpoint is corrupted');
    expect(() => unmarshalCheckpoint(text.slice(0, -1))).toThrow();
    expect(() => unmarshalCheckpoint(text.replace('{"-1":["tegra"]}', '["tegra"]'))).toThrow('DeviceIDs');
    expect(() => unmarshalCheckpoint('{}')).toThrow('Data');
  });

  it('writes null where no pod has a device, as Go does', () => {
    const text = marshalCheckpoint({ podDeviceEntries: [], registeredDevices: new Map([['example.com/gpu', []]]) });
    expect(text).toContain('"PodDeviceEntries":null');
    expect(unmarshalCheckpoint(text)).toEqual({
      podDeviceEntries: [],
      registeredDevices: new Map([['example.com/gpu', []]]),
    });
  });
});
