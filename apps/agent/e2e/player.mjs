#!/usr/bin/env node
/**
 * Plays a capture of a real kubelet as a live node, for `syncloop attach`: its log grows and is rotated, `/pods` and
 * `/metrics` answer, spans are sent, the bytes of its CRI socket go through a socket. Tests move it by hand; as a
 * program it goes by itself:
 *
 *     node apps/agent/e2e/player.mjs CAPTURE FOLDER [--speed 10] [--rotate 1000]
 *     syncloop attach --log FOLDER/kubelet.log
 */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';

const HEADER = /^([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{6})/;
/** Rotated copies that are kept. */
const KEPT = 4;

const whole = (file) => (existsSync(file) ? gunzipSync(readFileSync(file)) : null);
const objects = (file) => {
  const bytes = whole(file);
  return bytes === null
    ? []
    : bytes
        .toString('utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
};
const two = (n) => String(n).padStart(2, '0');

/** Reads the events of a capture by time: milliseconds since the capture began. */
export function readCapture(folder) {
  const about = JSON.parse(readFileSync(join(folder, 'about.json'), 'utf8'));
  const started = Date.parse(about.startedAt);
  const name = readdirSync(folder).find((one) => /^kubelet\.v\d\.log\.gz$/.test(one));
  let at = 0;
  const lines = whole(join(folder, name))
    .toString('utf8')
    .replace(/\n$/, '')
    .split('\n')
    .map((text) => {
      const [, , month, day, hour, minute, second, micros] = HEADER.exec(text) ?? [];
      if (month !== undefined)
        at = Math.max(
          at,
          Date.UTC(new Date(started).getUTCFullYear(), month - 1, day, hour, minute, second) + micros / 1000 - started,
        );
      return { at, text };
    });
  return {
    about,
    lines,
    pods: objects(join(folder, 'pods.ndjson.gz')),
    spans: objects(join(folder, 'otlp.ndjson.gz')),
    bytes: objects(join(folder, 'cri-bytes.ndjson.gz')),
    metrics: whole(join(folder, 'metrics.txt.gz'))?.toString('utf8') ?? '',
  };
}

/** The same line as it would be written now. */
function retimed(text, epochMillis) {
  if (!HEADER.test(text)) return text;
  const t = new Date(epochMillis);
  const micros = String(Math.floor((epochMillis % 1000) * 1000)).padStart(6, '0');
  return text.replace(
    HEADER,
    (_, severity) =>
      `${severity}${two(t.getUTCMonth() + 1)}${two(t.getUTCDate())} ${two(t.getUTCHours())}:${two(t.getUTCMinutes())}:${two(t.getUTCSeconds())}.${micros}`,
  );
}

export class Player {
  /** The number of lines written so far; the capture begins again after its last one. */
  written = 0;
  /** Milliseconds of the capture that have been played. */
  at = 0;
  servers = [];

  /** `now`: writes lines with today's times instead of those that they have. */
  constructor(capture, folder, { now = false } = {}) {
    this.capture = typeof capture === 'string' ? readCapture(capture) : capture;
    this.folder = folder;
    this.log = join(folder, 'kubelet.log');
    this.now = now;
    mkdirSync(folder, { recursive: true });
  }

  get count() {
    return this.capture.lines.length;
  }

  /** Writes so many more lines, in several writes that do not end where lines end. */
  write(n) {
    const { lines } = this.capture;
    const some = lines.slice(this.written, this.written + n);
    this.written += some.length;
    this.at = some.at(-1)?.at ?? this.at;
    const text = some
      .map((line) => `${this.now ? retimed(line.text, performance.timeOrigin + performance.now()) : line.text}\n`)
      .join('');
    for (let at = 0; at < text.length; at += 4099) appendFileSync(this.log, text.slice(at, at + 4099));
    return some.length;
  }

  /** Rotates the log: `rename` and make again, `copytruncate`, `gzip` a renamed one at once, `delete`. */
  rotate(how) {
    const { log } = this;
    if (how === 'delete') return rmSync(log);
    for (let n = KEPT; n >= 1; n--)
      for (const ending of ['', '.gz'])
        if (existsSync(`${log}.${n}${ending}`)) renameSync(`${log}.${n}${ending}`, `${log}.${n + 1}${ending}`);
    for (const ending of ['', '.gz']) rmSync(`${log}.${KEPT + 1}${ending}`, { force: true });
    if (how === 'copytruncate') {
      copyFileSync(log, `${log}.1`);
      truncateSync(log);
      return undefined;
    }
    if (how === 'gzip') {
      writeFileSync(`${log}.1.gz`, gzipSync(readFileSync(log)));
      rmSync(log);
    } else renameSync(log, `${log}.1`);
    writeFileSync(log, '');
    return undefined;
  }

  /** Answers for `/pods` and `/metrics` as they were at the time played; resolves with the origin. */
  async serve(port = 0) {
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://x').pathname;
      if (path === '/metrics') response.end(this.capture.metrics);
      else if (path === '/pods') {
        const latest = this.capture.pods.filter(({ at }) => at <= this.at).at(-1);
        response.setHeader('Content-Type', 'application/json');
        response.end(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: latest?.pods ?? [] }));
      } else response.writeHead(404).end();
    });
    this.servers.push(server);
    await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${server.address().port}`;
  }

  /** Sends the spans up to the time played that were not sent yet, to an OTLP receiver over HTTP. */
  async sendSpans(url) {
    this.sent ??= 0;
    const due = this.capture.spans.slice(this.sent).filter(({ at }) => at <= this.at);
    for (const { b64 } of due) {
      const response = await fetch(`${url}/v1/traces`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-protobuf' },
        body: Buffer.from(b64, 'base64'),
      });
      if (!response.ok) throw new Error(`the receiver of spans answered ${response.status}`);
      this.sent++;
    }
    return due.length;
  }

  /** Goes by itself, `speed` times as fast as it was; `rotateEvery` this many lines, each way in turn. */
  async play({ speed = 1, rotateEvery = 0, spans, signal } = {}) {
    const ways = ['rename', 'copytruncate', 'gzip'];
    const begun = performance.now() - this.at / speed;
    for (let rotations = 0; this.written < this.count && !signal?.aborted; await delay(50)) {
      const at = (performance.now() - begun) * speed;
      let n = 0;
      while (this.written + n < this.count && this.capture.lines[this.written + n].at <= at) n++;
      if (rotateEvery > 0 && this.written + n >= (rotations + 1) * rotateEvery) {
        this.write(Math.floor(n / 2));
        this.rotate(ways[rotations++ % ways.length]);
        n -= Math.floor(n / 2);
      }
      this.write(n);
      if (spans) await this.sendSpans(spans).catch(() => {});
    }
  }

  async close() {
    for (const server of this.servers.splice(0))
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      speed: { type: 'string', default: '1' },
      rotate: { type: 'string', default: '0' },
      spans: { type: 'string' },
      port: { type: 'string', default: '0' },
      now: { type: 'boolean', default: false },
    },
  });
  const [capture, folder] = positionals;
  if (folder === undefined) {
    console.error('player: CAPTURE FOLDER [--speed N] [--rotate LINES] [--spans URL] [--port N] [--now]');
    process.exit(2);
  }
  const player = new Player(capture, folder, { now: values.now });
  console.log(`player: log in ${player.log}; /pods and /metrics at ${await player.serve(Number(values.port))}`);
  await player.play({ speed: Number(values.speed), rotateEvery: Number(values.rotate), spans: values.spans });
  console.log(`player: ${player.written} lines were written`);
  await player.close();
}
