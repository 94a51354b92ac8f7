/** The way from a kubelet to the plug-ins of this machine: gRPC on unix sockets. */

import type { DevicePluginClient, PluginDevice, PluginHost, PluginRegistrationClient } from '@syncloop/core/host';
import type { Context, Go } from '@syncloop/core/kernel';
import {
  type ContainerAllocateResponse,
  type Device,
  DevicePlugin,
  type ListAndWatchResponse,
} from './api/gen/deviceplugin_pb.js';
import { Registration } from './api/gen/pluginregistration_pb.js';
import { PluginConnection } from './connection.js';
import { serveRegistration } from './registration-server.js';
import { watchSockets } from './socket-watch.js';

/** A {@link PluginHost}, and how to end all that it has open. */
export interface NodePluginHost extends PluginHost {
  /** Hangs up on all plug-ins and removes the socket for registrations: a kubelet that is killed ends no context. */
  close(): Promise<void>;
}

/** For goroutines of a kernel on a real clock. */
export function nodePluginHost(): NodePluginHost {
  const open = new Set<{ close(): void | Promise<void> }>();
  return {
    *serveRegistration(ctx, path) {
      return yield* serveRegistration(ctx, path, (server) => open.add(server));
    },
    *dialDevicePlugin(ctx, path, timeout) {
      const connection = yield* PluginConnection.dial(ctx, path, timeout);
      open.add(connection);
      return devicePluginClient(connection, () => open.delete(connection));
    },
    *dialRegistration(ctx, path, timeout) {
      const connection = yield* PluginConnection.dial(ctx, path, timeout);
      open.add(connection);
      return registrationClient(connection, () => open.delete(connection));
    },
    *watchSockets(ctx, folder) {
      return yield* watchSockets(ctx, folder, (watcher) => open.add(watcher));
    },
    async close() {
      await Promise.all([...open].map((one) => one.close()));
      open.clear();
    },
  };
}

const { getDevicePluginOptions, listAndWatch, getPreferredAllocation, allocate, preStartContainer } =
  DevicePlugin.method;

function devicePluginClient(connection: PluginConnection, closed: () => void): DevicePluginClient {
  return {
    *getDevicePluginOptions(ctx) {
      const options = yield* connection.unary(getDevicePluginOptions, ctx, {});
      return {
        preStartRequired: options.preStartRequired,
        getPreferredAllocationAvailable: options.getPreferredAllocationAvailable,
      };
    },
    *listAndWatch(ctx) {
      const read = ({ devices }: ListAndWatchResponse) => devices.map(deviceOf);
      return connection.stream(listAndWatch, ctx, {}, read, (devices) => ({ devices: devices.length }));
    },
    *getPreferredAllocation(ctx, containers) {
      const containerRequests = containers.map((c) => ({
        availableDeviceIDs: [...c.availableDeviceIDs],
        mustIncludeDeviceIDs: [...c.mustIncludeDeviceIDs],
        allocationSize: c.allocationSize,
      }));
      const answer = yield* connection.unary(getPreferredAllocation, ctx, { containerRequests });
      return answer.containerResponses.map((c) => c.deviceIDs);
    },
    *allocate(ctx, containers) {
      const containerRequests = containers.map((ids) => ({ devicesIds: [...ids] }));
      const answer = yield* connection.unary(allocate, ctx, { containerRequests });
      return answer.containerResponses.map(allocationOf);
    },
    *preStartContainer(ctx, deviceIDs): Go<void> {
      yield* connection.unary(preStartContainer, ctx, { devicesIds: [...deviceIDs] });
    },
    close() {
      closed();
      connection.close();
    },
  };
}

const deviceOf = ({ ID: id, health, topology }: Device): PluginDevice => ({
  id,
  health,
  ...(topology && { topology: topology.nodes.map((node) => Number(node.ID)) }),
});

const allocationOf = ({ envs, mounts, devices, annotations, cdiDevices }: ContainerAllocateResponse) => ({
  envs,
  mounts: mounts.map(({ containerPath, hostPath, readOnly }) => ({ containerPath, hostPath, readOnly })),
  devices: devices.map(({ containerPath, hostPath, permissions }) => ({ containerPath, hostPath, permissions })),
  annotations,
  cdiDevices: cdiDevices.map(({ name }) => name),
});

function registrationClient(connection: PluginConnection, closed: () => void): PluginRegistrationClient {
  return {
    *getInfo(ctx: Context) {
      const info = yield* connection.unary(Registration.method.getInfo, ctx, {});
      const { type, name, endpoint, supportedVersions } = info;
      return { type, name, endpoint, supportedVersions };
    },
    *notifyRegistrationStatus(ctx, registered, error): Go<void> {
      yield* connection.unary(Registration.method.notifyRegistrationStatus, ctx, {
        pluginRegistered: registered,
        error,
      });
    },
    close() {
      closed();
      connection.close();
    },
  };
}
