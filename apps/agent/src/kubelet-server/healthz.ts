/** Health checks. upstream: staging/src/k8s.io/apiserver/pkg/server/healthz, component-base metrics/prometheus/slis */
import { Registry } from '@syncloop/core/kubelet/metrics';
import { type Answer, makeServer, metricsText, pageNotFound, type ServerRequest, text } from './http.js';

/** Named checks; null is healthy. */
export type Checks = Readonly<Record<string, () => Error | null>>;

/** Answers /healthz and /healthz/NAME, and counts the results. */
export class Healthz {
  private readonly slis = new Registry();
  private readonly checkStatus = this.slis.gauge({
    name: 'kubernetes_healthcheck',
    help: 'Whether a health check passed.',
    stability: 'STABLE',
    labels: ['name', 'type'],
  });
  private readonly checkCounter = this.slis.counter({
    name: 'kubernetes_healthchecks_total',
    help: 'Health checks, by outcome.',
    stability: 'STABLE',
    labels: ['name', 'type', 'status'],
  });

  constructor(private readonly checks: Checks) {}

  /** `name`: one of them; null: all. */
  answer(name: string | null, query: URLSearchParams): Answer {
    if (name === null) return this.all(query);
    const check = Object.hasOwn(this.checks, name) ? this.checks[name] : undefined;
    if (!check) return pageNotFound;
    const error = this.run(name, check);
    return error ? text(500, `internal server error: ${error.message}\n`) : text(200, 'ok');
  }

  /** Serves /metrics/slis. */
  metrics(): Answer {
    return metricsText(this.slis.text());
  }

  private all(query: URLSearchParams): Answer {
    const excluded = new Set(query.getAll('exclude'));
    const lines: string[] = [];
    let failed = false;
    for (const [name, check] of Object.entries(this.checks)) {
      if (excluded.delete(name)) {
        lines.push(`[+]${name} excluded: ok`);
        continue;
      }
      const error = this.run(name, check);
      failed ||= error !== null;
      lines.push(error ? `[-]${name} failed: reason withheld` : `[+]${name} ok`);
    }
    if (excluded.size > 0)
      lines.push(
        `warn: some health checks cannot be excluded: no matches for ${[...excluded].map((n) => JSON.stringify(n)).join(', ')}`,
      );
    if (failed) return text(500, [...lines, 'healthz check failed', ''].join('\n'));
    return text(200, query.has('verbose') ? [...lines, 'healthz check passed', ''].join('\n') : 'ok');
  }

  private run(name: string, check: () => Error | null): Error | null {
    const error = check();
    this.checkStatus.set(error ? 0 : 1, { name, type: 'healthz' });
    this.checkCounter.add(1, { name, type: 'healthz', status: error ? 'error' : 'success' });
    return error;
  }
}

/**
 * Only /healthz, and only whether the process answers (fidelity 3:HTTP-05). upstream: cmd/kubelet/app/server.go
 * (healthz server)
 */
export function healthzServer() {
  const healthz = new Healthz({ ping: () => null });
  return makeServer(async ({ path, query }: ServerRequest) => {
    const [, name] = /^\/healthz(?:\/(\w*))?$/.exec(path) ?? [null];
    return /^\/healthz(\/\w*)?$/.test(path) ? healthz.answer(name || null, query) : pageNotFound;
  });
}
