import { type Pod, podRef } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import { type Chan, type Context, type Go, type Kernel, makeChan, type Process, range } from '../../kernel/index.js';
import { Logger } from '../klog.js';

/** A source's whole input: the pods that it now has. upstream: pkg/kubelet/config sourceUpdate */
export interface SourceUpdate {
  readonly pods: readonly Pod[];
  /** The way in which the source came to read it. Default: list. */
  readonly origin?: 'list' | 'watch';
  /** The parts of the input that could not be read. */
  readonly errors?: readonly string[];
}

type Merge = (ctx: Context, source: string, update: SourceUpdate) => Go<void>;

/** One channel and one listener per source. upstream: pkg/kubelet/config/mux.go mux */
export class Mux {
  private readonly sources = new Map<string, Chan<SourceUpdate>>();
  private readonly log: Logger;
  constructor(
    private readonly kernel: Kernel,
    private readonly merge: Merge,
    private readonly process?: Process,
  ) {
    this.log = new Logger(kernel, 'mux.go');
  }

  /** The source's unbuffered channel, made when it is first requested. upstream: (*mux).ChannelWithContext */
  channelWithContext(ctx: Context, source: string): Chan<SourceUpdate> {
    if (source === '') throw new Error('Channel given an empty name');
    const existing = this.sources.get(source);
    if (existing) return existing;
    const channel = makeChan<SourceUpdate>(this.kernel, `source ${source}`, 0, {
      describe: (u) => u.pods.map((p) => podRef(p).pod),
    });
    this.sources.set(source, channel);
    const listen = this.listen(ctx, source, channel);
    this.kernel.go(`mux ${source}`, () => listen, {
      place: 'podConfig',
      daemon: true,
      ...(this.process && { process: this.process }),
    });
    return channel;
  }

  /** upstream: (*mux).listen */
  private *listen(ctx: Context, source: string, channel: Chan<SourceUpdate>): Go<void> {
    const { kernel, log, merge } = this;
    yield* range(channel, function* (update) {
      kernel.emitCause({
        kind: 'source',
        source,
        origin: update.origin ?? 'list',
        pods: update.pods.map(podRef),
        ...(update.errors?.length && { errors: update.errors }),
      });
      try {
        yield* merge(ctx, source, update);
      } catch (err) {
        log.info(0, 'failed merging update', { err: messageOf(err) });
      }
    });
  }
}
