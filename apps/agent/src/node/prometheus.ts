/** Metrics in Prometheus' text format. */

export type Labels = Readonly<Record<string, string>>;

interface Metric {
  readonly name: string;
  lines(): string[];
}

const number = (n: number): string => (n === Number.POSITIVE_INFINITY ? '+Inf' : String(n));

/** `{a="b"}` with the format's escapes; '' for none. */
function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([k, v]) => `${k}="${v.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

/** A counter or gauge, with one value per set of labels. */
export class Values implements Metric {
  private readonly values = new Map<string, number>();

  constructor(
    readonly name: string,
    private readonly help: string,
    private readonly type: 'counter' | 'gauge',
    /** Filled in anew at each scrape, if given. */
    private readonly collect?: (set: (value: number, labels?: Labels) => void) => void,
  ) {}

  add(value = 1, labels: Labels = {}): void {
    const key = labelText(labels);
    this.values.set(key, (this.values.get(key) ?? 0) + value);
  }

  set(value: number, labels: Labels = {}): void {
    this.values.set(labelText(labels), value);
  }

  /** Drops each value with that label. */
  deleteWhere(label: string, value: string): void {
    const pair = labelText({ [label]: value }).slice(1, -1);
    for (const key of this.values.keys())
      if (
        key
          .slice(1, -1)
          .split(/,(?=\w+=")/)
          .includes(pair)
      )
        this.values.delete(key);
  }

  get(labels: Labels = {}): number {
    return this.values.get(labelText(labels)) ?? 0;
  }

  lines(): string[] {
    if (this.collect) {
      this.values.clear();
      this.collect((value, labels) => this.set(value, labels));
    }
    const samples = [...this.values].map(([labels, value]) => `${this.name}${labels} ${number(value)}`);
    return [`# HELP ${this.name} ${this.help}`, `# TYPE ${this.name} ${this.type}`, ...samples];
  }
}

interface Series {
  readonly labels: Labels;
  readonly counts: number[];
  sum: number;
  count: number;
}

/** A cumulative histogram. */
export class Histogram implements Metric {
  private readonly series = new Map<string, Series>();

  constructor(
    readonly name: string,
    private readonly help: string,
    private readonly buckets: readonly number[],
  ) {}

  observe(value: number, labels: Labels = {}): void {
    const key = labelText(labels);
    let s = this.series.get(key);
    if (!s) {
      s = { labels, counts: this.buckets.map(() => 0), sum: 0, count: 0 };
      this.series.set(key, s);
    }
    const bucket = this.buckets.findIndex((limit) => value <= limit);
    if (bucket >= 0) s.counts[bucket] = (s.counts[bucket] ?? 0) + 1;
    s.sum += value;
    s.count++;
  }

  lines(): string[] {
    const samples = [...this.series.values()].flatMap(({ labels, counts, sum, count }) => {
      let below = 0;
      const buckets = this.buckets.map((limit, i) => {
        below += counts[i] ?? 0;
        return `${this.name}_bucket${labelText({ ...labels, le: number(limit) })} ${below}`;
      });
      const text = labelText(labels);
      return [
        ...buckets,
        `${this.name}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`,
        `${this.name}_sum${text} ${number(sum)}`,
        `${this.name}_count${text} ${count}`,
      ];
    });
    return [`# HELP ${this.name} ${this.help}`, `# TYPE ${this.name} histogram`, ...samples];
  }
}

/** All metrics of a process. */
export class Registry {
  private readonly metrics: Metric[] = [];

  counter(name: string, help: string): Values {
    return this.added(new Values(name, help, 'counter'));
  }

  gauge(name: string, help: string, collect?: (set: (value: number, labels?: Labels) => void) => void): Values {
    return this.added(new Values(name, help, 'gauge', collect));
  }

  histogram(name: string, help: string, buckets: readonly number[]): Histogram {
    return this.added(new Histogram(name, help, buckets));
  }

  /** The text of a scrape, metrics by name. */
  text(): string {
    const sorted = this.metrics.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return sorted
      .flatMap((metric) => metric.lines())
      .map((line) => `${line}\n`)
      .join('');
  }

  private added<M extends Metric>(metric: M): M {
    this.metrics.push(metric);
    return metric;
  }
}

/** upstream: prometheus.DefBuckets */
export const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** upstream: prometheus.ExponentialBuckets */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Number((start * factor ** i).toPrecision(12)));
}
