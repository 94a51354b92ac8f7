import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { LogEvidenceReader, type Source } from '@syncloop/observe';
import { ignoreChildErrors } from '../base/ignore-errors.js';
import { BackOff } from './back-off.js';
import type { Emit, EvidenceSource, Say } from './source.js';

/** The greatest size of an entry, in bytes; journald takes no larger ones either. */
const LONGEST_ENTRY = 16 * 1024 * 1024;
/** The length of journalctl's last messages that is kept. */
const LAST_WORDS = 2000;
/** The time that journalctl has to exit after a signal, ms. */
const END_MILLIS = 1000;

export interface JournalOptions {
  readonly id: string;
  /** Such as "kubelet" or "k3s". */
  readonly unit: string;
  /** Entries before now with which to begin; null: all that the journal has. */
  readonly lines: number | null;
  /** The folder of the journal, such as /host/var/log/journal. Default: the machine's own. */
  readonly directory?: string;
  /** The program to run. Default journalctl. */
  readonly program?: string;
  readonly backOff?: BackOff;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Follows a unit in systemd's journal with journalctl. When journalctl ends it is started again, and goes on after the
 * last entry that was read whole.
 */
export class JournalSource implements EvidenceSource {
  readonly source: Source;
  private readonly reader: LogEvidenceReader;
  private readonly backOff: BackOff;
  private child: Child | null = null;
  private again: NodeJS.Timeout | null = null;
  private stopped = false;
  private cursor = '';
  /** The number of starts of journalctl in a row that printed nothing. */
  private inVain = 0;
  private said = '';

  constructor(private readonly options: JournalOptions) {
    const { id, unit } = options;
    this.source = { id, kind: 'log', name: `journal of ${unit}` };
    this.reader = new LogEvidenceReader(id, { notAfter: Date.now(), survey: false });
    this.backOff = options.backOff ?? new BackOff();
  }

  start(emit: Emit, say: Say): void {
    const { program = 'journalctl', unit } = this.options;
    const child = spawn(program, this.arguments(), { stdio: ['ignore', 'pipe', 'pipe'] });
    ignoreChildErrors(child);
    this.child = child;
    let held: Buffer[] = [];
    let length = 0;
    let words = '';
    child.stdout.on('data', (bytes: Buffer) => {
      const end = bytes.lastIndexOf(10) + 1;
      if (end > 0) {
        held.push(bytes.subarray(0, end));
        child.stdout.pause();
        void this.take(Buffer.concat(held), emit, say).then(() => child.stdout.resume());
        held = [];
        length = 0;
      }
      if (end === bytes.length) return;
      held.push(bytes.subarray(end));
      length += bytes.length - end;
      if (length > LONGEST_ENTRY) child.kill('SIGKILL');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-LAST_WORDS);
    });
    let failed = '';
    child.on('error', (err: NodeJS.ErrnoException) => {
      failed =
        err.code === 'ENOENT'
          ? `${program}, which reads the journal, is not installed here; name the kubelet's log file with --log`
          : `${program} cannot be started (${err.message})`;
    });
    child.on('close', (code, signal) => {
      this.child = null;
      if (this.stopped) return;
      const last = words.trim().split('\n').at(-1) ?? '';
      const why = failed || last || (signal ? `it was ended by ${signal}` : `exit code ${code}`);
      this.tell(`The journal of ${unit} cannot be followed: ${why.replace(/\.$/, '')}. It is tried again.`, say);
      // The entry after which it should continue may have been removed.
      if (++this.inVain > 3 && this.cursor !== '') {
        this.cursor = '';
        void emit([
          {
            kind: 'gap',
            source: this.source.id,
            at: null,
            place: {},
            why: 'The journal no longer has the last entry that was read: entries after it may be missing, or come twice.',
          },
        ]);
      }
      this.again = setTimeout(() => this.start(emit, say), this.backOff.next());
    });
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.again) clearTimeout(this.again);
    const { child } = this;
    if (!child) return;
    const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MILLIS);
    await gone;
    clearTimeout(timer);
  }

  private arguments(): string[] {
    const { unit, lines, directory } = this.options;
    return [
      '--follow',
      `--unit=${unit}`,
      '--output=json',
      // Without this, it leaves out texts of more than 4096 bytes.
      '--all',
      '--output-fields=MESSAGE,_PID,_COMM,SYSLOG_IDENTIFIER',
      '--no-pager',
      ...(directory === undefined ? [] : [`--directory=${directory}`]),
      ...(this.cursor !== ''
        ? [`--after-cursor=${this.cursor}`, '--lines=all']
        : [`--lines=${lines === null ? 'all' : lines}`]),
    ];
  }

  /** Takes whole lines. */
  private async take(bytes: Buffer, emit: Emit, say: Say): Promise<void> {
    const last = bytes.toString('utf8', bytes.lastIndexOf(10, -2) + 1);
    try {
      const { __CURSOR: cursor } = JSON.parse(last) as { readonly __CURSOR?: unknown };
      if (typeof cursor === 'string') this.cursor = cursor;
    } catch {
      // A line of journalctl's own about boots and files of the journal; it is evidence as it is.
    }
    const taken = emit(this.reader.push(bytes));
    this.inVain = 0;
    this.backOff.reset();
    if (this.said !== '') say(`The journal of ${this.options.unit} is followed again.`, true);
    this.said = '';
    await taken;
  }

  private tell(sentence: string, say: Say): void {
    if (sentence !== this.said) say(sentence);
    this.said = sentence;
  }
}
