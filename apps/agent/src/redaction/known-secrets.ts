/**
 * The secrets that this kubelet knows: values of Secrets, tokens that it was given, credentials of registries. They are
 * taken out of whatever they are in, and nothing else is.
 */
import { isObject } from '@syncloop/core/base';
import { redacted } from '@syncloop/core/cri';
import type { Json, TraceRecord } from '@syncloop/core/trace';

/** Shorter values are words like "1" and "admin", which occur everywhere. */
const SHORTEST = 6;
/** Secrets are at most 1 MiB; the oldest values are forgotten beyond this, in characters. */
const MOST = 64 * 1024 * 1024;
/** Fields of Secrets that are public: they are in every certificate, and in the name of every pod. */
const PUBLIC = new Set(['ca.crt', 'tls.crt', 'namespace', 'username']);
/** Fields of AuthConfig, and of docker's configuration, that are secret. */
const CREDENTIALS = new Set(['password', 'auth', 'identityToken', 'identitytoken', 'registryToken', 'registrytoken']);

export class KnownSecrets {
  /** Values in the order in which they were learnt. */
  private readonly values = new Set<string>();
  private characters = 0;
  /** Values by their first letters, the longest first. */
  private byStart: Map<string, string[]> | null = null;

  /** Learns a value, and its lines if it has several. */
  learn(value: string): void {
    this.add(value);
    if (value.includes('\n')) for (const line of value.split('\n')) this.add(line.trim());
  }

  /** Learns the secrets of an object from an API server: a Secret, a list of them, a token. Ignores other objects. */
  learnObject(object: unknown): void {
    if (!isObject(object)) return;
    const { kind, items, data, status } = object;
    if (kind === 'SecretList' && Array.isArray(items))
      for (const item of items) this.learnObject({ kind: 'Secret', ...item });
    else if (kind === 'TokenRequest' && isObject(status) && typeof status.token === 'string') this.learn(status.token);
    else if (kind === 'Secret' && isObject(data)) {
      for (const [name, value] of Object.entries(data)) {
        if (typeof value !== 'string' || PUBLIC.has(name)) continue;
        const text = Buffer.from(value, 'base64').toString('utf8');
        this.learn(value);
        this.learn(text);
        if (name === '.dockerconfigjson' || name === '.dockercfg') this.learnCredentials(text);
      }
    }
  }

  /** Credentials with which this kubelet asks a registry, wherever they came from. */
  learnRecord(record: TraceRecord): void {
    if (record.kind === 'cri-call' && record.method === 'PullImage') this.inside(record.request);
  }

  private learnCredentials(text: string): void {
    try {
      this.inside(JSON.parse(text));
    } catch {
      // The kubelet itself reports that it cannot be read; the whole text is known as a secret.
    }
  }

  private inside(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.inside(item);
    else if (isObject(value))
      for (const [name, field] of Object.entries(value)) {
        if (typeof field !== 'string') this.inside(field);
        else if (CREDENTIALS.has(name)) {
          this.learn(field);
          // `auth` is user:password in base64.
          const decoded = name === 'auth' ? Buffer.from(field, 'base64').toString('utf8') : '';
          if (decoded.includes(':')) this.learn(decoded.slice(decoded.indexOf(':') + 1));
        }
      }
  }

  private add(value: string): void {
    if (value.length < SHORTEST || this.values.has(value)) return;
    this.values.add(value);
    this.characters += value.length;
    this.byStart = null;
    for (const oldest of this.values) {
      if (this.characters <= MOST) break;
      this.values.delete(oldest);
      this.characters -= oldest.length;
    }
  }

  /** The text without any of them. */
  without(text: string): string {
    if (this.values.size === 0 || text.length < SHORTEST) return text;
    const byStart = this.starts();
    let out = '';
    let done = 0;
    for (let at = 0; at + SHORTEST <= text.length; at++) {
      const found = byStart.get(text.slice(at, at + SHORTEST))?.find((value) => text.startsWith(value, at));
      if (found === undefined) continue;
      out += `${text.slice(done, at)}${redacted}`;
      done = at + found.length;
      at = done - 1;
    }
    return done === 0 ? text : out + text.slice(done);
  }

  /** The value without any of them in its texts; names of fields are left. */
  withoutAll(value: Json): Json {
    if (typeof value === 'string') return this.without(value);
    if (Array.isArray(value)) return (value as readonly Json[]).map((item) => this.withoutAll(item));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value as { readonly [key: string]: Json | undefined });
    return Object.fromEntries(fields.map(([k, v]) => [k, v === undefined ? v : this.withoutAll(v)])) as Json;
  }

  private starts(): ReadonlyMap<string, readonly string[]> {
    if (this.byStart) return this.byStart;
    const starts = new Map<string, string[]>();
    for (const value of this.values) {
      const start = value.slice(0, SHORTEST);
      const same = starts.get(start);
      if (same) same.push(value);
      else starts.set(start, [value]);
    }
    for (const same of starts.values()) same.sort((a, b) => b.length - a.length);
    this.byStart = starts;
    return starts;
  }
}
