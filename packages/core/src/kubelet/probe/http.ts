import type { Container, HTTPGetAction } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { ProbeTransport } from '../../host/os.js';
import { type Context, type Go, type Kernel, withTimeout } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { Logger } from '../klog.js';
import { cutBytes } from '../status/normalize.js';
import { doRequest, type HTTPResponse } from './client.js';
import type { HandlerResult } from './probe.js';
import { type HTTPGetRequest, newRequestForHTTPGetAction } from './request.js';

/** Bytes of an answer that are kept. upstream: pkg/probe/http maxRespBodyLength */
export const maxRespBodyLength = 10 * 1024;

/**
 * Sends a GET; 200 to 399 is success. Redirects are followed on the same host name only; one to elsewhere is a warning
 * (fidelity 2:W-17). A transport's error is a failure; only a request that cannot be made is an error.
 * upstream: pkg/probe/http DoHTTPProbe
 */
export function* httpProbe(
  deps: { kernel: Kernel; transport: ProbeTransport; log: Logger },
  ctx: Context,
  action: HTTPGetAction,
  container: Container,
  podIP: string,
  timeout: Micros,
  probeType: string,
): Go<HandlerResult> {
  let request: HTTPGetRequest;
  try {
    request = newRequestForHTTPGetAction(action, container, podIP, 'probe');
  } catch (error) {
    deps.log.info(4, 'HTTP-Probe failed to create request', { error: messageOf(error) });
    throw error;
  }
  const headers = (action.httpHeaders ?? []).map((h) => ({ name: h.name, value: h.value }));
  deps.log.info(4, 'HTTP-Probe', { ...request.target, timeout, headers, probeType });
  const [limited, cancel] = withTimeout(deps.kernel, ctx, timeout);
  let response: HTTPResponse;
  try {
    response = yield* doRequest(deps, limited, request, limited.deadline() ?? deps.kernel.now() + timeout);
  } catch (error) {
    return { outcome: 'failure', output: messageOf(error) };
  } finally {
    cancel();
  }
  const { status } = response;
  const body = cutBytes(response.body, maxRespBodyLength);
  if (status >= 200 && status < 300) return { outcome: 'success', output: body };
  if (status >= 300 && status < 400)
    return { outcome: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
  return { outcome: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
}
