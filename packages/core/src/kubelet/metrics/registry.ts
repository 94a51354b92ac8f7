/**
 * Metrics in Prometheus' text format, as a process of Kubernetes shows them.
 * upstream: component-base metrics, client_golang
 */

export type Labels = Readonly<Record<string, string>>;
export type Stability = 'INTERNAL' | 'ALPHA' | 'BETA' | 'STABLE' | '';

export interface Options {
  /** Without a subsystem apart: `kubelet_pleg_relist_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  /** Default: ALPHA; '' for what is not Kubernetes' own. */
  readonly stability?: Stability;
  /** Names of the labels. Left out: a plain metric, which has a value from the start. */
  readonly labels?: readonly string[];
}

interface Metric {
  readonly name: string;
  lines(): string[];
}

/**
 * Formats a number as Go's strconv does with 'g' and the shortest precision: 1e+06 for a million.
 * upstream: expfmt writeFloat
 */
export function goFloat(n: number): string {
  if (Number.isNaN(n)) return 'NaN';
  if (!Number.isFinite(n)) return n > 0 ? '+Inf' : '-Inf';
  const [, mantissa = '0', digits = '0'] = /^(.*)e([+-]\d+)$/.exec(n.toExponential()) ?? [];
  const exponent = Number(digits);
  if (n === 0 || (exponent >= -4 && exponent < 6)) return String(n);
  const size = Math.abs(exponent);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${size < 10 ? '0' : ''}${size}`;
}

const escapeValue = (v: string) => v.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
const escapeHelp = (v: string) => v.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

/** Returns the values of the labels as one text that no other values give. */
function keyOf(names: readonly string[], labels: Labels): string {
  if (names.length <= 1) return names.length === 0 ? '' : (labels[names[0] as string] ?? '');
  let key = '';
  for (const name of names) {
    const value = labels[name] ?? '';
    key += `${value.length}:${value}`;
  }
  return key;
}

abstract class Family<S extends { readonly labels: Labels }> implements Metric {
  readonly name: string;
  protected readonly names: readonly string[];
  protected readonly series = new Map<string, S>();
  private readonly head: readonly string[];

  protected readonly plain: boolean;

  constructor({ name, help, stability = 'ALPHA', labels }: Options, type: 'counter' | 'gauge' | 'histogram') {
    this.name = name;
    this.plain = !labels;
    this.names = (labels ?? []).toSorted();
    this.head = [`# HELP ${name} ${stability ? `[${stability}] ` : ''}${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
  }

  /** The series of these labels, made if need be; throws for a label that the metric does not have. */
  protected of(labels: Labels, make: (labels: Labels) => S): S {
    const key = keyOf(this.names, labels);
    let found = this.series.get(key);
    if (!found) {
      const wrong = Object.keys(labels).find((name) => !this.names.includes(name));
      if (wrong !== undefined || Object.keys(labels).length !== this.names.length)
        throw new Error(
          `metric ${this.name} has the labels ${this.names.join(', ') || '(none)'}, not ${Object.keys(labels)}`,
        );
      found = make({ ...labels });
      this.series.set(key, found);
    }
    return found;
  }

  /** Drops each value that has all these labels. */
  delete(labels: Labels): void {
    const wanted = Object.entries(labels);
    for (const [key, s] of this.series) if (wanted.every(([k, v]) => s.labels[k] === v)) this.series.delete(key);
  }

  /** Drops all. */
  reset(): void {
    this.series.clear();
  }

  /** Called before each scrape. */
  protected collect(): void {}
  protected abstract samples(series: S, text: (more?: Labels) => string): string[];

  /** A metric with labels and no values yet is not there at all, as upstream. */
  lines(): string[] {
    this.collect();
    if (this.series.size === 0) return [];
    const all = [...this.series.values()].toSorted((a, b) => this.compare(a.labels, b.labels));
    return [...this.head, ...all.flatMap((s) => this.samples(s, (more) => this.text(s.labels, more)))];
  }

  private compare(a: Labels, b: Labels): number {
    for (const name of this.names) {
      const [x, y] = [a[name] ?? '', b[name] ?? ''];
      if (x !== y) return x < y ? -1 : 1;
    }
    return 0;
  }

  private text(labels: Labels, more: Labels = {}): string {
    const pairs = [...this.names.map((n) => [n, labels[n] ?? ''] as const), ...Object.entries(more)];
    return pairs.length === 0 ? '' : `{${pairs.map(([k, v]) => `${k}="${escapeValue(v)}"`).join()}}`;
  }
}

interface ValueSeries {
  readonly labels: Labels;
  value: number;
  millis?: number;
}

/** A counter or a gauge. */
class Values extends Family<ValueSeries> {
  constructor(
    options: Options,
    type: 'counter' | 'gauge',
    private readonly fill?: (into: Gauge) => void,
  ) {
    super(options, type);
    if (this.plain && !fill) this.of({}, zero);
  }

  add(by: number, labels: Labels = {}): void {
    this.of(labels, zero).value += by;
  }

  /** Sets a value. `millis`: when it was so, milliseconds since 1970; the scrape shows it. */
  set(value: number, labels: Labels = {}, millis?: number): void {
    const s = this.of(labels, zero);
    s.value = value;
    if (millis !== undefined) s.millis = millis;
  }

  /** Returns the value, 0 if there is none. */
  get(labels: Labels = {}): number {
    return this.series.get(keyOf(this.names, labels))?.value ?? 0;
  }

  override reset(): void {
    super.reset();
    if (this.plain) this.of({}, zero);
  }

  protected override collect(): void {
    if (!this.fill) return;
    this.series.clear();
    this.fill(this);
  }

  protected samples({ value, millis }: ValueSeries, text: () => string): string[] {
    return [`${this.name}${text()} ${goFloat(value)}${millis === undefined ? '' : ` ${Math.trunc(millis)}`}`];
  }
}

const zero = (labels: Labels): ValueSeries => ({ labels, value: 0 });

/** Only grows. */
export interface Counter {
  readonly name: string;
  add(by: number, labels?: Labels): void;
  get(labels?: Labels): number;
  delete(labels: Labels): void;
  /** The lines that a scrape shows. */
  lines(): string[];
}
/** A metric that can be set to any value. */
export interface Gauge extends Counter {
  set(value: number, labels?: Labels, millis?: number): void;
  reset(): void;
}

interface HistogramSeries {
  readonly labels: Labels;
  readonly counts: number[];
  sum: number;
  count: number;
}

/** A cumulative histogram. */
export class Histogram extends Family<HistogramSeries> {
  constructor(
    options: Options,
    private readonly buckets: readonly number[],
  ) {
    super(options, 'histogram');
    if (this.plain) this.of({}, this.empty);
  }

  private readonly empty = (labels: Labels): HistogramSeries => ({
    labels,
    counts: this.buckets.map(() => 0),
    sum: 0,
    count: 0,
  });

  observe(value: number, labels: Labels = {}): void {
    const s = this.of(labels, this.empty);
    const { buckets } = this;
    let bucket = 0;
    while (bucket < buckets.length && !(value <= (buckets[bucket] as number))) bucket++;
    if (bucket < buckets.length) s.counts[bucket] = (s.counts[bucket] ?? 0) + 1;
    s.sum += value;
    s.count++;
  }

  /** Returns the number of observations. */
  count(labels: Labels = {}): number {
    return this.series.get(keyOf(this.names, labels))?.count ?? 0;
  }
  sum(labels: Labels = {}): number {
    return this.series.get(keyOf(this.names, labels))?.sum ?? 0;
  }

  protected samples({ counts, sum, count }: HistogramSeries, text: (more?: Labels) => string): string[] {
    let below = 0;
    const buckets = this.buckets.map((limit, i) => {
      below += counts[i] ?? 0;
      return `${this.name}_bucket${text({ le: goFloat(limit) })} ${below}`;
    });
    return [
      ...buckets,
      `${this.name}_bucket${text({ le: '+Inf' })} ${count}`,
      `${this.name}_sum${text()} ${goFloat(sum)}`,
      `${this.name}_count${text()} ${count}`,
    ];
  }
}

/** All metrics that one path serves. */
export class Registry {
  private readonly metrics = new Map<string, Metric>();

  /** Adds a counter. `fill` is called before each scrape and sets all values again. */
  counter(options: Options, fill?: (into: Gauge) => void): Counter {
    return this.added(new Values(options, 'counter', fill));
  }

  /** Adds a gauge, like {@link counter}. */
  gauge(options: Options, fill?: (into: Gauge) => void): Gauge {
    return this.added(new Values(options, 'gauge', fill));
  }

  histogram(options: Options, buckets: readonly number[] = defaultBuckets): Histogram {
    return this.added(new Histogram(options, buckets));
  }

  /** The text of a scrape, metrics by name. */
  text(): string {
    const sorted = [...this.metrics.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return sorted
      .flatMap((metric) => metric.lines())
      .map((line) => `${line}\n`)
      .join('');
  }

  private added<M extends Metric>(metric: M): M {
    if (this.metrics.has(metric.name)) throw new Error(`metric ${metric.name} is registered already`);
    this.metrics.set(metric.name, metric);
    return metric;
  }
}

/** upstream: prometheus.DefBuckets */
export const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** upstream: prometheus.ExponentialBuckets */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  const out: number[] = [];
  for (let limit = start; out.length < count; limit *= factor) out.push(limit);
  return out;
}
