import type { Kernel } from '../../kernel/index.js';

/** Keeps the sources that the loop has heard of. upstream: pkg/kubelet/config/sources.go SourcesReady */
export class SourcesReady {
  private readonly sourcesSeen = new Set<string>();
  constructor(
    private readonly kernel: Kernel,
    /** PodConfig's view: it also wants a snapshot of each. */
    private readonly sourcesReadyFn: (seen: ReadonlySet<string>) => boolean,
  ) {}

  /** upstream: (*sourcesImpl).AddSource */
  addSource(source: string): void {
    const news = !this.sourcesSeen.has(source);
    this.sourcesSeen.add(source);
    if (news) this.kernel.emit({ kind: 'sources-ready', source, all: this.allReady() });
  }

  /** upstream: (*sourcesImpl).AllReady */
  allReady(): boolean {
    return this.sourcesReadyFn(this.sourcesSeen);
  }
}
