/**
 * The common files of tests with a `syncloop kubelet`: the program, its configuration, its arguments, and its
 * manifests.
 */
import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const agent = new URL('../', import.meta.url);
export const program = fileURLToPath(new URL('bin/syncloop.mjs', agent));

/** A built module of the agent, such as `conformance/containerd.js`. Rejects if the agent is not built. */
export async function built(file) {
  const url = new URL(`dist/${file}`, agent);
  await access(url).catch(() => {
    throw new Error('the agent is not built: run "npm run build" first');
  });
  return await import(url.href);
}

/**
 * A KubeletConfiguration that leaves the machine's cgroups alone and has all files in `work`. `fields`: more fields of
 * it by name; `more`: text at its end.
 */
export const kubeletConfiguration = (work, fields = {}, more = '') => `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
${Object.entries({ address: '127.0.0.1', ...fields })
  .map(([name, value]) => `${name}: ${value}\n`)
  .join('')}podLogsDir: ${work}/logs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failCgroupV1: false
${more}`;

/** Fields for static pods from the folder `manifests` beside the configuration. */
export const manifestsFolder = { staticPodPath: 'manifests', fileCheckFrequency: '1s' };

/** Arguments of a `syncloop kubelet` with `config.yaml` and the root directory in `work`. */
export const kubeletArgs = (work, endpoint, ...flags) => [
  ...['kubelet', '--config', join(work, 'config.yaml'), '--container-runtime-endpoint', endpoint],
  ...['--root-dir', join(work, 'root'), '--hostname-override', 'node1', ...flags],
];

/** Makes the folder for manifests, and the one in which they are written before they are moved. */
export async function makeManifestFolders(work) {
  for (const folder of ['manifests', 'new']) await mkdir(join(work, folder));
}

/** Puts a manifest into the folder as a tool does: written elsewhere, then renamed. */
export async function putManifest(work, file, text) {
  await writeFile(join(work, 'new', file), text);
  await rename(join(work, 'new', file), join(work, 'manifests', file));
}

/** A shell command that runs until it is asked to end. */
export const waits = "trap 'exit 0' TERM; while :; do sleep 1000 & wait $!; done";
