import type { Unframed } from './framings/index.js';
import { type Survey, sameHost } from './survey.js';

/** Chooses one node of a log that has lines of several: a story never mixes two. */
export class NodeFilter {
  /** The node that is shown; undefined if the log names none. */
  chosen: string | undefined;
  private several = false;
  private byPid = false;
  /** The names of hosts, as those of the nodes that they are. */
  private readonly names = new Map<string, string>();
  private readonly nodes: string[] = [];

  /** `story`: the node that all logs of one story are of, once the first of them has chosen it. */
  constructor(
    private readonly wanted: string | undefined,
    private readonly story: { node?: string } = {},
  ) {}

  /** Takes the nodes of the beginning of the log. */
  choose({ nodes, byPid }: Survey): void {
    for (const { name } of nodes) this.nodes.push(name);
    const wanted = this.wanted ?? (byPid || nodes.length === 0 ? undefined : this.story.node);
    this.chosen = wanted === undefined ? nodes[0]?.name : (this.nodes.find((n) => sameHost(n, wanted)) ?? wanted);
    this.byPid = byPid;
    if (!byPid && this.chosen !== undefined) this.story.node ??= this.chosen;
    this.several = nodes.length > 1 || wanted !== undefined;
  }

  /** The node of a line; undefined if nothing says. */
  nodeOf({ host }: Unframed, pid: number): string | undefined {
    if (host === undefined && !this.byPid) return undefined;
    if (this.byPid) {
      const name = `pid ${pid}`;
      return pid > 0 && this.nodes.includes(name) ? name : undefined;
    }
    if (host === undefined) return undefined;
    let name = this.names.get(host);
    if (name === undefined) {
      name = this.nodes.find((one) => sameHost(host, one));
      if (name === undefined) {
        name = host;
        if (this.nodes.length < 1000) this.nodes.push(host);
      }
      if (this.names.size < 1000) this.names.set(host, name);
    }
    return name;
  }

  /** True if lines of this node are shown. */
  takes(node: string | undefined): boolean {
    // With nodes that are distinguished by their kubelets, a line that names none of them may be of any.
    if (node === undefined) return !(this.byPid && this.several);
    return this.chosen === undefined || node === this.chosen;
  }
}
