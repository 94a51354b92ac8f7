import { type Container, kObj, type Pod } from '../../api/types.js';
import { base64Encode, cleanPath, messageOf } from '../../base/index.js';
import type { ContainerConfig, ImageService, ImageSpec, LinuxContainerConfig, Mount, Signal } from '../../cri/index.js';
import type { NodeInfo, OSInterface } from '../../host/os.js';
import type { Kernel } from '../../kernel/index.js';
import { type Context, frame, type Go } from '../../kernel/index.js';
import type { KubeletConfig } from '../config.js';
import { expandContainerCommandAndArgs } from '../container/helpers.js';
import type { ContainerID, RunContainerOptions, RuntimeHelper } from '../container/types.js';
import { featureEnabled } from '../features.js';
import { buildContainerLogsDirectory, buildContainerLogsPath, toRuntimeSignal, withoutZeros } from './helpers.js';
import { generateLinuxContainerResources } from './kuberuntime-container-linux.js';
import { newContainerAnnotations, newContainerLabels } from './labels.js';
import { determineEffectiveSecurityContext, verifyRunAsNonRoot } from './security-context.js';
import type { KubeRuntimeLoggers, RuntimeHandlers } from './types.js';

/** The parts of the runtime manager that a container's configuration is made with. */
export interface ContainerConfigDeps extends Pick<RuntimeHandlers, 'getOrCreateUserNamespaceMappings'> {
  readonly kernel: Kernel;
  readonly config: KubeletConfig;
  readonly imageService: ImageService;
  readonly os: OSInterface;
  readonly nodeInfo: NodeInfo;
  readonly runtimeHelper: RuntimeHelper;
  readonly podLogsDirectory: string;
  /** Paths that containers must not see, in addition to the usual ones. */
  readonly hostMaskedPaths: readonly string[];
  readonly log: KubeRuntimeLoggers;
}

export interface ContainerConfigInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly restartCount: number;
  readonly podIP: string;
  readonly podIPs: readonly string[];
  /** The image that the first step found or pulled. */
  readonly imageRef: string;
  /** Container whose processes an ephemeral container shall see. */
  readonly target: ContainerID | null;
  /** By volume name. */
  readonly imageVolumes: ReadonlyMap<string, ImageSpec> | null;
}

/**
 * The configuration with which the runtime creates a container (fidelity 2, section 8); throws why it cannot be built.
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (*kubeGenericRuntimeManager).generateContainerConfig
 */
export function* generateContainerConfig(
  m: ContainerConfigDeps,
  ctx: Context,
  input: ContainerConfigInput,
): Go<ContainerConfig> {
  const { pod, container, restartCount } = input;
  return yield* frame(
    'generateContainerConfig',
    { pod: kObj(pod), container: container.name, restartCount },
    function* () {
      const opts = yield* m.runtimeHelper.generateRunContainerOptions(
        ctx,
        pod,
        container,
        input.podIP,
        input.podIPs,
        input.imageVolumes,
      );
      const { uid, username } = yield* getImageUser(m, ctx, container.image ?? '');
      verifyRunAsNonRoot(pod, container, uid, username);
      const { command, args } = expandContainerCommandAndArgs(container, opts.envs);
      const { name, namespace, uid: podUID } = pod.metadata;
      try {
        yield* m.os.mkdirAll(
          buildContainerLogsDirectory(m.podLogsDirectory, namespace, name, podUID, container.name),
          0o755,
        );
      } catch (err) {
        throw new Error(`create container log directory for container ${container.name} failed: ${messageOf(err)}`);
      }
      const mounts = yield* makeMounts(m, opts, container);
      const linux = generateLinuxContainerConfig(m, pod, container, uid, username, input.target);
      const userns = linux.securityContext?.namespaceOptions?.usernsOptions;
      for (const mount of mounts) {
        if (userns?.uids) mount.uidMappings = userns.uids;
        if (userns?.gids) mount.gidMappings = userns.gids;
      }
      const config: ContainerConfig = withoutZeros({
        metadata: withoutZeros({ name: container.name, attempt: restartCount }),
        image: { image: input.imageRef, userSpecifiedImage: container.image ?? '' },
        command,
        args,
        workingDir: container.workingDir ?? '',
        labels: newContainerLabels(container, pod),
        annotations: newContainerAnnotations(container, pod, restartCount, opts),
        devices: opts.devices.map((d) => ({
          hostPath: d.pathOnHost,
          containerPath: d.pathInContainer,
          permissions: d.permissions,
        })),
        ...(opts.cdiDevices?.length && { CDIDevices: opts.cdiDevices }),
        mounts,
        logPath: buildContainerLogsPath(container.name, restartCount),
        stdin: container.stdin ?? false,
        stdinOnce: container.stdinOnce ?? false,
        tty: container.tty ?? false,
        linux,
        envs: opts.envs.map((e) => withoutZeros({ key: e.name, value: base64Encode(e.value) })),
      });
      const stopSignal = getContainerConfigStopSignal(m, container);
      if (stopSignal) config.stopSignal = stopSignal;
      return config;
    },
  );
}

/**
 * Returns the number or name of the user that the image asks for; root if it asks for none (fidelity 2:G-01).
 * upstream: getImageUser
 */
function* getImageUser(
  m: Pick<ContainerConfigDeps, 'imageService'>,
  ctx: Context,
  image: string,
): Go<{ uid: number | null; username: string }> {
  const { image: found } = yield* m.imageService.imageStatus(ctx, { image: { image } });
  if (found?.uid) return { uid: Number(found.uid.value ?? 0), username: '' };
  if (found?.username) return { uid: null, username: found.username };
  return { uid: 0, username: '' };
}

/**
 * The kubelet's mounts, then a fresh file for the termination message (fidelity 2:G-08).
 * upstream: (*kubeGenericRuntimeManager).makeMounts
 */
function* makeMounts(
  m: Pick<ContainerConfigDeps, 'kernel' | 'log' | 'os'>,
  opts: RunContainerOptions,
  container: Container,
): Go<Mount[]> {
  const mounts: Mount[] = opts.mounts.map((v) => {
    const mount: Mount = withoutZeros({
      hostPath: v.hostPath,
      containerPath: v.containerPath,
      readonly: v.readOnly,
      recursiveReadOnly: v.recursiveReadOnly ?? false,
      imageSubPath: v.imageSubPath ?? '',
    });
    if (v.propagation !== 'PROPAGATION_PRIVATE') mount.propagation = v.propagation;
    if (v.image) mount.image = v.image;
    return mount;
  });
  if (!opts.podContainerDir || !container.terminationMessagePath) return mounts;
  // A file of its own per attempt: the directory is the container's, the name random.
  const path = `${opts.podContainerDir}/${m.kernel.random.hex(8)}`;
  const failed = (what: string, err: unknown) =>
    m.log.container.error(new Error(`${what} "${path}": ${messageOf(err)}`), 'Unhandled Error', {
      logger: 'UnhandledError',
    });
  try {
    yield* m.os.writeFile(path, '', 0o666);
  } catch (err) {
    failed('error on creating termination-log file', err);
    return mounts;
  }
  try {
    // The umask affects the mode of a new file, and the container may run as any user.
    if (m.os.chmod) yield* m.os.chmod(path, 0o666);
  } catch (err) {
    failed('unable to set termination-log file permissions', err);
  }
  mounts.push({ hostPath: path, containerPath: cleanPath(container.terminationMessagePath) });
  return mounts;
}

/**
 * The container's stop signal, if the gate allows one in the spec (fidelity 2:G-12).
 * upstream: getContainerConfigStopSignal
 */
function getContainerConfigStopSignal(
  m: Pick<ContainerConfigDeps, 'config'>,
  container: Container,
): Signal | undefined {
  const signal = container.lifecycle?.stopSignal;
  return signal && featureEnabled(m.config, 'ContainerStopSignals') ? toRuntimeSignal(signal) : undefined;
}

/** upstream: applyPlatformSpecificContainerConfig, generateLinuxContainerConfig */
function generateLinuxContainerConfig(
  m: Omit<ContainerConfigDeps, 'imageService' | 'os' | 'podLogsDirectory'>,
  pod: Pod,
  container: Container,
  uid: number | null,
  username: string,
  target: ContainerID | null,
): LinuxContainerConfig {
  const securityContext = determineEffectiveSecurityContext({
    pod,
    container,
    uid,
    username,
    seccompProfileRoot: `${m.config.rootDirectory}/seccomp`,
    seccompDefault: m.config.seccompDefault,
    userNamespace: m.getOrCreateUserNamespaceMappings(pod),
    extraSupplementalGroups: m.runtimeHelper.getExtraSupplementalGroupsForPod(pod),
    hostMaskedPaths: m.hostMaskedPaths,
  });
  if (target && securityContext.namespaceOptions?.pid === 'CONTAINER')
    securityContext.namespaceOptions = { ...securityContext.namespaceOptions, pid: 'TARGET', targetId: target.id };
  return { resources: generateLinuxContainerResources(pod, container, m.nodeInfo, m.config), securityContext };
}
