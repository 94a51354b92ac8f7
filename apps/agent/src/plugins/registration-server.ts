/** The server at which device plug-ins register. upstream: pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go */
import { status } from '@grpc/grpc-js';
import type { RegisterRequest, Registration } from '@syncloop/core/host';
import { type Chan, type Context, call, current, type Go, makeChan, recv, select, sendTo } from '@syncloop/core/kernel';
import { Registration as RegistrationService } from './api/gen/deviceplugin_pb.js';
import { Inbox } from './inbox.js';
import { limits } from './limits.js';
import { type SocketServer, serveAtSocket, served } from './socket-server.js';

const gone = { code: status.UNAVAILABLE, details: 'the kubelet is not running' };

/** See PluginHost.serveRegistration. `opened` gets the server, which must be closed when the process stops. */
export function* serveRegistration(
  ctx: Context,
  path: string,
  opened: (server: SocketServer) => void,
): Go<Chan<Registration>> {
  const { kernel } = current();
  const inbox = new Inbox<Registration>(limits.registrations);
  let open = true;
  const register = served(RegistrationService.method.register, (request, answer) => {
    const registration: Registration = {
      request: requestOf(request),
      answer: (error) => answer(error === null ? null : { code: status.UNKNOWN, details: error }),
    };
    if (!open) return answer(gone);
    if (!inbox.push(registration)) {
      answer({ code: status.RESOURCE_EXHAUSTED, details: `${limits.registrations} registrations wait already` });
    }
  });
  const server = yield* call('serve device plug-in registration', () => serveAtSocket(path, [register]), ctx);
  opened(server);
  const chan = makeChan<Registration>(kernel, 'registration', 0, {
    describe: ({ request }) => ({ resource: request.resourceName }),
  });
  const pump = function* (): Go<void> {
    try {
      for (;;) {
        const next = yield* call('device plug-in registration', (signal) => inbox.next(signal), ctx);
        const sent = yield* select({ sent: sendTo(chan, next), done: recv(ctx.done()) });
        if (sent.case === 'done') {
          next.answer(gone.details);
          break;
        }
      }
    } catch {
      // The context has ended.
    }
    open = false;
    for (const waiting of inbox.drain()) waiting.answer(gone.details);
    chan.close();
    yield* call('close device plug-in registration', () => server.close().catch(() => {}));
  };
  kernel.go('device plug-in registration', pump, { quiet: true, daemon: true });
  return chan;
}

const requestOf = (request: {
  version: string;
  endpoint: string;
  resourceName: string;
  options?: { preStartRequired: boolean; getPreferredAllocationAvailable: boolean };
}): RegisterRequest => ({
  version: request.version,
  endpoint: request.endpoint,
  resourceName: request.resourceName,
  options: request.options
    ? {
        preStartRequired: request.options.preStartRequired,
        getPreferredAllocationAvailable: request.options.getPreferredAllocationAvailable,
      }
    : null,
});
