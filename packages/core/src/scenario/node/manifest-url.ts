import type { ProbeTransport } from '../../host/os.js';
import { Millisecond, sleep } from '../../kernel/index.js';

/** The time that an answer takes. */
const answerTime = 2 * Millisecond;

/** A web server that the kubelet's HTTP source reads its pods from. Until it is set, it serves an empty list. */
export class ManifestURL {
  private served: { readonly pods: readonly object[]; readonly status: number } = { pods: [], status: 200 };

  constructor(private readonly url: string) {}

  /** Sets the pods that it serves, or the status that it answers with in their place. */
  serve(pods: readonly object[], status: number): void {
    this.served = { pods, status };
  }

  /** Returns the way to this server, and to all others over `base`. */
  transport(base: ProbeTransport): ProbeTransport {
    const { url } = this;
    const served = () => this.served;
    return {
      *httpGet(ctx, request) {
        const { scheme, host, port, path } = request;
        const usual = port === (scheme === 'https' ? 443 : 80);
        const asked = `${scheme}://${host}${usual ? '' : `:${port}`}${path}`;
        if (url === '' || (asked !== url && asked !== `${url}/`)) return yield* base.httpGet(ctx, request);
        yield* sleep(answerTime);
        const { status, pods } = served();
        return status === 200
          ? { status, body: JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items: pods }) }
          : { status, body: '' };
      },
      tcpConnect: (...args) => base.tcpConnect(...args),
      grpcCheck: (...args) => base.grpcCheck(...args),
    };
  }
}
