/** A transport to the kubelet's API server that learns the secrets in its answers. */

import type { RestRequest, RestResponse, RestTransport, RestWatch, WatchEvent } from '@syncloop/core/api';
import { type Context, current, type Go, makeChan, recv, select, sendTo, withCancel } from '@syncloop/core/kernel';
import type { KnownSecrets } from './known-secrets.js';

/** Paths with answers that hold a secret: Secrets, and tokens of service accounts. */
const SECRET = /\/secrets(\/|$)|\/serviceaccounts\/[^/]+\/token$/;

export function learningTransport(transport: RestTransport, known: KnownSecrets): RestTransport {
  return {
    get host() {
      return transport.host;
    },
    *request(ctx: Context, request: RestRequest): Go<RestResponse> {
      const response = yield* transport.request(ctx, request);
      if (SECRET.test(request.path)) known.learnObject(response.body);
      return response;
    },
    *watch(ctx: Context, request: RestRequest): Go<RestWatch> {
      const watch = yield* transport.watch(ctx, request);
      if (!SECRET.test(request.path) || watch.code !== 200) return watch;
      const { kernel } = current();
      const name = `learn ${request.path}`;
      const [inner, cancel] = withCancel(kernel, ctx);
      const events = makeChan<WatchEvent>(kernel, name, 0, { quiet: true });
      kernel.go(
        name,
        function* () {
          for (;;) {
            const came = yield* select({ event: recv(watch.events), done: recv(inner.done()) });
            if (came.case === 'done' || !came.ok) break;
            known.learnObject(came.value.object);
            const sent = yield* select({ sent: sendTo(events, came.value), done: recv(inner.done()) });
            if (sent.case === 'done') break;
          }
          events.close();
        },
        { quiet: true, daemon: true },
      );
      const stop = () => {
        cancel();
        watch.stop();
      };
      return { ...watch, events, stop };
    },
  };
}
