import type { LogNode } from './survey.js';

/** Lines of one program in a log. */
export interface ProgramShare {
  /** '' if neither the keeper nor the text names it. */
  readonly program: string;
  readonly lines: number;
}

/** The lines of a log by program and by node. Blank lines are not counted. */
export interface LogShare {
  /** Lines of all nodes. */
  readonly lines: number;
  /** Lines of the node that is shown, by program, the most frequent first. */
  readonly programs: readonly ProgramShare[];
  /** The nodes with lines of a kubelet; the one that is shown comes first. */
  readonly nodes: readonly LogNode[];
  /** Lines of other nodes, and those that cannot be given to one. */
  readonly elsewhere: number;
}

/** Most programs and nodes that are counted each by itself. */
const MOST = 1000;

/** Counts lines by program and node. */
export class ShareCount {
  private readonly programs = new Map<string, { lines: number }>();
  private lastProgram = '';
  private lastCount: { lines: number } | null = null;
  private readonly nodes = new Map<string, { readonly name: string; lines: number; kubelet: number }>();
  private all = 0;
  private here = 0;

  line(program: string): void {
    this.all++;
    this.here++;
    if (this.lastCount === null || this.lastProgram !== program) {
      this.lastCount = this.countOf(program);
      this.lastProgram = program;
    }
    this.lastCount.lines++;
  }

  private countOf(program: string): { lines: number } {
    const key = this.programs.has(program) || this.programs.size < MOST ? program : '';
    let count = this.programs.get(key);
    if (!count) {
      count = { lines: 0 };
      this.programs.set(key, count);
    }
    return count;
  }

  /** Takes a line back that was not the program's. */
  undo(program: string): void {
    this.all--;
    this.here--;
    this.countOf(program).lines--;
  }

  node(name: string, kubelet: boolean): void {
    let node = this.nodes.get(name);
    if (!node) {
      if (this.nodes.size >= MOST) return;
      node = { name, lines: 0, kubelet: 0 };
      this.nodes.set(name, node);
    }
    node.lines++;
    if (kubelet) node.kubelet++;
  }

  /** A line of another node. */
  skip(): void {
    this.all++;
  }

  share(shown: string | undefined): LogShare {
    return {
      lines: this.all,
      programs: [...this.programs]
        .map(([program, { lines }]) => ({ program, lines }))
        .filter(({ lines }) => lines > 0)
        .sort((a, b) => b.lines - a.lines || (a.program < b.program ? -1 : 1)),
      nodes: [...this.nodes.values()]
        .filter(({ kubelet }) => kubelet > 0)
        .map((node) => ({ ...node }))
        .sort((a, b) => Number(b.name === shown) - Number(a.name === shown) || b.kubelet - a.kubelet),
      elsewhere: this.all - this.here,
    };
  }
}
